// Components that several views use. All text of the memory goes through htm, which escapes it.
import { h } from "./vendor/preact.mjs";
import { useEffect, useRef, useState } from "./vendor/hooks.mjs";
import htm from "./vendor/htm.mjs";
import { day, minute, scopeText, standing } from "./format.js";
import { toast } from "./state.js";

export const html = htm.bind(h);

export const Time = ({ at }) => at && html`<time datetime=${at} title=${minute(at)}>${day(at)}</time>`;
export const Scope = ({ of }) => html`<span class="badge">${scopeText(of)}</span>`;
export const State = ({ of }) => html`<span class="badge state ${standing(of)}">${standing(of)}</span>`;
export const Dot = ({ of, title }) => html`<i class="dot ${of}" title=${title}></i>`;

// A value alone ("Porto") says too little: its key is written before it.
export const FactText = ({ fact }) =>
  fact.key && !fact.value && fact.text.length < 60 ? html`<span class="quiet">${fact.key}:</span> ${fact.text}` : fact.text;

export const Loading = () => html`<div class="loading" role="status" aria-label="Loading"></div>`;

export const Empty = ({ title, children }) => html`<div class="empty"><b>${title}</b>${children}</div>`;

export const Problem = ({ error }) =>
  html`<div class="notice bad" role="alert">${error.message}${error.remedy && `: ${error.remedy}`}</div>`;

// The three states of loaded data: waiting, failed, there.
export function Loaded({ query, children }) {
  if (query.data === null) return query.error ? html`<${Problem} error=${query.error} />` : html`<${Loading} />`;
  return html`${query.error && html`<${Problem} error=${query.error} />`}${children(query.data)}`;
}

export const Page = ({ title, lead, actions, children }) => html`
  <div class="page">
    <header>
      <div><h1 tabindex="-1" id="title">${title}</h1>${lead && html`<div class="lead">${lead}</div>`}</div>
      ${actions && html`<div class="row">${actions}</div>`}
    </header>
    ${children}
  </div>`;

export const Panel = ({ title, lead, children, flush, actions }) => html`
  <section class="panel ${flush ? "flush" : ""}">
    ${title && html`<div class="panel-head"><h2>${title}</h2>${actions && html`<div class="row">${actions}</div>`}</div>`}
    ${lead && html`<p class="quiet panel-lead">${lead}</p>`}
    ${children}
  </section>`;

// columns: [{ title, cell(row), class }]. Rows open by click, Enter, and j/k.
export function Table({ columns, rows, open, label }) {
  return html`<div class="scroll"><table class="table" aria-label=${label}>
    <thead><tr>${columns.map((column) => html`<th scope="col" class=${column.class}>${column.title}</th>`)}</tr></thead>
    <tbody>${rows.map((row) => html`<${Row} key=${row.id ?? row.number} row=${row} columns=${columns} open=${open} />`)}</tbody>
  </table></div>`;
}

const STEPS = { j: "nextElementSibling", ArrowDown: "nextElementSibling", k: "previousElementSibling", ArrowUp: "previousElementSibling" };

function Row({ row, columns, open }) {
  const onKeyDown = (event) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === "Enter" && open) open(row);
    const next = event.currentTarget[STEPS[event.key]];
    if (next) { event.preventDefault(); next.focus(); }
  };
  const onClick = open && ((event) => !event.target.closest("a,button,input") && open(row));
  return html`<tr class=${open ? "opens" : ""} tabindex=${open ? 0 : undefined} onClick=${onClick} onKeyDown=${onKeyDown}>
    ${columns.map((column) => html`<td class=${column.class} data-title=${column.title}>${column.cell(row)}</td>`)}
  </tr>`;
}

// rows: [[name, value, text, href]]; the bars show the shares of the largest value.
export function Bars({ rows }) {
  const most = Math.max(...rows.map(([, value]) => value), 1e-9);
  return html`<div class="bars">${rows.map(([name, value, text, href]) => html`
    ${href ? html`<a href=${href}>${name}</a>` : html`<span>${name}</span>`}<${Bar} value=${value / most} /><span class="number">${text ?? value}</span>`)}</div>`;
}

export const Bar = ({ value, title, of = "" }) => html`<div class="bar ${of}" title=${title}>
  <i style=${{ width: `${Math.max(0, Math.min(1, value)) * 100}%` }}></i>
</div>`;

export const Definition = ({ entries }) => html`<dl class="definition">
  ${entries.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}
</dl>`;

// A search field that waits until the person has stopped typing.
export function Search({ value, onSearch, label, placeholder, list }) {
  const [text, setText] = useState(value ?? "");
  const timer = useRef();
  useEffect(() => setText(value ?? ""), [value]);
  const onInput = (event) => {
    setText(event.target.value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => onSearch(event.target.value), 250);
  };
  return html`<input class="input search" type="search" aria-label=${label} placeholder=${placeholder ?? label} value=${text} onInput=${onInput} list=${list} />`;
}

export const Choice = ({ label, value, options, onChoose }) => html`
  <select class="input" aria-label=${label} value=${value} onChange=${(event) => onChoose(event.target.value)}>
    ${options.map((option) => html`<option value=${option.value ?? option} selected=${(option.value ?? option) === value}>${option.text ?? option}</option>`)}
  </select>`;

// Several buttons of which one is chosen: [[value, text]].
export const Switch = ({ label, value, options, onChoose }) => html`<div class="switch" role="group" aria-label=${label}>
  ${options.map(([each, text]) => html`<button type="button" aria-pressed=${each === value} onClick=${() => onChoose(each)}>${text}</button>`)}
</div>`;

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
    ${fields.map((field) => html`<label class="field">${field.label}<${Field} ...${field} /></label>`)}
    ${error && html`<${Problem} error=${error} />`}
    <div class="row end">
      <button type="button" class="button" onClick=${close}>Cancel</button>
      <button class="button primary ${danger ? "danger" : ""}">${action}</button>
    </div>
  </form></dialog>`;
}

function Field({ name, value, options, type, required, placeholder }) {
  if (options) return html`<select class="input" name=${name}>${options.map((each) => html`<option value=${each.value ?? each} selected=${(each.value ?? each) === value}>${each.text ?? each}</option>`)}</select>`;
  if (type === "area") return html`<textarea class="input" name=${name} required=${required}>${value}</textarea>`;
  return html`<input class="input" name=${name} type=${type ?? "text"} value=${value ?? ""} required=${required} placeholder=${placeholder} />`;
}

// A dialog at a time: `ask({ title, … })` opens it, and `dialog` is to be rendered.
export function useAsk() {
  const [asked, ask] = useState(null);
  return { ask, dialog: asked && html`<${Ask} ...${asked} close=${() => ask(null)} />` };
}

// Run a change, say so, and offer to undo it. An error becomes a message.
export async function change(text, work, undo) {
  try {
    const result = await work();
    toast(text, undo && (() => change("Undone", () => undo(result))));
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
