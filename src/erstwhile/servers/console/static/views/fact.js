// One fact: what it says, where it comes from, its versions, and what a person can do with it.
import { call, canSeeEverything, get, id as encoded, items, post, useQuery } from "../api.js";
import { KINDS, actionText, cut, filled, linkTo, minute, named, originText, percent, plural, scopeText } from "../format.js";
import { Definition, Empty, FactText, LONG, Loaded, Page, Panel, Scope, State, Time, change, html, perform, useAsk } from "../ui.js";
import { Plane, withStates } from "../plane.js";
import { isKnown, isPast, state, useShared } from "../state.js";

// The most characters of a title.
const TITLE = 160;

export default function Fact({ id }) {
  const path = `/facts/${encoded(id)}`;
  const query = useQuery(async () => {
    const { known_at } = state.moment;
    const now = await get(path);
    if (!isKnown(now, now.recorded_at)) return { fact: null };
    const then = known_at ? get(path, { known_at }).catch(() => null) : now;
    const [fact, history] = await Promise.all([then, get(`${path}/history`, { known_at })]);
    return { fact: fact && stateAt(fact, state.moment.as_of), history: items(history) };
  }, [id, state.moment]);
  if (query.error?.status === 404) return html`<${Page} title="This fact is gone"><${Panel}><${Empty} title="No such fact">
    <span>It was deleted or erased, or it belongs to another scope.</span><a class="button" href="#/facts?deleted=true">Deleted facts</a><//><//><//>`;
  return html`<${Loaded} title="Fact" query=${query}>${({ fact, history }) => (fact ? html`<${FactPage} fact=${fact} history=${history} />` : html`<${Unknown} />`)}<//>`;
}

// The fact with its state at another time of its truth.
function stateAt(fact, at) {
  if (!at) return fact;
  const held = fact.trust === "trusted" ? "live" : "quarantined";
  return { ...fact, state: at < fact.valid_from ? "upcoming" : fact.ends_at && fact.ends_at <= at ? "retired" : held };
}

const Unknown = () => html`<${Page} title="Not known yet"><${Panel}><${Empty} title="The memory did not know this fact then">
  <span>Go back to now, or to a later day.</span><a class="button" href="#/time">Change the moment</a><//><//><//>`;

function FactPage({ fact, history }) {
  const { moment: { as_of, known_at } } = useShared();
  const facts = withStates(history).map((each) => (each.id === fact.id ? { ...fact, states: each.states } : each));
  const hair = { asOf: +new Date(as_of ?? Date.now()), knownAt: +new Date(known_at ?? Date.now()) };
  const lead = html`<span class="row"><${State} of=${fact} /><${Scope} of=${fact.scope} /><span class="badge">${fact.kind}</span>
    ${fact.pinned && html`<span class="badge">pinned</span>`}</span>`;
  return html`<${Page} title=${html`<${FactText} fact=${fact} most=${TITLE} />`} lead=${lead} actions=${!isPast() && html`<${Actions} fact=${fact} />`}>
    <div class="wide-left">
      <div class="stack">
        ${fact.text.length > TITLE && html`<${Panel} title="Text"><p class="small said">${fact.text}</p><//>`}
        <${Panel} title="When it was true, and when we knew">
          <${Plane} facts=${facts} apart height=${260} hair=${hair} onChoose=${(each) => { location.hash = `#/facts/${each.id}`; }} /><//>
        <${History} fact=${fact} history=${history} />
      </div>
      <div class="stack"><${Sources} fact=${fact} /><${Details} fact=${fact} /><${Trail} fact=${fact} /></div>
    </div>
  <//>`;
}

const History = ({ fact, history }) => html`<${Panel} title="Versions"><ol class="list small">${history.map((step) => html`<li>
  <span class="row spread nowrap"><span><b>${actionText(step.action)}
    </b> ${step.fact.id === fact.id ? cut(step.fact.text, LONG) : html`<a href="#/facts/${step.fact.id}">${cut(step.fact.text, LONG)}</a>`}</span>
    <span class="quiet nowrap">${minute(step.at)}</span></span>
  <span class="quiet">by ${step.actor}</span>${step.reason && html`<span class="quote">${step.reason}</span>`}
</li>`)}</ol><//>`;

