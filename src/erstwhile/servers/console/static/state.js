// What the whole console shares: the token, the scope, the moment in time, and a count of changes.
import { useEffect, useState } from "./vendor/hooks.mjs";

export const state = {
  token: takeToken(),
  about: null,
  refused: null,
  scope: readJson("scope") ?? {},
  moment: { as_of: null, known_at: null },
  offline: false,
  changes: 0,
  seen: 0,
  toast: null,
};
const listeners = new Set();

export function update(changes) {
  Object.assign(state, changes);
  if (changes.token !== undefined) sessionStorage.setItem("token", changes.token ?? "");
  if (changes.scope !== undefined) sessionStorage.setItem("scope", JSON.stringify(changes.scope));
  listeners.forEach((listener) => listener());
}

// Render a component again whenever the shared state changes.
export function useShared() {
  const [, render] = useState(0);
  useEffect(() => {
    const listener = () => render((count) => count + 1);
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, []);
  return state;
}

export function toast(text, undo, time = undo ? 30000 : 5000) {
  update({ toast: { text, undo } });
  const shown = state.toast;
  setTimeout(() => state.toast === shown && update({ toast: null }), time);
}

// Whether a record was known at the moment of the console.
export const isKnown = ({ created_at }, at = created_at) => !state.moment.known_at || at <= state.moment.known_at;

// The cursor of a list that goes from the newest id to the oldest: ids begin with their time.
export function knownCursor() {
  if (!state.moment.known_at) return "";
  const time = (+new Date(state.moment.known_at)).toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

export const isPast = () => Boolean(state.moment.as_of || state.moment.known_at);

// The link that `erstwhile serve` prints has the token in its fragment, which no server sees.
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    history.replaceState(null, "", location.pathname + "#/");
    sessionStorage.setItem("token", given);
  }
  return given || sessionStorage.getItem("token") || "";
}

function readJson(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name));
  } catch {
    return null;
  }
}
