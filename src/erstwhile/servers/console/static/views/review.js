// The queue of what is doubtful: quarantined facts, proposals and conflicts. y and n decide, j and k
// move. A decision is sent after a few seconds, so that undoing it leaves no trace.
import { useEffect, useRef, useState } from "../vendor/hooks.mjs";
import { get, id, items, post, useQuery } from "../api.js";
import { minute, originText, plural } from "../format.js";
import { toast, useShared } from "../state.js";
import { Empty, FactText, Loaded, Page, Panel, Scope, Time, html } from "../ui.js";

const PAUSE = 6000;

export default function Review() {
  const queue = useQuery(waiting);
  return html`<${Page} title="Review" lead="Doubtful memories wait here for a person. Everything else is stored without asking.">
    <${Loaded} query=${queue}>${(all) => html`<${Queue} all=${all} reload=${queue.reload} />`}<//>
  <//>`;
}

async function waiting() {
  const [held, conflicts] = await Promise.all(["/quarantine", "/conflicts"].map(async (path) => items(await get(path, { limit: 100 }))));
  const quotes = await quoted(held);
  const replaced = await Promise.all(held.map((each) => Promise.all(each.replaces.map((one) => get(`/facts/${id(one)}`, {}, { scope: each.fact.scope }).catch(() => null)))));
  return [...conflicts.map((each) => ({ type: "conflict", ...each })), ...held.map((each, index) => ({ type: "held", ...each, quote: quotes.get(each.id), replaced: replaced[index].filter(Boolean) }))];
}

// The words that each held fact rests on: as the learner quoted them, or its messages.
async function quoted(held) {
  const sourced = held.filter((each) => each.fact.source);
  const attempts = await Promise.all([...new Set(sourced.map((each) => each.fact.source.conversation).filter(Boolean))].map((conversation) => get("/learning/attempts", { conversation, limit: 100 }).catch(() => [])));
  const found = new Map(attempts.flatMap(items).flatMap((attempt) => attempt.changes).map((change) => [change.fact, change.quote]));
  await Promise.all(sourced.filter((each) => !found.get(each.id) && each.fact.source.messages[0]).map(async ({ id: fact, fact: { source } }) => {
    const message = await get(`/messages/${id(source.messages[0])}`).catch(() => null);
    if (message) found.set(fact, message.content);
  }));
  return found;
}

// Decisions that are not sent yet: { ids, send }. Leaving the page sends them.
function useDecisions(reload) {
  const [gone, setGone] = useState(new Set());
  const open = useRef(new Set());
  const flush = (each) => {
    if (!open.current.delete(each)) return;
    clearTimeout(each.timer);
    void each.send().catch((error) => toast(error.message)).then(() => { setGone((old) => without(old, each.ids)); reload(); });
  };
  useEffect(() => {
    const all = () => open.current.forEach(flush);
    addEventListener("pagehide", all);
    return () => { removeEventListener("pagehide", all); all(); };
  }, []);
  const decide = (text, ids, send) => {
    const each = { ids, send };
    each.timer = setTimeout(() => flush(each), PAUSE);
    open.current.add(each);
    setGone((old) => new Set([...old, ...ids]));
    toast(text, () => {
      if (!open.current.delete(each)) return toast("Too late: it was sent. Its history has an undo.");
      clearTimeout(each.timer);
      setGone((old) => without(old, ids));
      toast("Undone");
    }, PAUSE);
  };
  return { gone, decide };
}

const without = (set, ids) => new Set([...set].filter((each) => !ids.includes(each)));

