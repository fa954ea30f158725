// Calls of the HTTP API, and the stream of changes.
import { useCallback, useEffect, useRef, useState } from "./vendor/hooks.mjs";
import { DIMENSIONS } from "./format.js";
import { state, update, useShared } from "./state.js";

export class ApiError extends Error {
  constructor(problem, status) {
    super(problem.detail || problem.title || `the server answered ${status}`);
    this.remedy = problem.remedy || "";
    this.status = status;
  }
}

// The headers of the scope: that of a record, or the chosen one. An empty choice is everything,
// for a token that may see it.
function scopeHeaders(scope) {
  const headers = {};
  const narrower = DIMENSIONS.filter((name) => scope?.[name] && !state.about?.scope?.[name]);
  for (const name of narrower) headers[`Erstwhile-${name}`] = encodeURIComponent(scope[name]);
  if (scope === undefined && canSeeEverything()) headers["Erstwhile-Everything"] = "true";
  return headers;
}

export const canSeeEverything = () =>
  state.about?.right === "admin" && DIMENSIONS.every((name) => !state.about.scope?.[name]);

function chosenScope() {
  const chosen = DIMENSIONS.some((name) => state.scope[name]) || state.scope.shared;
  return chosen || !canSeeEverything() ? state.scope : undefined;
}

// call("POST", "/facts/1/retire", { body, query, scope }): the JSON of the answer.
export async function call(method, path, { body, query, scope = chosenScope(), signal } = {}) {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== "" && value != null);
  const text = new URLSearchParams(given).toString();
  const response = await fetch(`/v1${path}${text ? `?${text}` : ""}`, {
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
  const value = answer ? JSON.parse(answer) : null;
  if (response.ok) return value;
  if (response.status === 401) update({ about: null, token: "" });
  throw new ApiError(value ?? {}, response.status);
}

export const get = (path, query, options) => call("GET", path, { query, ...options });
export const post = (path, body = {}, options) => call("POST", path, { body, ...options });
export const id = encodeURIComponent;

// The items of a page, whatever the verb calls them.
export const items = (page) => (Array.isArray(page) ? page : (page?.items ?? page?.hits ?? []));

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

// Follow the changes of the memory; another process may make them.
export async function followChanges(signal) {
  while (!signal.aborted) {
    try {
      await readEvents(signal);
    } catch {
      if (signal.aborted) return;
    }
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

async function readEvents(signal) {
  const response = await fetch("/v1/events", {
    signal,
    headers: { Authorization: `Bearer ${state.token}`, ...scopeHeaders(chosenScope()) },
  });
  if (!response.ok) throw new Error(String(response.status));
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

// A busy memory reloads the views every few seconds, not at each change.
const PAUSE = 2000;
let announced = 0;

function notice(changes) {
  if (!changes.length) return;
  state.seen += changes.length;
  if (announced > Date.now()) return;
  const wait = Math.max(0, announced + PAUSE - Date.now());
  announced = Date.now() + wait;
  setTimeout(() => update({ changes: state.changes + 1 }), wait);
}
