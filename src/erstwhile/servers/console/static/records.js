// A page with a list of records: columns, an empty state, and paging.
import { useState } from "./vendor/hooks.mjs";
import { get, items, useQuery } from "./api.js";
import { Empty, Loaded, Page, Panel, Table, html } from "./ui.js";

export function Records({ title, lead, path, query = {}, columns, empty, actions, open, children, size = 50 }) {
  const pages = usePages(JSON.stringify(query));
  const listed = useQuery(() => get(path, { ...query, limit: size, cursor: pages.cursor }), [path, query, pages.cursor]);
  return html`<${Page} title=${title} lead=${lead} actions=${actions}>
    ${children}
    <${Panel} flush><${Loaded} query=${listed}>${(page) => items(page).length
      ? html`<${Table} label=${title} rows=${items(page)} columns=${columns} open=${open} />`
      : html`<${Empty} title=${empty.title}><span>${empty.text}</span>${empty.code && html`<code>${empty.code}</code>`}<//>`}<//><//>
    <${Paging} pages=${pages} next=${listed.data?.next} />
  <//>`;
}

// The cursors of the pages up to the shown one. Other filters begin again with the first page.
export function usePages(filters) {
  const [state, setState] = useState({ filters, cursors: [""] });
  const cursors = state.filters === filters ? state.cursors : [""];
  const show = (next) => setState({ filters, cursors: next });
  return {
    number: cursors.length,
    cursor: cursors.at(-1),
    newer: () => show(cursors.slice(0, -1)),
    older: (next) => show([...cursors, next]),
  };
}

export function Paging({ pages, next }) {
  if (pages.number === 1 && !next) return null;
  return html`<div class="row">
    <button class="button" disabled=${pages.number === 1} onClick=${pages.newer}>Newer</button>
    <button class="button" disabled=${!next} onClick=${() => pages.older(next)}>Older</button>
    <span class="quiet">page ${pages.number}</span>
  </div>`;
}
