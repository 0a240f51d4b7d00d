// All requests to the server; no other file knows its paths.

const KEY = "pincite-key";

/** What went wrong, in the server's words (RFC 9457). */
export class Problem extends Error {
  constructor({ status = 0, title = "", detail = "", request_id: request = "" }) {
    super(detail || title || "The server gave no reason.");
    this.status = status;
    this.title = title;
    this.request = request;
  }
}

/** Asks the user for a key; returns one, or null. `told` is why the last one was not taken. Set by app.js. */
export const keys = { ask: async (told) => told && null };

let entering = null;

/** What this tab's key may do. Asks for a key if the server requires one: each that is tried costs one request. */
export function rights() {
  entering ??= enter().catch((error) => {
    entering = null;
    throw error;
  });
  return entering;
}

async function enter() {
  for (;;) {
    const response = await fetched("/v1/session");
    if (response.ok) {
      const { scopes, ...mine } = await response.json();
      return { ...mine, may: (scope) => scopes.includes("admin") || scopes.includes(scope) };
    }
    const problem = await problemOf(response);
    if (response.status !== 401) throw problem;
    const wasWrong = sessionStorage.getItem(KEY) !== null;
    sessionStorage.removeItem(KEY);
    const key = await keys.ask(wasWrong ? "The server does not know this key. Check it, or ask for a new one." : "");
    if (!key) throw problem;
    sessionStorage.setItem(KEY, key);
  }
}

function headers(more) {
  const key = sessionStorage.getItem(KEY);
  return key ? { ...more, Authorization: `Bearer ${key}` } : more;
}

async function fetched(path, options = {}) {
  try {
    return await fetch(path, { ...options, headers: headers(options.headers ?? {}) });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ title: "The server cannot be reached.", detail: "The server cannot be reached. Is it still running?" });
  }
}

async function call(path, options) {
  await rights();
  let response = await fetched(path, options);
  if (response.status === 401) {
    // The key was revoked since, or the server has been given its first one.
    entering = null;
    await rights();
    response = await fetched(path, options);
  }
  if (response.ok) return response;
  throw await problemOf(response);
}

async function problemOf(response) {
  const said = await response.json().catch(() => ({}));
  return new Problem({ title: response.statusText, ...said, status: response.status });
}

const json = async (path, options) => (await call(path, options)).json();
const send = (method, body, more) => ({
  method,
  body: JSON.stringify(body),
  headers: { "Content-Type": "application/json", ...more },
});
const part = encodeURIComponent;

export const api = {
  citation: (id) => json(`/v1/citations/${part(id)}`),
  documents: () => json("/v1/documents"),
  document: (id) => json(`/v1/documents/${part(id)}`),
  remove: (id) => call(`/v1/documents/${part(id)}`, { method: "DELETE" }),
  text: (id, start, end) => json(`/v1/documents/${part(id)}/text?start=${start}&end=${end}`),
  blocks: (id, start, end) => json(`/v1/documents/${part(id)}/blocks?start=${start}&end=${end}`),
  boxes: async (id, start, end) => (await json(`/v1/documents/${part(id)}/boxes?start=${start}&end=${end}`)).boxes,
  page: (id, number) => json(`/v1/documents/${part(id)}/pages/${number}`),
  pageImage: async (id, number, scale) => (await call(`/v1/documents/${part(id)}/pages/${number}.png?scale=${scale}`)).blob(),
  search: (question, scope) => json("/v1/search", send("POST", { question, ...scope })),
  brief: (body) => json("/v1/brief", send("POST", body)),
  compare: (body) => json("/v1/compare", send("POST", body)),
  timeline: (body) => json("/v1/timeline", send("POST", body)),
  check: (body) => json("/v1/check", send("POST", body)),
  query: (body) => json("/v1/query", send("POST", body)),
  stats: () => json("/v1/stats"),
  problems: () => json("/v1/problems"),
  conversations: (before) => json(`/v1/conversations${before ? `?before=${part(before)}` : ""}`),
  conversation: (id) => json(`/v1/conversations/${part(id)}`),
  forget: (id) => call(`/v1/conversations/${part(id)}`, { method: "DELETE" }),
  feedback: (body) => call("/v1/feedback", send("POST", body)),
  jobs: async () => (await json("/v1/jobs")).jobs,
  job: (id) => json(`/v1/jobs/${part(id)}`),
  exported: async (body) => (await call("/v1/exports", send("POST", body))).blob(),
  tables: () => json("/v1/tables"),
  table: (body) => json("/v1/tables", send("POST", body)),
  tableFile: async (body) => (await call("/v1/tables", send("POST", body))).blob(),
  templates: () => json("/v1/reports"),
  report: async (body) => (await call("/v1/reports", send("POST", body))).blob(),
};

/** Ask, and call `seen(name, data)` for each event of the stream. */
export async function stream(body, seen, signal) {
  const options = send("POST", { ...body, stream: true }, { Accept: "text/event-stream" });
  const response = await call("/v1/query", { ...options, signal });
  if (response.headers.get("Content-Type")?.startsWith("application/json")) {
    seen("done", await response.json());
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    waiting += value.replaceAll("\r", "");
    const events = waiting.split("\n\n");
    waiting = events.pop();
    for (const event of events) dispatch(event, seen);
  }
}

function dispatch(event, seen) {
  let name = "message";
  const data = [];
  for (const line of event.split("\n")) {
    if (line.startsWith("event:")) name = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).replace(/^ /, ""));
  }
  if (!data.length) return;
  const told = JSON.parse(data.join("\n"));
  if (name === "error") throw new Problem(told);
  seen(name, told);
}

/** Upload `{file, path}` in one request; calls `progress(part)` with the part sent, in 0..1. Returns the job. */
export function upload(files, collection, progress) {
  const form = new FormData();
  for (const { file, path } of files) form.append("files", file, path);
  if (collection) form.append("collection", collection);
  return new Promise((resolve, reject) => {
    // fetch cannot report upload progress.
    const request = new XMLHttpRequest();
    request.open("POST", "/v1/ingest");
    for (const [name, value] of Object.entries(headers({}))) request.setRequestHeader(name, value);
    request.responseType = "json";
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onerror = () => reject(new Problem({ detail: "The server cannot be reached." }));
    request.onload = () => {
      if (request.status < 300) resolve(request.response);
      else reject(new Problem({ ...(request.response ?? {}), status: request.status }));
    };
    request.send(form);
  });
}
