// Snapshots: named moments, and what changed since.
import { useState } from "../vendor/hooks.mjs";
import { get, id, post } from "../api.js";
import { Ask, Loaded, Panel, Scope, change, html, minute } from "../ui.js";
import { useQuery } from "../api.js";
import { Records } from "../records.js";

export default function Snapshots() {
  const [asked, setAsked] = useState(null);
  const [shown, setShown] = useState(null);
  const restore = (row) => ({ title: `Go back to “${row.name}”?`, text: "Facts and blocks of this scope become as they were then. Later changes stay in the history.", action: "Restore", danger: true, confirm: () => change("Restored", () => post(`/snapshots/${id(row.name)}/restore`, {}, { scope: row.scope })) });
  return html`<${Records} title="Snapshots" lead="Named moments of a memory. Nothing is copied: the history has it all." path="/snapshots"
    empty=${{ title: "No snapshots yet", text: "Name a moment before something risky:", code: "erstwhile snapshots create before-the-import" }}
    columns=${[
      { title: "Name", class: "main-cell", cell: (row) => html`<b>${row.name}</b><div class="quiet">${row.description}</div>` },
      { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` }, { title: "Moment", cell: (row) => minute(row.at) },
      { title: "", cell: (row) => html`<span class="row"><button class="button" onClick=${() => setShown(row)}>What changed</button><button class="button danger" onClick=${() => setAsked(restore(row))}>Restore</button></span>` },
    ]}>${asked && html`<${Ask} ...${asked} close=${() => setAsked(null)} />`}${shown && html`<${Difference} snapshot=${shown} key=${shown.id} />`}<//>`;
}

function Difference({ snapshot }) {
  const query = useQuery(() => get(`/snapshots/${id(snapshot.name)}/diff`, {}, { scope: snapshot.scope }), [snapshot.id]);
  return html`<${Panel} title=${`Changed since “${snapshot.name}”`}><${Loaded} query=${query}>${(diff) => html`<${Changes} diff=${diff} />`}<//><//>`;
}

function Changes({ diff }) {
  const lists = Object.entries(diff).filter(([, value]) => Array.isArray(value) && value.length);
  if (!lists.length) return html`<p class="quiet">Nothing.</p>`;
  return html`<div class="columns">${lists.map(([name, records]) => html`<div><h3>${name.replaceAll("_", " ")}</h3><ul class="list small">${records.slice(0, 50).map((each) => { const record = each.after ?? each.before ?? each; return html`<li>${record.text ?? record.content ?? record.name ?? record.description ?? JSON.stringify(each)}</li>`; })}</ul></div>`)}</div>`;
}
