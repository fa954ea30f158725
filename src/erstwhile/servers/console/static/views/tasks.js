// Tasks with their due times.
import { call, id, post } from "../api.js";
import { Scope, Time, change, html, useAsk } from "../ui.js";
import { Records } from "../records.js";

const COLOURS = { overdue: "wrong", pending: "upcoming", running: "live", done: "superseded" };
const status = (task) => (task.status === "pending" && new Date(task.due_at) < Date.now() ? "overdue" : task.status);

export default function Tasks() {
  const { ask, dialog } = useAsk();
  const remove = (row) => ask({
    title: "Delete this task", text: "Agents no longer see it.", action: "Delete", danger: true,
    confirm: () => change("Deleted", () => call("DELETE", `/tasks/${id(row.id)}`, { scope: row.scope }), () => post(`/tasks/${id(row.id)}/restore`, {}, { scope: row.scope })),
  });
  return html`<${Records} title="Tasks" lead="Reminders and actions. Open ones are in the prompts of their scope." path="/tasks"
    empty=${{ title: "No tasks", text: "An agent adds them, or you do:", code: 'erstwhile tasks add "Upgrade the payment library" --due "in 3 days"' }}
    columns=${[
      { title: "Task", class: "main-cell", cell: (row) => html`${row.description}${row.recurrence ? html` <span class="badge">${row.recurrence}</span>` : ""}` },
      { title: "Status", cell: (row) => html`<span class="badge state ${COLOURS[status(row)] ?? "superseded"}">${status(row)}</span>` },
      { title: "Due", class: "labelled", cell: (row) => html`<${Time} at=${row.due_at} />` },
      { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` },
      { title: "", cell: (row) => html`<button class="button link" onClick=${() => remove(row)}>Delete</button>` },
    ]}>${dialog}<//>`;
}
