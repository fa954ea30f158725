// The queue of what is doubtful: quarantined facts and conflicts. y and n decide, j and k move.
import { useEffect, useState } from "../vendor/hooks.mjs";
import { get, id, items, post, useQuery } from "../api.js";
import { useShared } from "../state.js";
import { Empty, FactText, Loaded, Page, Panel, Scope, Time, change, html, plural } from "../ui.js";

export default function Review() {
  const queue = useQuery(async () => {
    const [held, conflicts] = await Promise.all(["/quarantine", "/conflicts"].map((path) => get(path, { limit: 100 })));
    return [...items(conflicts).map((each) => ({ type: "conflict", ...each })), ...items(held).map((each) => ({ type: "held", ...each }))];
  });
  return html`<${Page} title="Review" lead="Doubtful memories wait here for a person. Everything else is stored without asking.">
    <${Loaded} query=${queue}>${(waiting) => waiting.length ? html`<${Queue} waiting=${waiting} />` : html`<${Panel}><${Empty} title="Nothing waits for you">Texts from tools, web pages and documents, and statements that contradict each other, appear here.<//><//>`}<//>
  <//>`;
}

function Queue({ waiting }) {
  const { about } = useShared();
  const [at, setAt] = useState(0);
  const [marked, setMarked] = useState(new Set());
  const current = Math.min(at, waiting.length - 1);
  const chosen = marked.size ? waiting.filter((each) => marked.has(each.id)) : [waiting[current]];
  const decide = (yes) => { for (const each of chosen) if (each.type === "held") void settleHeld(each, yes); setMarked(new Set()); };
  useEffect(() => {
    const pressed = (event) => {
      if (event.target.closest("input,textarea,select,dialog") || event.ctrlKey || event.metaKey) return;
      const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
      if (step) { event.preventDefault(); setAt(Math.max(0, Math.min(waiting.length - 1, current + step))); }
      if (event.key === "x") toggle(waiting[current].id);
      if (event.key === "y" || event.key === "n") decide(event.key === "y");
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
  const toggle = (which) => { const next = new Set(marked); if (!next.delete(which)) next.add(which); setMarked(next); };
  useEffect(() => { document.getElementById(`waiting-${waiting[current]?.id}`)?.scrollIntoView({ block: "nearest" }); }, [current]);
  return html`
    ${!about.person && html`<div class="notice soft">This token acts as an agent. A person decides here: make a token with <code>erstwhile tokens make NAME --person</code></div>`}
    <div class="row spread"><span class="quiet"><kbd>j</kbd> <kbd>k</kbd> move · <kbd>x</kbd> mark · <kbd>y</kbd> keep · <kbd>n</kbd> reject</span>
      ${marked.size > 0 && html`<span class="row"><span class="small">${plural(marked.size, "item")} marked</span><button class="button primary" onClick=${() => decide(true)}>Keep all</button><button class="button danger" onClick=${() => decide(false)}>Reject all</button></span>`}</div>
    <div class="stack">${waiting.map((each, index) => html`<${Item} key=${each.id} item=${each} current=${index === current} marked=${marked.has(each.id)} toggle=${() => toggle(each.id)} choose=${() => setAt(index)} />`)}</div>`;
}

function settleHeld({ fact }, yes) {
  const path = `/quarantine/${id(fact.id)}`;
  const options = { scope: fact.scope };
  if (yes) return change("Kept: the fact is live", () => post(`${path}/approve`, {}, options), () => post(`/facts/${id(fact.id)}/retire`, { ending: "wrong" }, options));
  return change("Rejected", () => post(`${path}/reject`, {}, options), () => post(`/facts/${id(fact.id)}/undo`, {}, options));
}

function Item({ item, current, marked, toggle, choose }) {
  return html`<article class="panel" id=${`waiting-${item.id}`} onClick=${choose} aria-current=${current ? "true" : undefined} style=${current ? { borderColor: "var(--accent)", boxShadow: "var(--shadow)" } : {}}>
    ${item.type === "held" ? html`<${HeldItem} held=${item} marked=${marked} toggle=${toggle} />` : html`<${Conflict} conflict=${item} />`}
  </article>`;
}

function HeldItem({ held, marked, toggle }) {
  const { fact } = held;
  return html`<div class="stack">
    <div class="row spread"><span class="row"><input type="checkbox" checked=${marked} onChange=${toggle} aria-label="Mark" /><span class="badge state quarantined">held</span><span class="quiet">${held.reason}</span></span><${Scope} of=${fact.scope} /></div>
    <p class="quote">${fact.text}</p>
    ${held.replaces.length > 0 && html`<p class="small">It would replace ${plural(held.replaces.length, "fact")}.</p>`}
    <div class="row"><button class="button primary" onClick=${() => settleHeld(held, true)}>Keep</button><button class="button danger" onClick=${() => settleHeld(held, false)}>Reject</button><a class="small" href="#/facts/${fact.id}">Open</a><span class="quiet"><${Time} at=${fact.recorded_at} /></span></div>
  </div>`;
}

function Conflict({ conflict }) {
  const facts = [conflict.newer, conflict.older].filter(Boolean);
  const options = { scope: conflict.scope };
  const settle = (text, body, undo) => change(text, () => post(`/conflicts/${id(conflict.id)}/settle`, body, options), undo);
  const keep = (fact) => settle("Settled", { keep: fact.id }, () => post(`/facts/${id(facts.find((each) => each !== fact).id)}/undo`, {}, options));
  return html`<div class="stack">
    <div class="row spread"><span class="row"><span class="badge state expired">conflict</span><span class="quiet">Both are live. Which one holds?</span></span><${Scope} of=${conflict.scope} /></div>
    ${facts.map((fact) => html`<div class="row spread"><span class="quote"><${FactText} fact=${fact} /> <span class="quiet">since <${Time} at=${fact.valid_from} /></span></span><button class="button" onClick=${() => keep(fact)}>Keep this one</button></div>`)}
    <div class="row"><button class="button" onClick=${() => settle("Both stay", {})}>Keep both</button></div>
  </div>`;
}
