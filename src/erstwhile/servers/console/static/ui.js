// Components that several views use. All text of the memory goes through htm, which escapes it.
// Characters that hide text or turn its direction are counted instead of shown.
import { h } from "./vendor/preact.mjs";
import { useEffect, useRef, useState } from "./vendor/hooks.mjs";
import htm from "./vendor/htm.mjs";
import { actionText, cut, day, isoDay, minute, money, number, plural, recordLink, scopeText, standing } from "./format.js";
import { toast } from "./state.js";

// Those that shape emoji and the letters of some scripts are hidden only in a row of three.
const HIDDEN = /(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]*)[\u2060-\u206f\ufeff\u202a-\u202e\u{e0000}-\u{e00ff}]+|[\u00ad\u034f\u115f\u1160\u180b-\u180e\u200b-\u200d\u3164\ufe00-\ufe0f\uffa0\u{e0100}-\u{e01ef}]{3,}/gu;
const count = (found) => `⟨${plural([...found].length, "hidden character")}⟩`;
const shown = (node) => (typeof node === "string" ? node.replace(HIDDEN, count) : Array.isArray(node) ? node.map(shown) : node);
const build = htm.bind((type, props, ...children) => h(type, props, ...children.map(shown)));

export const html = (...template) => shown(build(...template));

export const Time = ({ at }) => at && html`<time datetime=${at} title=${minute(at)}>${day(at)}</time>`;
export const Scope = ({ of }) => html`<span class="badge" title=${scopeText(of)}>${scopeText(of)}</span>`;
export const State = ({ of }) => html`<span class="badge state ${standing(of)}">${standing(of)}</span>`;
export const Dot = ({ of, title }) => html`<i class="dot ${of}" title=${title}></i>`;

// The most characters of a text in a list.
export const LONG = 300;

// A value alone ("Porto") says too little: its key is written before it.
export const FactText = ({ fact, most = LONG }) =>
  fact.key && !fact.value && fact.text.length < 60 ? html`<bdi class="quiet">${fact.key}:</bdi> <bdi>${fact.text}</bdi>` : html`<bdi>${cut(fact.text, most)}</bdi>`;

export const FactLink = ({ fact, most }) => html`<a class="plain-link" href="#/facts/${fact.id}"><${FactText} fact=${fact} most=${most} /></a>`;

// What was done to a record, as an entry of the audit trail says it, with a link to the record.
export function Action({ of, children = actionText(of.action) }) {
  const link = recordLink(of);
  return link ? html`<a href=${link}>${children}</a>` : children;
}

export function Spending({ of: { spent, limit, reached } }) {
  const amount = spent.cost ? money(spent.cost) : number(spent.input + spent.output);
  return html`${amount} of ${limit.replace(/\d{4,}/, (digits) => number(digits))}${reached ? html` <span class="badge state wrong">reached</span>` : ""}`;
}

export const Loading = () => html`<div class="loading" role="status" aria-label="Loading"></div>`;

export const Empty = ({ title, children }) => html`<div class="empty"><b>${title}</b>${children}</div>`;

export const Problem = ({ error }) =>
  html`<div class="notice bad" role="alert">${error.message}${error.remedy && `: ${error.remedy}`}</div>`;

