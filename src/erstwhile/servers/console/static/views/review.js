// The queue of what is doubtful: quarantined facts, proposals and conflicts. y and n decide, j and k
// move.
import { useEffect, useLayoutEffect, useState } from "../vendor/hooks.mjs";
import { get, id, items, post, useQuery } from "../api.js";
import { ago, cut, minute, originText, plural } from "../format.js";
import { useShared } from "../state.js";
import { change, Empty, FactLink, html, Loaded, Page, Panel, Scope, Time } from "../ui.js";

const MOST = 100;
// The most characters of a text that a person judges; its page has all.
const READ = 2000;

export default function Review() {
  const { about } = useShared();
  const queue = useQuery(waiting);
  // What a person decided here, which is hidden before the server has it.
  const [gone, setGone] = useState(new Set());
  const show = (ids) => { setGone((old) => without(old, ids)); queue.reload(); };
  return html`<${Page} title="Review" lead="Doubtful memories wait here for a person. Everything else is stored without asking.">
    ${!about.person && html`<div class="notice soft">This token acts as an agent. A person decides here: make a token with <code>erstwhile tokens make NAME --person</code></div>`}
    <${Loaded} query=${queue}>${(found) => html`<${Queue} ...${found} gone=${gone} setGone=${setGone} bring=${show} />`}<//>
    <${Decided} person=${about.person} bring=${show} />
  <//>`;
}

async function waiting() {
  const pages = await Promise.all(["/quarantine", "/conflicts"].map((path) => get(path, { limit: MOST })));
  const [held, conflicts] = pages.map(items);
  const quotes = await quoted(held);
  const replaced = await Promise.all(held.map((each) => Promise.all(each.replaces.map((one) => get(`/facts/${id(one)}`, {}, { scope: each.fact.scope }).catch(() => null)))));
  const all = [...conflicts.map((each) => ({ type: "conflict", ...each })), ...held.map((each, index) => ({ type: "held", ...each, quote: quotes.get(each.id), replaced: replaced[index].filter(Boolean) }))];
  return { all, more: pages.some((page) => page.next) };
}

// The words that each held fact rests on: as the learner quoted them, or its messages; or else who
// stated it.
async function quoted(held) {
  const sourced = held.filter((each) => each.fact.source);
  const attempts = await Promise.all([...new Set(sourced.map((each) => each.fact.source.conversation).filter(Boolean))].map((conversation) => get("/learning/attempts", { conversation, limit: MOST }).catch(() => [])));
  const found = new Map(attempts.flatMap(items).flatMap((attempt) => attempt.changes).map((change) => [change.fact, change.quote]));
  await Promise.all(sourced.filter((each) => !found.get(each.id) && each.fact.source.messages[0]).map(async ({ id: fact, fact: { source } }) => {
    const message = await get(`/messages/${id(source.messages[0])}`).catch(() => null);
    if (message) found.set(fact, message.content);
  }));
  const said = new Map([...found].filter(([, words]) => words).map(([fact, words]) => [fact, { words }]));
  await Promise.all(held.filter((each) => !said.has(each.id)).map(async ({ id: subject, fact: { scope } }) => {
    const entries = items(await get("/audit", { subject, limit: 20 }, { scope }).catch(() => []));
    said.set(subject, { actor: entries.at(-1)?.actor });
  }));
  return said;
}

const without = (set, ids) => new Set([...set].filter((each) => !ids.includes(each)));

