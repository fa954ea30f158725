// Snapshots: named moments, and what changed since, or between two of them.
import { useState } from "../vendor/hooks.mjs";
import { call, get, id, items, post, useQuery } from "../api.js";
import { minute, plural, recordText, scopeText } from "../format.js";
import { Records } from "../records.js";
import { state } from "../state.js";
import { Choice, Empty, Loaded, More, Panel, Scope, html, perform, useAsk } from "../ui.js";
import { Difference } from "../words.js";

export default function Snapshots() {
  const { ask, dialog } = useAsk();
  const [shown, setShown] = useState(null);
  const create = () => ask({
    title: "Name this moment", text: `It is a moment of this scope: ${scopeText(state.scope)}. Nothing is copied.`, action: "Create", fields: [{ name: "name", label: "Name", required: true }, { name: "description", label: "Description" }],
    confirm: ({ name, description }) => perform("Created", () => post("/snapshots", { name, description }, { scope: state.scope })),
  });
  const restore = (row) => ask({
    title: `Go back to “${row.name}”?`, text: "Facts and blocks of this scope become as they were then. Later changes stay in the history, and you can undo this.", action: "Restore", danger: true,
    confirm: () => perform("Restored", () => restoring(row.name, row.scope), ({ before }) => restoring(before.name, row.scope)),
  });
  const remove = (row) => ask({
    title: `Delete “${row.name}”?`, text: "Only the name goes; the memory stays as it is.", action: "Delete", danger: true,
    confirm: () => perform("Deleted", () => call("DELETE", `/snapshots/${id(row.name)}`, { scope: row.scope }), () => post("/snapshots", { name: row.name, description: row.description, at: row.at }, { scope: row.scope })),
  });
  return html`<${Records} title="Snapshots" lead="Named moments of a memory. Nothing is copied: the history has it all." path="/snapshots"
    actions=${html`<button class="button" onClick=${create}>Name this moment</button>`}
    empty=${{ title: "No snapshots yet", text: "Name a moment before something risky:", code: "erstwhile snapshots create before-the-import" }}
    columns=${[
      { title: "Name", class: "main-cell", cell: (row) => html`<b>${row.name}</b><div class="quiet">${row.description}</div>` },
      { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` }, { title: "Moment", cell: (row) => minute(row.at) },
      { title: "", cell: (row) => html`<span class="row nowrap"><button class="button" onClick=${() => setShown(row)}>What changed</button>
        <button class="button" onClick=${() => restore(row)}>Restore</button><button class="button link" onClick=${() => remove(row)}>Delete</button></span>` },
    ]}>${dialog}${shown && html`<${Changed} snapshot=${shown} key=${shown.id} />`}<//>`;
}

const restoring = (name, scope) => post(`/snapshots/${id(name)}/restore`, {}, { scope });

function Changed({ snapshot }) {
  const [other, setOther] = useState("");
  const options = { scope: snapshot.scope };
  const others = useQuery(async () => items(await get("/snapshots", { limit: 100 }, options)).filter((each) => scopeText(each.scope) === scopeText(snapshot.scope) && each.id !== snapshot.id), [snapshot.id]);
  const query = useQuery(() => get(`/snapshots/${id(snapshot.name)}/diff`, { other }, options), [snapshot.id, other]);
  const choice = html`<label class="row quiet">compared with <${Choice} label="Compared with" value=${other} onChoose=${setOther} options=${[{ value: "", text: "now" }, ...(others.data ?? []).map((each) => each.name)]} /></label>`;
  return html`<${Panel} title=${`Changed since “${snapshot.name}”`} actions=${choice}><${Loaded} query=${query}>${(diff) => html`<${Changes} diff=${diff} />`}<//><//>`;
}

const MOST = 50;
const GROUPS = [["learned", "learned", "live"], ["changed", "changed", "upcoming"], ["ended", "ended", "superseded"], ["deleted", "deleted", "wrong"], ["blocks_added", "blocks added", "live"], ["blocks_changed", "blocks changed", "upcoming"], ["blocks_deleted", "blocks deleted", "wrong"]];

function Changes({ diff }) {
  if (diff.is_empty) return html`<${Empty} title="Nothing changed">Facts and blocks of this scope are as they were.<//>`;
  return html`<div class="columns">${GROUPS.filter(([name]) => diff[name].length).map(([name, text, colour]) => html`<div key=${name}>
    <h3><span class="badge state ${colour}">${text}</span> ${plural(diff[name].length, "record")}</h3>
    <ul class="list small">${diff[name].slice(0, MOST).map((each) => html`<li><${Entry} each=${each} /></li>`)}</ul>
    <${More} count=${diff[name].length - MOST} /></div>`)}</div>`;
}

function Entry({ each }) {
  if (!each.after) return html`<span>${recordText(each)}</span>`;
  const [before, after] = [recordText(each.before), recordText(each.after)];
  return html`${each.after.name && html`<b>${each.after.name}</b>`}${before === after ? html`<span>${after}
    </span>` : html`<${Difference} before=${before} after=${after} />`}`;
}
