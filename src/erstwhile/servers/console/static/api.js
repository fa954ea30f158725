// Calls of the HTTP API, and the stream of changes.
import { useCallback, useEffect, useRef, useState } from "./vendor/hooks.mjs";
import { DIMENSIONS } from "./format.js";
import { state, update, useShared } from "./state.js";

const PAUSE = 2000;
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE));

class ApiError extends Error {
  constructor(problem, status) {
    super(problem.detail || problem.title || `the server answered ${status}`);
    this.remedy = problem.remedy || "";
    this.status = status;
  }
}

// The headers of the scope: that of a record, or the chosen one; null is everything, for a token that
// may see it.
function scopeHeaders(scope) {
  const headers = {};
  const narrower = DIMENSIONS.filter((name) => scope?.[name] && !state.about?.scope?.[name]);
  for (const name of narrower) headers[`Erstwhile-${name}`] = encodeURIComponent(scope[name]);
  if (scope === null && canSeeEverything()) headers["Erstwhile-Everything"] = "true";
  return headers;
}

export const canSeeEverything = () =>
  state.about?.right === "admin" && DIMENSIONS.every((name) => !state.about.scope?.[name]);

// Whether no scope is chosen, so that the memory of everybody is shown.
export const seesEverything = () => canSeeEverything() && !state.scope.shared && !DIMENSIONS.some((name) => state.scope[name]);

const chosenScope = () => (seesEverything() ? null : state.scope);

// call("POST", "/facts/1/retire", { body, query, scope }): the JSON of the answer.
export async function call(method, path, { body, query, scope = chosenScope(), signal } = {}) {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== "" && value != null);
  const text = new URLSearchParams(given).toString();
  // A browser takes a name of dots out of an address, and would call another verb.
  if (/\/\.{1,2}(\/|$)/.test(path)) throw new ApiError({ detail: "a record whose name is “.” or “..” has no address" });
  const started = Date.now();
  const response = await reach(`/v1${path}${text ? `?${text}` : ""}`, {
    method,
    signal,
    keepalive: method !== "GET" && (body === undefined || JSON.stringify(body).length < 60_000),
    headers: {
      Authorization: `Bearer ${state.token}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...scopeHeaders(scope),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const answer = await response.text();
  slowest = Math.max(slowest, Date.now() - started);
  const value = read(answer);
  if (response.ok) return value;
  throw refusal(value, response.status);
}

// The error of an answer. Without a valid token the login comes again.
function refusal(problem, status) {
  const error = new ApiError(problem ?? {}, status);
  if (status === 401 && state.token) update({ about: null, token: "", refused: error });
  return error;
}

// What is not JSON comes from another server, such as a proxy.
function read(answer) {
  try {
    return answer ? JSON.parse(answer) : null;
  } catch {
    return null;
  }
}

// The answer of the server; an error that says so if it does not answer.
async function reach(address, options) {
  try {
    return await fetch(address, options);
  } catch (error) {
    if (options.signal?.aborted) throw error;
    if (!state.offline) void untilBack();
    throw new ApiError({ detail: "the server does not answer", remedy: "look whether erstwhile serve still runs" });
  }
}

// Ask until the server answers again, and then load everything anew.
async function untilBack() {
  update({ offline: true });
  while (state.offline) {
    await pause();
    await fetch(".", { method: "HEAD" }).then(() => update({ offline: false, changes: state.changes + 1 }), () => null);
  }
}

export const get = (path, query, options) => call("GET", path, { query, ...options });
export const post = (path, body = {}, options) => call("POST", path, { body, ...options });
export const id = encodeURIComponent;

// The items of a page, whatever the verb calls them.
export const items = (page) => (Array.isArray(page) ? page : (page?.items ?? page?.hits ?? []));

// The items of all pages, as long as the last one is wanted, and at least `most` if there are so many.
export async function every(path, query = {}, options = {}, wanted = () => true, most = Infinity) {
  const found = [];
  for (let cursor = query.cursor ?? ""; cursor !== null; ) {
    const page = await get(path, { limit: 500, ...query, cursor }, options);
    found.push(...items(page));
    cursor = found.length && found.length < most && wanted(found.at(-1)) ? (page.next ?? null) : null;
  }
  return found.filter(wanted);
}

// The moment as arguments of a verb. A query that passes it names it as a dependency.
export function moment() {
  const { as_of, known_at } = state.moment;
  return { ...(as_of && { as_of }), ...(known_at && { known_at }) };
}

// Load data, and load it again when the scope, the memory or a dependency changes. Old data stays
// visible meanwhile, so that nothing jumps.
export function useQuery(load, dependencies = []) {
  const shared = useShared();
  const [result, setResult] = useState({ data: null, error: null, loading: true });
  const last = useRef(0);
  const key = JSON.stringify([shared.scope, shared.changes, ...dependencies]);
  const reload = useCallback(() => {
    const number = (last.current += 1);
    Promise.resolve().then(load).then(
      (data) => number === last.current && setResult({ data, error: null, loading: false }),
      (error) => number === last.current && setResult((old) => ({ ...old, error, loading: false })),
    );
  }, [key]);
  useEffect(reload, [reload]);
  return { ...result, reload };
}

// Follow the changes of the memory; another process may make them. What changed while nobody followed
// is loaded, too.
export async function followChanges(signal) {
  for (let lost = false; !signal.aborted; lost = true) {
    try {
      await readEvents(signal, lost);
    } catch {
      if (signal.aborted) return;
    }
    await pause();
  }
}

async function readEvents(signal, lost) {
  const response = await reach("/v1/events", {
    signal,
    headers: { Authorization: `Bearer ${state.token}`, ...scopeHeaders(chosenScope()) },
  });
  if (!response.ok) throw refusal(null, response.status);
  if (lost) update({ changes: state.changes + 1 });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const parts = (text + value).split("\n\n");
    text = parts.pop();
    notice(parts.filter((part) => part.includes("event: change")).map(eventData));
  }
}

function eventData(part) {
  const line = part.split("\n").find((each) => each.startsWith("data: "));
  return JSON.parse(line.slice(6));
}

// A busy memory reloads the views every few seconds, not at each change; a large one, which answers
// more slowly, less often.
let announced = 0;
let slowest = 0;
const SHARE = 5;

function notice(changes) {
  if (!changes.length) return;
  state.seen += changes.length;
  if (announced > Date.now()) return;
  const wait = Math.max(0, announced + Math.max(PAUSE, SHARE * slowest) - Date.now());
  announced = Date.now() + wait;
  slowest = 0;
  setTimeout(() => update({ changes: state.changes + 1 }), wait);
}
