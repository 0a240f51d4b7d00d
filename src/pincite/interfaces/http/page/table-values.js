// Values of a table's columns: filters and exact totals.

const NUMBER = /^-?\d+(\.\d+)?$/;
const BOUND = /^(<=|>=|<|>|=)\s*(-?\d+(?:\.\d+)?)$/;
const HOLDS = {
  "<": (one, other) => one < other,
  ">": (one, other) => one > other,
  "<=": (one, other) => one <= other,
  ">=": (one, other) => one >= other,
  "=": (one, other) => one === other,
};

export const isNumber = (text) => NUMBER.test(text);

/** Whether a value has the words of a filter, or keeps its bound, such as `> 100`. */
export function matches(value, filter) {
  const wanted = filter.trim();
  if (!wanted) return true;
  const bound = BOUND.exec(wanted);
  if (bound) return isNumber(value) && HOLDS[bound[1]](Number(value), Number(bound[2]));
  return value.toLowerCase().includes(wanted.toLowerCase());
}

/** What stands below a column: the sum of its numbers, if they have one unit; else how many values there are. */
export function totalOf(cells, kind) {
  const told = cells.filter((cell) => cell.value);
  const number = `${told.length} of ${cells.length}`;
  if (kind !== "number" || !told.length) return number;
  const units = new Set(told.map((cell) => cell.unit));
  if (units.size > 1) return `${number}; no sum, there are ${units.size} units`;
  return `Sum ${sum(told.map((cell) => cell.value))} ${told[0].unit}`.trimEnd() + ` (${number})`;
}

/** The sum of decimal numbers, as text: in whole units of the last digit, for floating point would round. */
export function sum(numbers) {
  const digits = Math.max(...numbers.map((text) => (text.split(".")[1] ?? "").length));
  const units = numbers.map((text) => {
    const [whole, part = ""] = text.split(".");
    return BigInt(whole + part.padEnd(digits, "0"));
  });
  const total = units.reduce((one, other) => one + other, 0n);
  const sign = total < 0n ? "-" : "";
  const text = String(total < 0n ? -total : total).padStart(digits + 1, "0");
  return sign + (digits ? `${text.slice(0, -digits)}.${text.slice(-digits)}` : text);
}
