// Decisions about tool calls.
import { cut } from "../format.js";
import { LONG, Scope, Time, html } from "../ui.js";
import { Records, useDeleting, useShown } from "../records.js";
import { state } from "../state.js";

const COLOURS = { allow: "live", deny: "wrong", observe: "superseded" };

export default function Decisions() {
  const { query, choose } = useShown();
  const { button, dialog } = useDeleting("/decisions", "decision", "Agents no longer get it as advice.");
  return html`<${Records} title="Decisions" lead="What people allowed and denied. An agent gets this as advice before its next call." path="/decisions" query=${{ ...query, until: state.moment.known_at ?? "" }} actions=${choose}
    empty=${{ title: "No decisions yet", text: "The hook records them, or you do:", code: 'erstwhile decisions record --tool Bash --input \'{"command": "git push -f"}\' --choice deny' }}
    columns=${[
      { title: "Call", class: "main-cell", cell: (row) => html`<code>${row.tool}</code> <code>${cut(typeof row.input?.command === "string" ? row.input.command : JSON.stringify(row.input), LONG)}
        </code><div class="quiet">${cut([row.goal, row.message || row.rationale].filter(Boolean).join(": "), LONG)}</div>` },
      { title: "Choice", cell: (row) => html`<span class="badge state ${COLOURS[row.choice]}">${row.choice}</span>` },
      { title: "By", cell: (row) => row.decided_by },
      { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` },
      { title: "When", cell: (row) => html`<${Time} at=${row.decided_at} />` },
      { title: "", cell: button },
    ]}>${dialog}<//>`;
}
