// One fact: what it says, where it comes from, its versions, and what a person can do with it.
import { useState } from "../vendor/hooks.mjs";
import { call, get, id as encoded, items, post, useQuery } from "../api.js";
import { Ask, Definition, FactText, Loaded, Page, Panel, Scope, State, Time, change, html, minute, plural } from "../ui.js";
import { Plane } from "../plane.js";

export default function Fact({ id }) {
  const path = `/facts/${encoded(id)}`;
  const query = useQuery(async () => {
    const [fact, history] = await Promise.all([get(path), get(`${path}/history`)]);
    return { fact, history: items(history) };
  }, [id]);
  return html`<${Loaded} query=${query}>${({ fact, history }) => html`<${FactPage} fact=${fact} history=${history} />`}<//>`;
}

function FactPage({ fact, history }) {
  const versions = Object.values(Object.fromEntries(history.map((step) => [step.fact.id, step.fact])));
  return html`<${Page} title=${html`<${FactText} fact=${fact} />`} lead=${html`<span class="row"><${State} of=${fact} /><${Scope} of=${fact.scope} /><span class="badge">${fact.kind}</span></span>`} actions=${html`<${Actions} fact=${fact} />`}>
    <div class="wide-left">
      <div class="stack">
        <${Panel} title="When it was true, and when we knew"><${Plane} facts=${versions} height=${240} /><//>
        <${Panel} title="History"><ol class="list small">${history.map((step) => html`<li>
          <span><b>${step.action}</b> ${step.fact.id === fact.id ? "" : html`<a href="#/facts/${step.fact.id}">${step.fact.text}</a>`} <span class="quiet">by ${step.actor}, ${minute(step.at)}</span></span>
          ${step.reason && html`<span class="quote">${step.reason}</span>`}
        </li>`)}</ol><//>
        <${Sources} fact=${fact} />
      </div>
      <${Panel} title="Details"><${Definition} entries=${[
        ["id", html`<code>${fact.short_id}</code>`], ["key", fact.key], ["value", fact.value],
        ["true from", html`<${Time} at=${fact.valid_from} />`], ["true until", fact.ends_at && html`<${Time} at=${fact.ends_at} />`],
        ["recorded", minute(fact.recorded_at)], ["retired", fact.retired_at && minute(fact.retired_at)], ["ending", fact.ending],
        ["confidence", `${Math.round(fact.confidence * 100)} % (${fact.tier})`], ["evidence", plural(fact.evidence, "statement")],
        ["origin", fact.origin], ["trust", fact.trust],
        ["entities", fact.entities.length ? html`<span class="row">${fact.entities.map((name) => html`<a class="badge" href="#/graph/${encoded(name)}">${name}</a>`)}</span>` : ""],
        ["tags", fact.tags.join(", ")], ["replaced by", fact.superseded_by && html`<a href="#/facts/${fact.superseded_by}">the newer fact</a>`],
        ["metadata", Object.keys(fact.metadata).length ? html`<code>${JSON.stringify(fact.metadata)}</code>` : ""],
      ]} /><//>
    </div>
  <//>`;
}

// The messages that the fact was learned from.
function Sources({ fact }) {
  const ids = fact.source?.messages ?? [];
  const query = useQuery(() => Promise.all(ids.slice(0, 5).map((each) => get(`/messages/${encoded(each)}`))), [fact.id]);
  if (!ids.length) return null;
  return html`<${Panel} title="Learned from"><${Loaded} query=${query}>${(messages) => html`<ul class="list">${messages.map((message) => html`<li>
    <span class="quiet">${message.role}, ${minute(message.said_at)} · <a href="#/conversations/${message.conversation}">conversation</a></span><span class="quote">${message.content}</span></li>`)}</ul>`}<//><//>`;
}

function Actions({ fact }) {
  const [asked, setAsked] = useState(null);
  const path = `/facts/${encoded(fact.id)}`;
  const options = { scope: fact.scope };
  const act = (text, verb, body, undo) => change(text, () => post(`${path}/${verb}`, body ?? {}, options), undo && (() => post(`${path}/${undo}`, {}, options)));
  const buttons = fact.deleted_at
    ? [["Restore", () => act("Restored", "restore")]]
    : fact.state === "retired"
      ? [["Undo the ending", () => act("The fact is live again", "undo")], ["Delete", () => setAsked("delete")]]
      : [
          ["Replace", () => setAsked("replace")],
          ["Retire", () => setAsked("retire")],
          [fact.pinned ? "Unpin" : "Pin", () => act(fact.pinned ? "Unpinned" : "Pinned", fact.pinned ? "unpin" : "pin", {}, fact.pinned ? "pin" : "unpin")],
          ["Move", () => setAsked("move")],
          ["Delete", () => setAsked("delete")],
        ];
  const dialogs = {
    replace: { title: "Replace this fact", text: "The old statement stays in the history.", action: "Replace", fields: [{ name: "new_text", label: "New statement", value: fact.text, type: "area", required: true }, { name: "reason", label: "Reason (optional)" }], confirm: async ({ new_text, reason }) => { const made = await post(`${path}/replace`, { new_text, ...(reason && { reason }) }, options); location.hash = `#/facts/${made.id}`; } },
    retire: { title: "Retire this fact", action: "Retire", fields: [{ name: "ending", label: "How did it end?", options: ["superseded", "wrong", "expired"] }, { name: "reason", label: "Reason (optional)" }], confirm: ({ ending, reason }) => act("Retired", "retire", { ending, ...(reason && { reason }) }, "undo") },
    move: { title: "Move to another scope", action: "Move", fields: [{ name: "to", label: "Keep only", options: ["user", "project", "shared"] }], confirm: async ({ to }) => { const moved = await post(`${path}/move`, { to }, options); location.hash = `#/facts/${moved.id}`; } },
    delete: { title: "Delete this fact", text: "It is hidden from every answer. You can restore it until it is purged.", action: "Delete", danger: true, confirm: () => change("Deleted", () => call("DELETE", path, options), () => post(`${path}/restore`, {}, options)) },
    erase: { title: "Erase this fact for good", text: "The fact, its history and its bytes in the file are destroyed. This cannot be undone.", action: "Erase for good", danger: true, confirm: async () => { await post("/facts/erase", { ids: [fact.id] }, options); location.hash = "#/facts"; } },
  };
  return html`${buttons.map(([text, onClick]) => html`<button class="button" onClick=${onClick}>${text}</button>`)}
    <button class="button danger" onClick=${() => setAsked("erase")}>Erase</button>
    ${asked && html`<${Ask} ...${dialogs[asked]} close=${() => setAsked(null)} />`}`;
}
