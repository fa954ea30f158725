// Tasks with their due times.
import { id, post } from "../api.js";
import { Scope, Time, change, html } from "../ui.js";
import { Records } from "../records.js";

const late = (task) => task.status === "pending" && new Date(task.due_at) < Date.now();
const cancel = (task) => change("Cancelled", () => post(`/tasks/${id(task.id)}/cancel`, {}, { scope: task.scope }));

export default () => html`<${Records} title="Tasks" lead="Reminders and actions. Open ones are in the prompts of their scope." path="/tasks"
  empty=${{ title: "No tasks", text: "An agent adds them, or you do:", code: 'erstwhile tasks add "Upgrade the payment library" --due "in 3 days"' }}
  columns=${[
    { title: "Task", class: "main-cell", cell: (row) => row.description },
    { title: "Status", cell: (row) => html`<span class="badge ${late(row) ? "state wrong" : ""}">${late(row) ? "overdue" : row.status}</span>` },
    { title: "Due", cell: (row) => html`<${Time} at=${row.due_at} />` },
    { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` },
    { title: "", cell: (row) => row.status === "pending" && html`<button class="button" onClick=${() => cancel(row)}>Cancel</button>` },
  ]} />`;
