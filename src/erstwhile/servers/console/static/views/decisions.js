// Decisions about tool calls.
import { Scope, Time, html } from "../ui.js";
import { Records } from "../records.js";

const COLOURS = { allow: "live", deny: "wrong", observe: "superseded" };

export default () => html`<${Records} title="Decisions" lead="What people allowed and denied. An agent gets this as advice before its next call." path="/decisions"
  empty=${{ title: "No decisions yet", text: "The hook records them, or you do:", code: 'erstwhile decisions record --tool Bash --input \'{"command": "git push -f"}\' --choice deny' }}
  columns=${[
    { title: "Call", class: "main-cell", cell: (row) => html`<code>${row.tool}</code> <code>${row.input?.command ?? JSON.stringify(row.input)}</code><div class="quiet">${[row.goal, row.message || row.rationale].filter(Boolean).join(": ")}</div>` },
    { title: "Choice", cell: (row) => html`<span class="badge state ${COLOURS[row.choice]}">${row.choice}</span>` },
    { title: "By", cell: (row) => row.decided_by },
    { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` },
    { title: "When", cell: (row) => html`<${Time} at=${row.decided_at} />` },
  ]} />`;
