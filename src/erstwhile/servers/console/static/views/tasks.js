// Tasks with their due times.
import { cut } from "../format.js";
import { LONG, Scope, Time, html } from "../ui.js";
import { Records, useDeleting, useShown } from "../records.js";

const COLOURS = { overdue: "wrong", pending: "upcoming", claimed: "live", failed: "wrong" };
const status = (task) => (task.status === "pending" && new Date(task.due_at) < Date.now() ? "overdue" : task.status);

export default function Tasks() {
  const { choice, query, choose } = useShown([["", "Open"], ["true", "All"]]);
  const { button, dialog } = useDeleting("/tasks", "task", "Agents no longer see it.");
  return html`<${Records} title="Tasks" lead="Reminders and actions. Open ones are in the prompts of their scope." path="/tasks"
    query=${query.deleted ? query : { ended: choice }} names=${query.deleted ? undefined : ["Sooner", "Later"]} actions=${choose}
    empty=${{ title: choice ? "No tasks yet" : "No open tasks", text: "An agent adds them, or you do:", code: 'erstwhile tasks add "Upgrade the payment library" --due "in 3 days"' }}
    columns=${[
      { title: "Task", class: "main-cell", cell: (row) => html`${cut(row.description, LONG)}${row.recurrence ? html` <span class="badge">${row.recurrence}</span>` : ""}` },
      { title: "Status", cell: (row) => html`<span class="badge state ${COLOURS[status(row)] ?? "superseded"}">${status(row)}</span>` },
      { title: "Due", class: "labelled", cell: (row) => html`<${Time} at=${row.due_at} />` },
      { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` },
      { title: "", cell: button },
    ]}>${dialog}<//>`;
}