function Queue({ all, more, gone, setGone, bring }) {
  const { about } = useShared();
  const [{ at, place, wanted }, setAt] = useState({ at: all[0]?.id, place: 0 });
  const [marked, setMarked] = useState(new Set());
  const left = all.filter((each) => !gone.has(each.id));
  // A new item may come before the current one, which stays current until an undone decision is back.
  const [found, back] = [at, wanted].map((which) => left.findIndex((each) => each.id === which));
  const current = found < 0 ? Math.min(place, left.length - 1) : found;
  const go = (index) => setAt({ at: left[index].id, place: index });
  if (back >= 0) go(back);
  else if (left.length && found < 0) setAt({ at: left[current].id, place: current, wanted });
  const show = (ids) => { setAt((old) => ({ ...old, wanted: ids[0] })); bring(ids); };
  const settle = async (chosen, yes) => {
    const ids = chosen.map((each) => each.id);
    const named = chosen.length > 1 ? plural(chosen.length, "item") : "One item";
    setGone((old) => new Set([...old, ...ids]));
    setMarked(new Set());
    const takeBack = () => inTurn([...chosen].reverse(), undo).finally(() => show(ids));
    const done = await change(`${named} ${yes === null ? "settled: both stay" : yes ? "kept" : "rejected"}`, () => inTurn(chosen, (each) => decide(each, yes)), takeBack);
    if (!done) show(ids);
  };
  const toggle = (which) => setMarked(marked.has(which) ? without(marked, [which]) : new Set([...marked, which]));
  const chosen = () => (marked.size ? left.filter((each) => marked.has(each.id)) : [left[current]]);
  useKeys({
    j: () => go(Math.min(left.length - 1, current + 1)),
    k: () => go(Math.max(0, current - 1)),
    x: () => toggle(left[current].id),
    y: () => settle(chosen(), true),
    n: () => settle(chosen(), false),
    b: () => left[current].type === "conflict" && settle([left[current]], null),
  }, left.length > 0 && about.person);
  useEffect(() => { document.getElementById(`waiting-${left[current]?.id}`)?.scrollIntoView({ block: "nearest" }); }, [current]);
  if (!left.length) return html`<${Panel}><${Empty} title="Nothing waits for you">
    <span>Texts from tools, web pages and documents appear here before an agent sees them,</span><span>and statements that contradict each other.</span><//><//>`;
  const everything = () => setMarked(marked.size === left.length ? new Set() : new Set(left.map((each) => each.id)));
  return html`
    <div class="row spread toolbar">
      <label class="row small"><input type="checkbox" checked=${marked.size === left.length} onChange=${everything} /> ${marked.size ? `${plural(marked.size, "item")} marked` : plural(left.length, "item")}${more ? ", the newest of more" : ""}</label>
      ${marked.size > 0
        ? html`<span class="row"><button class="button primary" disabled=${!about.person} onClick=${() => settle(chosen(), true)}>Keep all</button>
          <button class="button danger" disabled=${!about.person} onClick=${() => settle(chosen(), false)}>Reject all</button></span>`
        : html`<span class="quiet keyboard"><kbd>j</kbd> <kbd>k</kbd> move · <kbd>x</kbd> mark · <kbd>y</kbd> keep · <kbd>n</kbd> reject · <kbd>b</kbd> both</span>`}
    </div>
    <div class="stack tight">${left.map((each, index) => html`<article class="panel ${index === current ? "current" : ""}" key=${each.id} id=${`waiting-${each.id}`} onClick=${() => go(index)} aria-current=${index === current ? "true" : undefined}>
      <input type="checkbox" checked=${marked.has(each.id)} onChange=${() => toggle(each.id)} aria-label="Mark" />
      ${each.type === "held" ? html`<${HeldItem} held=${each} settle=${(yes) => settle([each], yes)} person=${about.person} />` : html`<${Conflict} conflict=${each} settle=${(yes) => settle([each], yes)} person=${about.person} />`}
    </article>`)}</div>`;
}

// One after the other: each change needs the store for itself.
async function inTurn(all, work) {
  for (const each of all) await work(each);
  return true;
}

