// Conversations: read and search them, and see what was learned from each turn.
import { useState } from "../vendor/hooks.mjs";
import { get, id, items, post, useQuery } from "../api.js";
import { Empty, Loaded, Page, Panel, Scope, Search, ago, html, minute, plural } from "../ui.js";
import { Records } from "../records.js";

export default function Conversations({ rest }) {
  return rest ? html`<${Transcript} conversation=${rest} key=${rest} />` : html`<${List} />`;
}

function List() {
  const [search, setSearch] = useState("");
  return html`<${Records} title="Conversations" path="/conversations" open=${(row) => { location.hash = `#/conversations/${row.id}`; }}
    empty=${{ title: "No conversations yet", text: "observe_turn stores them:", code: 'memory.observe_turn("Hello", "Hi, Ana!")' }}
    columns=${[
      { title: "Conversation", class: "main-cell", cell: (row) => html`<a href="#/conversations/${row.id}">${row.summary ?? row.metadata?.title ?? `${row.channel}, ${minute(row.started_at)}`}</a>` },
      { title: "Status", cell: (row) => html`<span class="quiet">${row.status}</span>` },
      { title: "Messages", class: "number", cell: (row) => row.messages },
      { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` },
      { title: "Last message", cell: (row) => ago(row.active_at) },
    ]}>
    <div class="filters"><${Search} label="Search the messages" value=${search} onSearch=${setSearch} /></div>
    ${search && html`<${Found} search=${search} />`}
  <//>`;
}

function Found({ search }) {
  const found = useQuery(async () => items(await post("/conversations/search", { query: search })), [search]);
  return html`<${Panel} title="Found messages"><${Loaded} query=${found}>${(hits) => hits.length ? html`<ul class="list small">${hits.map(({ record }) => html`<li><a href="#/conversations/${record.conversation}"><span class="quote">${record.content}</span></a><span class="quiet">${record.role}, ${minute(record.said_at)}</span></li>`)}</ul>` : html`<${Empty} title="No message is relevant" />`}<//><//>`;
}

function Transcript({ conversation }) {
  const query = useQuery(async () => {
    const [about, messages, attempts] = await Promise.all([get(`/conversations/${id(conversation)}`), get(`/conversations/${id(conversation)}/messages`, { limit: 200 }), get("/learning/attempts", { conversation, limit: 100 })]);
    return { about, messages: items(messages), attempts: items(attempts) };
  }, [conversation]);
  return html`<${Loaded} query=${query}>${({ about, messages, attempts }) => html`<${Page} title=${about.summary ?? `Conversation of ${minute(about.started_at)}`} lead=${html`<${Scope} of=${about.scope} /> ${plural(about.messages, "message")}`}>
    <div class="stack">${messages.map((message) => html`<div class="stack"><${Panel}><div class="stack"><span class="row spread"><b class="small">${message.role}</b><span class="quiet">${minute(message.said_at)}</span></span><span style=${{ whiteSpace: "pre-wrap" }}>${message.content}</span></div><//>
      ${attempts.filter((attempt) => attempt.messages.at(-1) === message.id).map((attempt) => html`<${Attempt} attempt=${attempt} />`)}</div>`)}</div>
  <//>`}<//>`;
}

function Attempt({ attempt }) {
  return html`<div class="notice soft"><b>${attempt.changes.length ? "Learned" : "Nothing learned"}</b> <span>(${attempt.method}${attempt.reason ? `: ${attempt.reason}` : ""})</span>
    <ul>${attempt.changes.map((change) => html`<li>${change.action ?? change.type}: ${change.fact ? html`<a href="#/facts/${change.fact}">${change.text ?? "fact"}</a>` : change.text}${change.reason ? `, ${change.reason}` : ""}</li>`)}</ul></div>`;
}
