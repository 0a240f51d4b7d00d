// Runs before the first paint, so that the page does not flash in the wrong colours.
(() => {
  try {
    const chosen = localStorage.getItem("pincite-theme");
    if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
  } catch {
    // Storage is turned off: use the system's colours.
  }
})();