// Each key sees what the last one did, however fast they come.
function useKeys(actions, active) {
  useLayoutEffect(() => {
    const pressed = (event) => {
      const typing = event.target.closest("input:not([type=checkbox]),textarea,select,dialog");
      const action = actions[{ ArrowDown: "j", ArrowUp: "k" }[event.key] ?? event.key];
      if (!active || typing || !action || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      if (!event.repeat || "jk".includes(event.key) || event.key.startsWith("Arrow")) action();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });
}

function HeldItem({ held, settle, person }) {
  const { fact, quote } = held;
  return html`<div class="stack tight">
    <div class="row spread"><span class="row"><span class="badge state quarantined">${held.replaces.length || held.ends ? "proposal" : "held"}</span>
      <span class="quiet">${held.rule.startsWith("origin/") ? originText(fact.origin) : held.reason}, <${Time} at=${fact.recorded_at} /></span></span><${Scope} of=${fact.scope} /></div>
    <div class="judged"><div class="stack tight">
      <p><${FactLink} fact=${fact} most=${READ} /></p>
      ${held.replaced.map((old) => html`<p class="small">${held.ends ? "ends" : "replaces"}: <del>${cut(old.text, READ)}</del></p>`)}
      ${quote.words ? html`<p class="quote">“${cut(quote.words, READ)}”</p>` : html`<p class="quiet">${originText(fact.origin)}${quote.actor && ` (${quote.actor})`}, without a conversation</p>`}</div>
      <div class="row"><button class="button primary" disabled=${!person} onClick=${() => settle(true)}>Keep</button>
        <button class="button danger" disabled=${!person} onClick=${() => settle(false)}>Reject</button></div></div>
  </div>`;
}

function Conflict({ conflict, settle, person }) {
  const side = (fact, name, yes) => html`<div class="judged side-by-side"><div><p><${FactLink} fact=${fact} most=${READ} /></p>
    <p class="quiet">${originText(fact.origin)}, ${minute(fact.recorded_at)}</p></div>
    <button class="button" disabled=${!person} onClick=${() => settle(yes)}>Keep the ${name}</button></div>`;
  return html`<div class="stack tight">
    <div class="row spread"><span class="row"><span class="badge state expired">conflict</span><span class="quiet">
      ${conflict.reason ?? "both are live"}: which one holds?</span></span><${Scope} of=${conflict.scope} /></div>
    <div class="sides">${side(conflict.newer, "newer", true)}${side(conflict.older, "older", false)}
      <button class="button" disabled=${!person} onClick=${() => settle(null)}>Keep both</button></div>
  </div>`;
}

// What a person decides about doubtful facts, and how each decision is undone.
const LATEST = 10;

const send = (item, verb, body = {}) =>
  post(`/${item.type === "conflict" ? "conflicts" : "quarantine"}/${id(item.id)}/${verb}`, body, { scope: item.scope ?? item.fact.scope });

// Of a conflict, yes keeps the newer statement, no the older one, and null both.
function decide(item, yes) {
  if (item.type === "held") return send(item, yes ? "approve" : "reject");
  return send(item, "settle", yes === null ? {} : { keep: (yes ? item.newer : item.older).id });
}

const undo = (item) => send(item, "undo");

function Decided({ person, bring }) {
  const query = useQuery(lately);
  const back = (item) => change("It waits again", () => undo(item)).then(() => bring([item.id])).then(query.reload);
  return html`<${Loaded} query=${query}>${(all) => all.length > 0 && html`<${Panel} title="Decided lately"><ul class="list small">
    ${all.map((item) => html`<li key=${item.type + item.id}>
    <span class="row spread nowrap"><span><b>${item.title}</b> <${Text} item=${item} /></span>
      <button class="button" disabled=${!person} onClick=${() => back(item)}>Undo</button></span>
    <span class="row quiet">${item.actor && `by ${item.actor}`}<time title=${minute(item.at)}>${ago(item.at)}</time>
      <${Scope} of=${item.scope} /></span></li>`)}</ul><//>`}<//>`;
}

function Text({ item: { fact, kept, older, newer } }) {
  if (fact) return html`<${FactLink} fact=${fact} />`;
  const ended = kept && (kept === newer.id ? older : newer);
  return ended ? html`${(ended === older ? newer : older).text} <del class="quiet">${ended.text}
    </del>` : html`${newer.text} <span class="quiet">and</span> ${older.text}`;
}

async function lately() {
  const [settled, approved, rejected] = await Promise.all([
    get("/conflicts", { settled: true, limit: LATEST }), get("/audit", { action: "approve", limit: LATEST }), get("/audit", { action: "reject", limit: LATEST }),
  ]);
  const conflicts = items(settled).map((each) => ({ ...each, type: "conflict", at: each.settled_at, title: each.kept ? "Settled:" : "Both kept:" }));
  const facts = await Promise.all([...items(approved), ...items(rejected)].map(judged));
  return [...conflicts, ...facts.filter(Boolean)].sort((a, b) => b.at.localeCompare(a.at)).slice(0, LATEST);
}

// The fact of an entry, if the decision still holds. An approved proposal is known by its successor.
async function judged({ action, subject, scope, actor, at }) {
  const fact = await get(`/facts/${id(subject)}`, {}, { scope }).catch(() => null);
  const isRejected = fact?.ending === "wrong";
  const holds = fact && (action === "reject" ? isRejected && fact.trust === "quarantined" : !isRejected && fact.trust === "trusted" && !fact.superseded_by);
  return holds && { type: "held", id: subject, title: action === "reject" ? "Rejected:" : "Kept:", fact, scope, actor, at };
}
