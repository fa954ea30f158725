// A page with a list of records: columns, an empty state, and paging. Deleted records can be restored.
import { useState } from "./vendor/hooks.mjs";
import { call, get, id, items, post, useQuery } from "./api.js";
import { Empty, Loaded, Page, Panel, Switch, Table, change, html, perform, useAsk } from "./ui.js";

// `asked` are the filters that a person chose: nothing may match them although there are records.
export function Records({ title, lead, path, query = {}, asked = query.deleted, columns, empty, actions, open, children, first = "", size = 50, names }) {
  const pages = usePages(JSON.stringify([query, first]), first);
  const listed = useQuery(() => get(path, { ...query, limit: size, cursor: pages.cursor }), [path, query, pages.cursor]);
  return html`<${Page} title=${title} lead=${lead} actions=${actions}>
    ${children}
    <${Panel} flush><${Loaded} query=${listed}>${(page) => items(page).length
      ? html`<${Table} label=${title} rows=${items(page)} columns=${columns} open=${open} />`
      : asked || pages.number > 1 ? html`<${Empty} title="None here">${pages.number > 1 ? "Those of this page are gone: go back." : "There may be others behind another choice above."}<//>`
      : html`<${Empty} title=${empty.title}><span>${empty.text}</span>${empty.code && html`<code>${empty.code}</code>`}<//>`}<//><//>
    <${Paging} pages=${pages} next=${listed.data?.next} names=${names} />
  <//>`;
}

// A switch to the deleted records, with its query. `shown` names the other choices.
export function useShown(shown = [["", "Current"]]) {
  const [choice, setChoice] = useState(shown[0][0]);
  return {
    choice,
    query: choice === DELETED ? { deleted: true } : {},
    choose: html`<${Switch} label="Shown" value=${choice} onChoose=${setChoice} options=${[...shown, [DELETED, "Deleted"]]} />`,
  };
}

const DELETED = "deleted";

// What deletes a record of a collection and restores it, as a button.
export function useDeleting(path, noun, effect) {
  const { ask, dialog } = useAsk();
  const restoring = ({ id: record, scope }) => post(`${path}/${id(record)}/restore`, {}, { scope });
  const remove = (row, after) => ask({
    title: `Delete this ${noun}`, text: `${effect} You can restore it until it is purged.`, action: "Delete", danger: true,
    confirm: async () => { await perform("Deleted", () => call("DELETE", `${path}/${id(row.id)}`, { scope: row.scope }), () => restoring(row)); after?.(); },
  });
  const button = (row) => (row.deleted_at ? html`<button class="button link" onClick=${() => change("Restored", () => restoring(row))}>Restore</button>`
    : html`<button class="button link" onClick=${() => remove(row)}>Delete</button>`);
  return { dialog, remove, button };
}

// The cursors of the pages up to the shown one. Other filters begin again with the first page.
export function usePages(filters, first = "") {
  const [state, setState] = useState({ filters, cursors: [first] });
  const cursors = state.filters === filters ? state.cursors : [first];
  const show = (next) => setState({ filters, cursors: next });
  return {
    number: cursors.length,
    cursor: cursors.at(-1),
    newer: () => show(cursors.slice(0, -1)),
    older: (next) => show([...cursors, next]),
  };
}

export function Paging({ pages, next, names: [back, on] = ["Newer", "Older"] }) {
  if (pages.number === 1 && !next) return null;
  return html`<div class="row">
    <button class="button" disabled=${pages.number === 1} onClick=${pages.newer}>${back}</button>
    <button class="button" disabled=${!next} onClick=${() => pages.older(next)}>${on}</button>
    <span class="quiet">page ${pages.number}</span>
  </div>`;
}