// The three states of loaded data: waiting, failed, there. Where the data is the whole page, `title` is
// its heading until then.
export function Loaded({ query, title, children }) {
  if (query.data === null) {
    const state = query.error ? html`<${Problem} error=${query.error} />` : html`<${Loading} />`;
    return title ? html`<${Page} title=${title}>${state}<//>` : state;
  }
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

// What a list leaves out.
export const More = ({ count, noun = "other" }) => count > 0 && html`<p class="quiet">and ${plural(count, noun)}</p>`;

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
export function Search({ value, onSearch, label, placeholder }) {
  const [text, setText] = useState(value ?? "");
  const timer = useRef();
  const sent = useRef(value ?? "");
  useEffect(() => {
    if (sent.current === (value ?? "")) return; // its own search comes back while one types on
    sent.current = value ?? "";
    setText(sent.current);
  }, [value]);
  const onInput = ({ target }) => {
    setText(target.value);
    clearTimeout(timer.current);
    const address = location.hash; // who has gone elsewhere meanwhile is not taken back
    timer.current = setTimeout(() => {
      if (location.hash !== address) return;
      sent.current = target.value;
      onSearch(target.value);
    }, 250);
  };
  return html`<input class="input search" type="search" aria-label=${label} placeholder=${placeholder ?? label} value=${text} onInput=${onInput} />`;
}

export const Choice = ({ label, value, options, onChoose }) => html`
  <select class="input" aria-label=${label} value=${value} onChange=${(event) => onChoose(event.target.value)}>
    ${options.map((option) => html`<option value=${option.value ?? option} selected=${(option.value ?? option) === value}>${option.text ?? option}</option>`)}
  </select>`;

// A date, written as everywhere in the console. The field of the browser, which may write it in
// another way, shows while a person edits it.
export const Day = ({ label, at, max, onChange }) => html`<label class="row quiet day">${label}<span>
  <input class="input" type="date" value=${isoDay(at)} max=${max} onChange=${onChange} /><span aria-hidden="true">${day(at) || "any day"}</span></span></label>`;

// Several buttons of which one is chosen: [[value, text]].
export const Switch = ({ label, value, options, onChoose }) => html`<div class="switch" role="group" aria-label=${label}>
  ${options.map(([each, text]) => html`<button type="button" aria-pressed=${each === value} onClick=${() => onChoose(each)}>${text}</button>`)}
</div>`;

export function Dialog({ title, close, children }) {
  const dialog = useRef();
  useEffect(() => { dialog.current.showModal(); }, []);
  return html`<dialog ref=${dialog} onClose=${close} aria-label=${title}><div class="stack"><h2>${title}</h2>${children}</div></dialog>`;
}

// A dialog that is closed, not only removed, gives the focus back.
export const leave = (event) => event.target.closest("dialog")?.close();

// A question before something is changed. `fields` are asked for; `confirm` gets their values.
function Ask({ title, text, fields = [], action, danger, confirm, close }) {
  const [error, setError] = useState(null);
  const busy = useRef(false);
  const onSubmit = async (event) => {
    event.preventDefault();
    if (busy.current) return;
    busy.current = true;
    try {
      await confirm(Object.fromEntries(new FormData(event.target)));
      leave(event);
    } catch (failure) {
      setError(failure);
    }
    busy.current = false;
  };
  return html`<${Dialog} title=${title} close=${close}><form class="stack" onSubmit=${onSubmit}>
    ${text && html`<p class="small">${text}</p>`}
    ${fields.map((field) => html`<label class="field">${field.label}<${Field} ...${field} /></label>`)}
    ${error && html`<${Problem} error=${error} />`}
    <div class="row end">
      <button type="button" class="button" onClick=${leave}>Cancel</button>
      <button class="button primary ${danger ? "danger" : ""}">${action}</button>
    </div>
  </form><//>`;
}

function Field({ name, value, options, type, required, placeholder }) {
  if (options) return html`<select class="input" name=${name}>
    ${options.map((each) => html`<option value=${each.value ?? each} selected=${(each.value ?? each) === value}>${each.text ?? each}</option>`)}</select>`;
  if (type === "area") return html`<textarea class="input" name=${name} required=${required} defaultValue=${value ?? ""}></textarea>`;
  return html`<input class="input" name=${name} type=${type ?? "text"} defaultValue=${value ?? ""} required=${required} placeholder=${placeholder} />`;
}

// A dialog at a time: `ask({ title, … })` opens it, and `dialog` is to be rendered.
export function useAsk() {
  const [asked, ask] = useState(null);
  return { ask, dialog: asked && html`<${Ask} ...${asked} close=${() => ask(null)} />` };
}

// Run a change, say so, and offer to undo it. A dialog shows an error itself.
export async function perform(text, work, undo) {
  const result = await work();
  toast(text, undo && (() => change("Undone", () => undo(result))));
  return result;
}

// The same outside of a dialog, where an error becomes a message.
export const change = (...given) => perform(...given).catch((error) => {
  toast(error.remedy ? `${error.message}: ${error.remedy}` : error.message);
  return null;
});

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
