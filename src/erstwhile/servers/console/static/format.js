// How times, numbers, scopes and states are written, everywhere in the console.
const LOCALE = "en-GB";

export const day = (time) =>
  time ? new Date(time).toLocaleDateString(LOCALE, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }) : "";
export const minute = (time) =>
  time ? `${day(time)}, ${new Date(time).toLocaleTimeString(LOCALE, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" })}` : "";
export const isoDay = (time) => (time ? new Date(time).toISOString().slice(0, 10) : "");
export const number = (value) => Number(value ?? 0).toLocaleString(LOCALE);
export const money = (value) => `$${Number(value ?? 0).toLocaleString(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 4 })}`;
export const percent = (value) => `${Math.round(value * 100)} %`;
export const plural = (count, noun, many = `${noun}s`) => `${number(count)} ${count === 1 ? noun : many}`;
export const words = (name) => String(name).replaceAll(/[._]/g, " ");
export const cut = (text, length) =>
  length < 3 ? "" : text.length > length ? `${text.slice(0, Math.max(1, Math.floor(length) - 1)).trimEnd()}…` : text;

export function bytes(count) {
  const units = [[2 ** 30, "GB"], [2 ** 20, "MB"], [2 ** 10, "KB"]];
  const [size, unit] = units.find(([least]) => count >= least) ?? [1, "bytes"];
  return `${(count / size).toLocaleString(LOCALE, { maximumFractionDigits: size > 2 ** 10 ? 1 : 0 })} ${unit}`;
}

export function ago(time) {
  const seconds = (Date.now() - new Date(time)) / 1000;
  const units = [[86400 * 365, "year"], [86400 * 30, "month"], [86400, "day"], [3600, "hour"], [60, "minute"]];
  const found = units.find(([length]) => seconds >= length);
  return found ? `${plural(Math.floor(seconds / found[0]), found[1])} ago` : "just now";
}

// A label for a date on an axis that covers a span of milliseconds.
export function tickLabel(at, span) {
  const days = span / 86_400_000;
  const options = days > 1000 ? { year: "numeric" } : days > 200 ? { month: "short", year: "2-digit" } : { day: "numeric", month: "short" };
  return new Date(at).toLocaleDateString(LOCALE, { ...options, timeZone: "UTC" });
}

export const DIMENSIONS = ["user", "agent", "project", "session"];
export const named = (scope) => DIMENSIONS.filter((name) => scope?.[name]);
export const scopeText = (scope) => named(scope).map((name) => `${name} ${scope[name]}`).join(", ") || "shared";

// How a fact stands: its state, or its ending if it has ended.
export const standing = (fact) => (fact.state === "retired" ? fact.ending || "retired" : fact.state);

const ORIGINS = {
  person: "stated by a person", learned: "learned from a conversation", agent: "written by an agent",
  tool: "from a tool", web: "from a web page", document: "from a document", import: "imported",
};
export const originText = (origin) => ORIGINS[origin] ?? origin;

// The text that stands for any record.
export const recordText = (record) =>
  record.text ?? record.content ?? record.title ?? record.rule ?? record.description ?? record.name ?? record.summary ?? "";
