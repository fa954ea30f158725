// Components that several views use. All text of the memory goes through htm, which escapes it.
import { h } from "./vendor/preact.mjs";
import { useEffect, useRef, useState } from "./vendor/hooks.mjs";
import htm from "./vendor/htm.mjs";
import { toast } from "./state.js";

export const html = htm.bind(h);

export const day = (time) => (time ? new Date(time).toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" }) : "");
export const minute = (time) => (time ? `${day(time)}, ${new Date(time).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}` : "");
export const number = (value) => Number(value ?? 0).toLocaleString("en-GB");
export const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
export const isoDay = (time) => (time ? new Date(time).toISOString().slice(0, 10) : "");

export function ago(time) {
  const seconds = (Date.now() - new Date(time)) / 1000;
  const units = [[86400 * 365, "year"], [86400 * 30, "month"], [86400, "day"], [3600, "hour"], [60, "minute"]];
  const found = units.find(([length]) => seconds >= length);
  return found ? `${plural(Math.floor(seconds / found[0]), found[1])} ago` : "just now";
}

export const Time = ({ at }) => at && html`<time datetime=${at} title=${minute(at)}>${day(at)}</time>`;

export function scopeText(scope) {
  const set = ["user", "agent", "project", "session"].filter((name) => scope?.[name]);
  return set.map((name) => `${name} ${scope[name]}`).join(", ") || "shared";
}
export const Scope = ({ of }) => html`<span class="badge">${scopeText(of)}</span>`;

// How a fact stands: its state, or its ending if it has ended.
export const standing = (fact) => (fact.state === "retired" ? fact.ending || "retired" : fact.state);
export const State = ({ of }) => html`<span class="badge state ${standing(of)}">${standing(of)}</span>`;

export const FactText = ({ fact }) =>
  fact.key && !fact.value && fact.text.length < 60 ? html`<span class="quiet">${fact.key}:</span> ${fact.text}` : fact.text;

export const Loading = () => html`<div class="loading" role="status" aria-label="Loading"></div>`;

export const Empty = ({ title, children }) => html`<div class="empty"><b>${title}</b>${children}</div>`;

export const Problem = ({ error }) =>
  html`<div class="notice" role="alert">${error.message}${error.remedy && `: ${error.remedy}`}</div>`;

// The three states of loaded data: waiting, failed, there.
export function Loaded({ query, children }) {
  if (query.data === null) return query.error ? html`<${Problem} error=${query.error} />` : html`<${Loading} />`;
  return html`${query.error && html`<${Problem} error=${query.error} />`}${children(query.data)}`;
}

export const Page = ({ title, lead, actions, children }) => html`
  <div class="page">
    <header><div><h1 tabindex="-1" id="title">${title}</h1>${lead && html`<p>${lead}</p>`}</div>${actions && html`<div class="row">${actions}</div>`}</header>
    ${children}
  </div>`;

export const Panel = ({ title, children, flush, actions }) => html`
  <section class="panel ${flush ? "flush" : ""}">
    ${title && html`<h2 class="row spread"><span>${title}</span>${actions}</h2>`}${children}
  </section>`;

// columns: [{ title, cell(row), class }]. Rows open by click, Enter, and j/k.
export function Table({ columns, rows, open, label, selected }) {
  return html`<div class="scroll"><table class="table cards" aria-label=${label}>
    <thead><tr>${columns.map((column) => html`<th scope="col" class=${column.class}>${column.title}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<${Row} key=${row.id ?? row.number} row=${row} columns=${columns} open=${open} selected=${selected?.(row)} />`)}</tbody>
  </table></div>`;
}

function Row({ row, columns, open, selected }) {
  const onKeyDown = (event) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === "Enter" && open) open(row);
    const next = { j: "nextElementSibling", k: "previousElementSibling", ArrowDown: "nextElementSibling", ArrowUp: "previousElementSibling" }[event.key];
    if (next && event.currentTarget[next]) { event.preventDefault(); event.currentTarget[next].focus(); }
  };
  return html`<tr class=${open ? "opens" : ""} tabindex=${open ? 0 : undefined} aria-selected=${selected ? "true" : undefined}
    onClick=${open && ((event) => !event.target.closest("a,button,input") && open(row))} onKeyDown=${onKeyDown}>
    ${columns.map((column) => html`<td class=${column.class}>${column.cell(row)}</td>`)}
  </tr>`;
}

export const Bar = ({ value, title }) => html`<div class="bar" title=${title}><i style=${{ width: `${Math.max(0, Math.min(1, value)) * 100}%` }}></i></div>`;

export const Definition = ({ entries }) => html`<dl class="definition">
  ${entries.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
</dl>`;

// A search field that waits until the person has stopped typing.
export function Search({ value, onSearch, label, placeholder }) {
  const [text, setText] = useState(value ?? "");
  const timer = useRef();
  useEffect(() => setText(value ?? ""), [value]);
  const onInput = (event) => {
    setText(event.target.value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSearch(event.target.value), 250);
  };
  return html`<input class="input search" type="search" aria-label=${label} placeholder=${placeholder ?? label} value=${text} onInput=${onInput} />`;
}

export const Choice = ({ label, value, options, onChoose }) => html`<select class="input" aria-label=${label} value=${value} onChange=${(event) => onChoose(event.target.value)}>
  ${options.map((option) => html`<option value=${option.value ?? option} selected=${(option.value ?? option) === value}>${option.text ?? option}</option>`)}
</select>`;

// A question before something is changed. `fields` are asked for; `confirm` gets their values.
export function Ask({ title, text, fields = [], action, danger, confirm, close }) {
  const dialog = useRef();
  const [error, setError] = useState(null);
  useEffect(() => { dialog.current.showModal(); }, []);
  const onSubmit = async (event) => {
    event.preventDefault();
    try {
      await confirm(Object.fromEntries(new FormData(event.target)));
      close();
    } catch (failure) {
      setError(failure);
    }
  };
  return html`<dialog ref=${dialog} onClose=${close} aria-label=${title}><form class="stack" onSubmit=${onSubmit}>
    <h2>${title}</h2>
    ${text && html`<p class="small">${text}</p>`}
    ${fields.map((field) => html`<label class="field">${field.label}${fieldInput(field)}</label>`)}
    ${error && html`<${Problem} error=${error} />`}
    <div class="row"><button class="button ${danger ? "danger" : "primary"}">${action}</button><button type="button" class="button" onClick=${close}>Cancel</button></div>
  </form></dialog>`;
}

function fieldInput({ name, value, options, type, required }) {
  if (options) return html`<select class="input" name=${name}>${options.map((each) => html`<option value=${each} selected=${each === value}>${each}</option>`)}</select>`;
  if (type === "area") return html`<textarea class="input" name=${name} required=${required}>${value}</textarea>`;
  return html`<input class="input" name=${name} type=${type ?? "text"} value=${value ?? ""} required=${required} />`;
}

// Run a change, say so, and offer to undo it.
export async function change(text, work, undo) {
  try {
    const result = await work();
    toast(text, undo && (() => change("Undone", undo)));
    return result;
  } catch (error) {
    toast(error.remedy ? `${error.message}: ${error.remedy}` : error.message);
    return null;
  }
}

// The width of an element, also after it changes.
export function useWidth() {
  const element = useRef();
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry.contentRect.width)));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
