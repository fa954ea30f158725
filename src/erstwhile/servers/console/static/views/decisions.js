// Decisions about tool calls.
import { call, id, post } from "../api.js";
import { Scope, Time, change, html, useAsk } from "../ui.js";
import { Records } from "../records.js";
import { state } from "../state.js";

const COLOURS = { allow: "live", deny: "wrong", observe: "superseded" };

export default function Decisions() {
  const { ask, dialog } = useAsk();
  const remove = (row) => ask({
    title: "Delete this decision", text: "Agents no longer get it as advice.", action: "Delete", danger: true,
    confirm: () => change("Deleted", () => call("DELETE", `/decisions/${id(row.id)}`, { scope: row.scope }), () => post(`/decisions/${id(row.id)}/restore`, {}, { scope: row.scope })),
  });
  return html`<${Records} title="Decisions" lead="What people allowed and denied. An agent gets this as advice before its next call." path="/decisions" query=${{ until: state.moment.known_at ?? "" }}
    empty=${{ title: "No decisions yet", text: "The hook records them, or you do:", code: 'erstwhile decisions record --tool Bash --input \'{"command": "git push -f"}\' --choice deny' }}
    columns=${[
      { title: "Call", class: "main-cell", cell: (row) => html`<code>${row.tool}</code> <code>${row.input?.command ?? JSON.stringify(row.input)}</code><div class="quiet">${[row.goal, row.message || row.rationale].filter(Boolean).join(": ")}</div>` },
      { title: "Choice", cell: (row) => html`<span class="badge state ${COLOURS[row.choice]}">${row.choice}</span>` },
      { title: "By", cell: (row) => row.decided_by },
      { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` },
      { title: "When", cell: (row) => html`<${Time} at=${row.decided_at} />` },
      { title: "", cell: (row) => html`<button class="button link" onClick=${() => remove(row)}>Delete</button>` },
    ]}>${dialog}<//>`;
}