function Queue({ all, reload }) {
  const { about } = useShared();
  const { gone, decide } = useDecisions(reload);
  const [at, setAt] = useState(0);
  const [marked, setMarked] = useState(new Set());
  const left = all.filter((each) => !gone.has(each.id));
  const current = Math.min(at, left.length - 1);
  const settle = (chosen, yes) => {
    const named = chosen.length > 1 ? plural(chosen.length, "item") : "One item";
    decide(`${named} ${yes === null ? "settled: both stay" : yes ? "kept" : "rejected"}`, chosen.map((each) => each.id), async () => { for (const each of chosen) await sent(each, yes); });
    setMarked(new Set());
  };
  const toggle = (which) => setMarked(marked.has(which) ? without(marked, [which]) : new Set([...marked, which]));
  const chosen = () => (marked.size ? left.filter((each) => marked.has(each.id)) : [left[current]]);
  useKeys({
    j: () => setAt(Math.min(left.length - 1, current + 1)),
    k: () => setAt(Math.max(0, current - 1)),
    x: () => toggle(left[current].id),
    y: () => settle(chosen(), true),
    n: () => settle(chosen(), false),
    b: () => left[current].type === "conflict" && settle([left[current]], null),
  }, left.length > 0 && about.person);
  useEffect(() => { document.getElementById(`waiting-${left[current]?.id}`)?.scrollIntoView({ block: "nearest" }); }, [current]);
  if (!left.length) return html`<${Panel}><${Empty} title="Nothing waits for you"><span>Texts from tools, web pages and documents appear here before an agent sees them,</span><span>and statements that contradict each other.</span><//><//>`;
  const everything = () => setMarked(marked.size === left.length ? new Set() : new Set(left.map((each) => each.id)));
  return html`
    ${!about.person && html`<div class="notice soft">This token acts as an agent. A person decides here: make a token with <code>erstwhile tokens make NAME --person</code></div>`}
    <div class="row spread toolbar">
      <label class="row small"><input type="checkbox" checked=${marked.size === left.length} onChange=${everything} /> ${marked.size ? `${plural(marked.size, "item")} marked` : plural(left.length, "item")}</label>
      ${marked.size > 0
        ? html`<span class="row"><button class="button primary" disabled=${!about.person} onClick=${() => settle(chosen(), true)}>Keep all</button><button class="button danger" disabled=${!about.person} onClick=${() => settle(chosen(), false)}>Reject all</button></span>`
        : html`<span class="quiet"><kbd>j</kbd> <kbd>k</kbd> move · <kbd>x</kbd> mark · <kbd>y</kbd> keep · <kbd>n</kbd> reject</span>`}
    </div>
    <div class="stack tight">${left.map((each, index) => html`<article class="panel ${index === current ? "current" : ""}" key=${each.id} id=${`waiting-${each.id}`} onClick=${() => setAt(index)} aria-current=${index === current ? "true" : undefined}>
      <input type="checkbox" checked=${marked.has(each.id)} onChange=${() => toggle(each.id)} aria-label="Mark" />
      ${each.type === "held" ? html`<${HeldItem} held=${each} settle=${(yes) => settle([each], yes)} person=${about.person} />` : html`<${Conflict} conflict=${each} settle=${(yes) => settle([each], yes)} person=${about.person} />`}
    </article>`)}</div>`;
}

function useKeys(actions, active) {
  useEffect(() => {
    const pressed = (event) => {
      const typing = event.target.closest("input:not([type=checkbox]),textarea,select,dialog");
      const action = actions[{ ArrowDown: "j", ArrowUp: "k" }[event.key] ?? event.key];
      if (!active || typing || !action || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
}

// Of a conflict, yes keeps the newer statement, no the older one, and null both.
function sent(item, yes) {
  if (item.type === "held") return post(`/quarantine/${id(item.id)}/${yes ? "approve" : "reject"}`, {}, { scope: item.fact.scope });
  return post(`/conflicts/${id(item.id)}/settle`, yes === null ? {} : { keep: (yes ? item.newer : item.older).id }, { scope: item.scope });
}

function HeldItem({ held, settle, person }) {
  const { fact, quote } = held;
  return html`<div class="stack tight">
    <div class="row spread"><span class="row"><span class="badge state quarantined">${held.replaces.length || held.ends ? "proposal" : "held"}</span><span class="quiet">${held.reason}</span></span><${Scope} of=${fact.scope} /></div>
    <p><a class="plain-link" href="#/facts/${fact.id}"><${FactText} fact=${fact} /></a></p>
    ${held.replaced.map((old) => html`<p class="small">${held.ends ? "ends" : "replaces"}: <del>${old.text}</del></p>`)}
    <p class="quote">${quote ? html`“${quote}”` : html`${originText(fact.origin)}, no conversation to quote`} <span class="quiet"><${Time} at=${fact.recorded_at} /></span></p>
    <div class="row"><button class="button primary" disabled=${!person} onClick=${() => settle(true)}>Keep</button><button class="button danger" disabled=${!person} onClick=${() => settle(false)}>Reject</button></div>
  </div>`;
}

function Conflict({ conflict, settle, person }) {
  const side = (fact, name, yes) => html`<div class="side-by-side"><p><a class="plain-link" href="#/facts/${fact.id}"><${FactText} fact=${fact} /></a></p>
    <p class="quiet">${originText(fact.origin)}, ${minute(fact.recorded_at)}</p>
    <button class="button" disabled=${!person} onClick=${() => settle(yes)}>Keep the ${name}</button></div>`;
  return html`<div class="stack tight">
    <div class="row spread"><span class="row"><span class="badge state expired">conflict</span><span class="quiet">${conflict.reason ?? "Both are live"}. Which one holds?</span></span><${Scope} of=${conflict.scope} /></div>
    <div class="sides">${side(conflict.newer, "newer", true)}${side(conflict.older, "older", false)}</div>
    <div class="row"><button class="button link" disabled=${!person} onClick=${() => settle(null)}>Keep both <kbd>b</kbd></button></div>
  </div>`;
}
