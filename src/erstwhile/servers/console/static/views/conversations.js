// Conversations: read and search them, and see what was learned from each turn, and why not.
import { useState } from "../vendor/hooks.mjs";
import { call, get, id, items, post, useQuery } from "../api.js";
import { ago, minute, money, plural, words } from "../format.js";
import { Records } from "../records.js";
import { state } from "../state.js";
import { Empty, Loaded, Page, Panel, Scope, Search, change, html, useAsk } from "../ui.js";

const LEARNED = {
  learned: "Learned", held: "Held for review", nothing: "Nothing learned", not_salient: "Not read", failed: "Failed", given_up: "Given up",
};
const WHY = {
  nothing: "it contains nothing to keep", not_salient: "it probably contains nothing to keep", failed: "it will be tried again", given_up: "it failed too often",
};

export default function Conversations({ rest }) {
  return rest ? html`<${Transcript} conversation=${rest} key=${rest} />` : html`<${List} />`;
}

function List() {
  const [search, setSearch] = useState("");
  return html`<${Records} title="Conversations" lead="What was said, and what the memory took from it." path="/conversations" size=${25} open=${(row) => { location.hash = `#/conversations/${row.id}`; }}
    empty=${{ title: "No conversations yet", text: "observe_turn stores them:", code: 'memory.observe_turn("Hello", "Hi, Ana!")' }}
    columns=${[
      { title: "Conversation", class: "main-cell", cell: (row) => html`<${Opening} conversation=${row} />` },
      { title: "Messages", class: "number labelled", cell: (row) => row.messages },
      { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` },
      { title: "Last message", cell: (row) => html`<span title=${minute(row.active_at)}>${ago(row.active_at)}</span>` },
    ]}>
    <div class="filters"><${Search} label="Search the messages" value=${search} onSearch=${setSearch} /></div>
    ${search && html`<${Found} search=${search} />`}
  <//>`;
}

// A conversation without a summary or title is known by its first words.
function Opening({ conversation }) {
  const title = conversation.summary ?? conversation.metadata?.title;
  const first = useQuery(async () => (title ? null : items(await get(`/conversations/${id(conversation.id)}/messages`, { limit: 20 })).find((each) => each.role === "user")), [conversation.id]);
  return html`<a class="clip" href="#/conversations/${conversation.id}">${title ?? first.data?.content ?? "…"}</a><span class="quiet">${conversation.channel}, ${minute(conversation.started_at)}</span>`;
}

function Found({ search }) {
  const found = useQuery(async () => items(await post("/conversations/search", { query: search })), [search]);
  return html`<${Panel} title="Found messages"><${Loaded} query=${found}>${(hits) => hits.length ? html`<ul class="list small">${hits.map(({ record }) => html`<li key=${record.id}>
    <a class="plain-link" href="#/conversations/${record.conversation}"><span class="quote">${record.content}</span></a><span class="quiet">${record.role}, ${minute(record.said_at)}</span></li>`)}</ul>`
    : html`<${Empty} title="No message is relevant">Try other words.<//>`}<//><//>`;
}

function Transcript({ conversation }) {
  const path = `/conversations/${id(conversation)}`;
  const known = state.moment.known_at ?? "9";
  const { ask, dialog } = useAsk();
  const query = useQuery(async () => {
    const [about, messages, attempts] = await Promise.all([get(path), get(`${path}/messages`, { limit: 200 }), get("/learning/attempts", { conversation, limit: 100 })]);
    return { about, messages: items(messages).filter((each) => each.said_at <= known), attempts: items(attempts) };
  }, [conversation, known]);
  const remove = (about) => ask({
    title: "Delete this conversation", text: "It is hidden from every answer. What was learned from it stays.", action: "Delete", danger: true,
    confirm: async () => { await change("Deleted", () => call("DELETE", path, { scope: about.scope }), () => post(`${path}/restore`, {}, { scope: about.scope })); location.hash = "#/conversations"; },
  });
  return html`<${Loaded} query=${query}>${({ about, messages, attempts }) => html`<${Page} title=${about.summary ?? `Conversation of ${minute(about.started_at)}`}
      lead=${html`<span class="row"><${Scope} of=${about.scope} />${plural(about.messages, "message")}, ${about.channel}</span>`} actions=${html`<button class="button" onClick=${() => remove(about)}>Delete</button>`}>
    ${dialog}
    <div class="stack tight transcript">${messages.map((message) => html`<div key=${message.id} class="message ${message.role}">
        <span class="row spread"><b class="small">${message.role}</b><span class="quiet">${minute(message.said_at)}</span></span><span class="said">${message.content}</span></div>
      ${attempts.filter((attempt) => attempt.messages.at(-1) === message.id).map((attempt) => html`<${Attempt} key=${attempt.id} attempt=${attempt} />`)}`)}</div>
  <//>`}<//>`;
}

function Attempt({ attempt }) {
  const cost = attempt.cost ? `, ${money(attempt.cost)}` : attempt.input ? `, ${plural(attempt.input + attempt.output, "token")}` : "";
  return html`<div class="notice ${{ learned: "good", held: "soft", failed: "bad", given_up: "bad" }[attempt.outcome] ?? ""}">
    <b>${LEARNED[attempt.outcome]}</b>${WHY[attempt.outcome] ? `: ${WHY[attempt.outcome]}` : ""} <span class="quiet">(with ${attempt.method}${attempt.reason ? `, ${words(attempt.reason)}` : ""}${cost})</span>
    ${attempt.changes.map((each) => html`<div class="row"><span class="badge">${words(each.act)}</span>${each.fact ? html`<a href="#/facts/${each.fact}">${each.text || "fact"}</a>` : each.text}<span class="quiet">${each.because}${each.rule ? ` (${each.rule})` : ""}</span></div>`)}</div>`;
}
