// A page with a list of records: columns, an empty state, and paging.
import { useState } from "./vendor/hooks.mjs";
import { get, items, useQuery } from "./api.js";
import { Empty, Loaded, Page, Panel, Table, html } from "./ui.js";

export function Records({ title, lead, path, query = {}, columns, empty, actions, open, children, size = 50 }) {
  const [pages, setPages] = useState([""]);
  const listed = useQuery(() => get(path, { ...query, limit: size, cursor: pages.at(-1) }), [path, query, pages.at(-1)]);
  return html`<${Page} title=${title} lead=${lead} actions=${actions}>
    ${children}
    <${Panel} flush><${Loaded} query=${listed}>${(page) => items(page).length
      ? html`<${Table} label=${title} rows=${items(page)} columns=${columns} open=${open} />`
      : html`<${Empty} title=${empty.title}><span>${empty.text}</span>${empty.code && html`<code>${empty.code}</code>`}<//>`}<//><//>
    ${(pages.length > 1 || listed.data?.next) && html`<div class="row">
      <button class="button" disabled=${pages.length === 1} onClick=${() => setPages(pages.slice(0, -1))}>Newer</button>
      <button class="button" disabled=${!listed.data?.next} onClick=${() => setPages([...pages, listed.data.next])}>Older</button>
    </div>`}
  <//>`;
}