const Details = ({ fact }) => html`<${Panel} title="Details"><${Definition} entries=${[
  ["key", fact.key], ["value", fact.value],
  ["true from", html`<${Time} at=${fact.valid_from} />`], ["true until", fact.ends_at && html`<${Time} at=${fact.ends_at} />`],
  ["recorded", minute(fact.recorded_at)], ["ended", fact.retired_at && `${fact.ending}, ${minute(fact.retired_at)}`],
  ["confidence", `${percent(fact.confidence)}, ${fact.tier}`], ["evidence", plural(fact.evidence, "statement")],
  ["origin", originText(fact.origin)], ["trust", fact.trust],
  ["entities", fact.entities.length ? html`<span class="row">${fact.entities.map((name) => html`<a class="badge" href="#/graph/${encoded(name)}">
    ${name}</a>`)}</span>` : ""],
  ["relations", fact.relations.length ? html`<span>${fact.relations.map((each) => html`<div>${each.subject} <i>${each.predicate}</i> ${each.object}
    </div>`)}</span>` : ""],
  ["tags", fact.tags.length ? html`<span class="row">${fact.tags.map((tag) => html`<a class="badge" href=${linkTo("facts", { tag })}>
    ${tag}</a>`)}</span>` : ""],
  ["replaced by", fact.superseded_by && html`<a href="#/facts/${fact.superseded_by}">the newer fact</a>`],
  ["metadata", Object.keys(fact.metadata).length ? html`<code>${JSON.stringify(fact.metadata)}</code>` : ""],
  ["id", html`<code>${fact.id}</code>`],
]} /><//>`;

// The messages that the fact was learned from.
function Sources({ fact }) {
  const ids = fact.source?.messages ?? [];
  const query = useQuery(() => Promise.all(ids.slice(0, 5).map((each) => get(`/messages/${encoded(each)}`).catch(() => null))), [fact.id]);
  if (!ids.length) return html`<${Panel} title="Where it comes from"><p class="small">This fact was ${originText(fact.origin)}, without a conversation.</p><//>`;
  return html`<${Panel} title="Learned from"><${Loaded} query=${query}>${(messages) => html`${!messages.some(Boolean) && html`<p class="small">The conversation was deleted or erased.</p>`}<ul class="list">${messages.filter(Boolean).map((message) => html`<li>
    <span class="quote">${message.content}</span><span class="quiet">
      ${message.role}, ${minute(message.said_at)} · <a href="#/conversations/${message.conversation}">read the conversation</a></span></li>`)}</ul>`}<//><//>`;
}

const TRAIL = 20;

function Trail({ fact }) {
  const query = useQuery(async () => items(await get("/audit", { subject: fact.id, limit: TRAIL, until: state.moment.known_at })), [fact.id, state.moment]);
  return html`<${Panel} title="Audit"><${Loaded} query=${query}>${(entries) => html`<ul class="list small">${entries.map((entry) => html`<li><span>
    ${actionText(entry.action)} <span class="quiet">by ${entry.actor}</span></span><span class="quiet">${minute(entry.at)}, entry ${entry.number}
    </span></li>`)}</ul>${entries.length === TRAIL && html`<p class="small"><a href=${linkTo("audit", { subject: fact.id })}>All entries</a></p>`}`}<//><//>`;
}

// What the rules for agents leave to an agent: to propose a new statement, to end what no person
// stated, and to undo or erase its own work; nothing of what a person pinned or confirmed.
const isOwn = ({ origin }) => origin === "agent";
const canReplace = ({ pinned, tier, trust }) => !pinned && tier !== "confirmed" && trust === "trusted";
const canEnd = (fact) => fact.origin !== "person" && canReplace(fact);
const AGENT = { replace: canReplace, retire: canEnd, delete: canEnd, undo: isOwn, erase: isOwn };

// What can be done with a fact in this state. All but erasing can be undone.
function Actions({ fact }) {
  const { about } = useShared();
  const { ask, dialog } = useAsk();
  const does = verbs(fact, ask);
  const may = (name) => about.right !== "read" && (name !== "erase" || about.right === "admin") && (about.person || AGENT[name]?.(fact));
  const names = fact.state === "retired" ? ["undo", "delete"] : [fact.trust === "quarantined" ? "review" : fact.tier === "inferred" && "confirm", "replace", "edit", "retire", fact.pinned ? "unpin" : "pin", "move", "delete"];
  return html`${names.filter((name) => name && may(name)).map((name) => html`<button class="button" onClick=${does[name]}>${name[0].toUpperCase() + name.slice(1)}</button>`)}
    ${may("erase") && html`<button class="button danger" onClick=${does.erase}>Erase</button>`}
    ${!about.person && html`<span class="quiet">This token acts as an agent; a person can do more.</span>`}${dialog}`;
}

