// How times, numbers, scopes and states are written, everywhere in the console.
const LOCALE = "en-GB";
export const DAY = 86_400_000;

const isTime = (time) => time && !Number.isNaN(+new Date(time));

export const day = (time) =>
  isTime(time) ? new Date(time).toLocaleDateString(LOCALE, { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }) : "";
export const minute = (time) =>
  time ? `${day(time)}, ${new Date(time).toLocaleTimeString(LOCALE, { hour: "2-digit", minute: "2-digit", timeZone: "UTC" })}` : "";
export const isoDay = (time) => (isTime(time) ? new Date(time).toISOString().slice(0, 10) : "");
export const number = (value) => Number(value ?? 0).toLocaleString(LOCALE);
export function money(value) {
  const digits = Number(value ?? 0) && value < 0.1 ? 4 : 2;
  return `$${Number(value ?? 0).toLocaleString(LOCALE, { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}
// A number that has room beside others: from a million on, "1.2M".
export const short = (value) => (value < 1e6 ? number(value) : Number(value).toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 }));
// Rounded down: what is under 50 % is never written as 50 %.
export const percent = (value) => `${Math.floor(value * 100 + 1e-9)} %`;
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

// Round dates between two times: days, months or years, as they fit.
export function ticks(from, to, most) {
  const steps = [1, 2, 7, 14, 30, 61, 91, 182, 365, 730, 1826, 3652].map((days) => days * DAY);
  const step = steps.find((each) => (to - from) / each <= most) ?? steps.at(-1);
  const months = Math.round(step / (30.4 * DAY));
  const first = new Date(from);
  const found = [];
  if (months < 1) for (let at = Math.ceil(from / DAY) * DAY; at <= to; at += step) found.push(at);
  else for (let month = first.getUTCMonth() + 1; ; month += months) {
    const at = Date.UTC(first.getUTCFullYear(), month, 1);
    if (at > to) return found;
    found.push(at);
  }
  return found;
}

export const DIMENSIONS = ["user", "agent", "project", "session"];
export const named = (scope) => DIMENSIONS.filter((name) => scope?.[name]);
// A name with a comma is quoted, so that it cannot pass for two.
const quoted = (name) => (/[,"]/.test(name) ? JSON.stringify(name) : name);
export const scopeText = (scope) => named(scope).map((name) => `${name} ${quoted(scope[name])}`).join(", ") || "shared";

export const KINDS = ["profile", "preference", "project", "environment", "fact", "state", "decision", "relation", "event", "instruction"];

// The fields that have a value, and the address of a view with them.
export const filled = (fields) => Object.fromEntries(Object.entries(fields).filter(([, value]) => value));
export const linkTo = (view, query) => `#/${view}?${new URLSearchParams(filled(query))}`;

// How a fact stands: its state, or its ending if it has ended.
export const standing = (fact) => (fact.state === "retired" ? fact.ending || "retired" : fact.state);

// "message.add" as "message added", "remember" as "remembered".
const PAST = {
  undo: "undone", set: "set", pin: "pinned", unpin: "unpinned", cancel: "cancelled", copy: "copied", defer: "deferred", plan: "planned", drop: "dropped",
  forget: "forgotten", begin: "begun", hold: "held", heartbeat: "heartbeat", useful: "useful", irrelevant: "irrelevant",
};
const NOUNS = { attempt: "learning attempt" };
const past = (verb) => PAST[verb] ?? (verb.endsWith("ed") ? verb : verb.endsWith("e") ? `${verb}d` : `${verb}ed`);

export function actionText(name) {
  const [noun, verb] = name.includes(".") ? name.split(".") : ["", name];
  return words(noun ? `${NOUNS[noun] ?? noun} ${past(verb)}` : past(verb));
}

// The page of the record that an audit entry is about, if there is one.
const PAGES = {
  block: "blocks/", conversation: "conversations/", task: "tasks", decision: "decisions", snapshot: "snapshots", usage: "usage",
  lesson: "lessons", outcome: "lessons", observation: "lessons", limitation: "lessons",
};
const GONE = ["erase", "delete", "purge"];

export function recordLink({ action, subject }) {
  const [noun, verb] = action.includes(".") ? action.split(".") : ["", action];
  if (!subject || GONE.includes(verb)) return null;
  const page = noun ? PAGES[noun] : "facts/";
  return page && `#/${page.endsWith("/") ? page + encodeURIComponent(subject) : page}`;
}

const ORIGINS = {
  person: "stated by a person", learned: "learned from a conversation", agent: "written by an agent",
  tool: "from a tool", web: "from a web page", document: "from a document", import: "imported",
};
export const originText = (origin) => ORIGINS[origin] ?? origin;

// The text that stands for any record.
export const recordText = (record) =>
  record.text ?? record.content ?? record.title ?? record.rule ?? record.description ?? record.name ?? record.summary ?? "";