function verbs(fact, ask) {
  const path = `/facts/${encoded(fact.id)}`;
  const options = { scope: fact.scope };
  const send = (verb, body = {}) => post(`${path}/${verb}`, body, options);
  const undo = () => send("undo");
  const simple = (verb, text, back) => () => change(text, () => send(verb), back && (() => send(back)));
  const reason = { name: "reason", label: "Reason (optional)" };
  return {
    review: () => { location.hash = "#/review"; },
    undo: simple("undo", "The fact is live again"),
    confirm: simple("confirm", "Confirmed"),
    pin: simple("pin", "Pinned", "unpin"),
    unpin: simple("unpin", "Unpinned", "pin"),
    replace: () => ask({
      title: "Replace this fact", text: "The old statement stays in the history.", action: "Replace",
      fields: [{ name: "new_text", label: "New statement", value: fact.text, type: "area", required: true }, reason],
      confirm: async ({ new_text, reason: why }) => {
        const made = await perform("Replaced", () => post(`${path}/replace`, { new_text, ...filled({ reason: why }) }, options), undo);
        location.hash = `#/facts/${made.id}`;
      },
    }),
    edit: () => ask({
      title: "Edit the labels", text: "To change what the fact says, replace it.", action: "Save",
      fields: [{ name: "kind", label: "Kind", options: KINDS, value: fact.kind }, { name: "tags", label: "Tags, separated by commas", value: fact.tags.join(", ") }, reason],
      confirm: async ({ kind, tags, reason: why }) => {
        const list = tags.split(",").map((tag) => tag.trim()).filter(Boolean);
        await perform("Saved", () => call("PATCH", path, { body: { kind, tags: list, ...filled({ reason: why }) }, ...options }), undo);
      },
    }),
    retire: () => ask({
      title: "Retire this fact", action: "Retire",
      fields: [{ name: "ending", label: "How did it end?", options: [{ value: "superseded", text: "it was true, and is no longer" }, { value: "wrong", text: "it was never true" }, { value: "expired", text: "its time is over" }] }, reason],
      confirm: ({ ending, reason: why }) => perform("Retired", () => send("retire", { ending, ...filled({ reason: why }) }), undo),
    }),
    move: async () => ask(await moving(fact, path, reason)),
    delete: () => ask({
      title: "Delete this fact", text: "It is hidden from every answer. You can restore it until it is purged.", action: "Delete", danger: true,
      confirm: async () => { await perform("Deleted", () => call("DELETE", path, options), () => send("restore")); location.hash = "#/facts"; },
    }),
    erase: () => ask({
      title: "Erase this fact for good", text: "The fact, its history and its bytes in the store are destroyed. This cannot be undone.", action: "Erase for good", danger: true,
      confirm: async () => { await post("/facts/erase", { ids: [fact.id] }, options); location.hash = "#/facts"; },
    }),
  };
}

// A fact moves to a wider scope, or to a narrower one that is known.
async function moving(fact, path, reason) {
  const own = named(fact.scope);
  const known = items(await get("/scopes", {}, canSeeEverything() ? { scope: null } : {}).catch(() => [])).map((each) => each.scope);
  const fits = (scope) => named(scope).every((name) => !fact.scope[name] || fact.scope[name] === scope[name]);
  const wider = own.map((name) => ({ ...fact.scope, [name]: null }));
  const targets = [...wider, {}, ...known.filter((scope) => named(scope).length > own.length && own.every((name) => scope[name]) && fits(scope))];
  const choices = [...new Map(targets.map((scope) => [scopeText(scope), scope])).entries()].filter(([text]) => text !== scopeText(fact.scope));
  return {
    title: "Move to another scope", text: `Now it is in the memory of ${scopeText(fact.scope)}.`, action: "Move",
    fields: [{ name: "to", label: "To the memory of", options: choices.map(([text]) => text) }, reason],
    confirm: async ({ to, reason: why }) => {
      const scope = choices.find(([text]) => text === to)[1];
      const options = { scope: { ...fact.scope, ...filled(scope) } };
      const target = { to: named(scope).length ? named(scope) : "shared", ...filled({ reason: why }) };
      const moved = await perform("Moved", () => post(`${path}/move`, target, options), () => post(`${path}/undo`, {}, options));
      location.hash = `#/facts/${moved.id}`;
    },
  };
}
