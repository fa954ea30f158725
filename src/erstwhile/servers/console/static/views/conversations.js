// Conversations: read and search them, and see what was learned from each turn, and why not.
import { useState } from "../vendor/hooks.mjs";
import { every, get, id, items, post, useQuery } from "../api.js";
import { actionText, ago, cut, minute, money, number, plural, words } from "../format.js";
import { Paging, Records, useDeleting, usePages, useShown } from "../records.js";
import { isKnown, knownCursor, state } from "../state.js";
import { Empty, LONG, Loaded, Page, Panel, Scope, Search, Time, html } from "../ui.js";

const LEARNED = {
  learned: "Learned", held: "Held for review", nothing: "Nothing learned", not_salient: "Not read", failed: "Failed", given_up: "Given up",
};
const WHY = {
  nothing: "it contains nothing to keep", not_salient: "it probably contains nothing to keep", failed: "it will be tried again", given_up: "it failed too often",
};

export default function Conversations({ rest }) {
  return rest ? html`<${Transcript} conversation=${rest} key=${rest} />` : html`<${List} />`;
}

const EFFECT = "It is hidden from every answer. What was learned from it stays.";

function List() {
  const [search, setSearch] = useState("");
  const { query, choose } = useShown();
  const { button, dialog } = useDeleting("/conversations", "conversation", EFFECT);
  const then = state.moment.known_at; // how many messages there were then is not stored
  return html`<${Records} first=${knownCursor()} title="Conversations" lead="What was said, and what the memory took from it." path="/conversations" size=${25} query=${query} actions=${choose}
    open=${query.deleted ? null : (row) => { location.hash = `#/conversations/${row.id}`; }}
    empty=${{ title: "No conversations yet", text: "observe_turn stores them:", code: 'memory.observe_turn("Hello", "Hi, Ana!")' }}
    columns=${[
      { title: "Conversation", class: "main-cell", cell: (row) => html`<${Opening} conversation=${row} />` },
      ...(then ? [] : [{ title: "Messages", class: "number labelled", cell: (row) => number(row.messages) }]),
      { title: "Memory of", cell: (row) => html`<${Scope} of=${row.scope} />` },
      ...(query.deleted ? [{ title: "", cell: button }] : []),
      { title: "Started", class: "labelled", cell: (row) => html`<${Time} at=${row.started_at} />` },
      ...(then ? [] : [{ title: "Last message", class: "labelled", cell: (row) => html`<span title=${minute(row.active_at)}>${ago(row.active_at)}</span>` }]),
    ]}>
    ${dialog}<div class="filters"><${Search} label="Search the messages" value=${search} onSearch=${setSearch} /></div>
    ${search && html`<${Found} search=${search} />`}
  <//>`;
}

// A conversation without a summary or title is known by its first words: the cursor of messages is the
// place of the one behind them.
const OPENING = 20;

function Opening({ conversation: { id: conversation, summary, metadata, channel, deleted_at } }) {
  const title = summary ?? (typeof metadata?.title === "string" ? metadata.title : null) ?? (deleted_at && "A deleted conversation");
  const first = useQuery(async () => (title ? null : items(await get(`/conversations/${id(conversation)}/messages`, { limit: OPENING, cursor: OPENING + 1 })).find((each) => each.role === "user")), [conversation]);
  const text = title ?? first.data?.content ?? "…";
  return html`${deleted_at ? html`<span class="clip">${text}</span>` : html`<a class="clip" href="#/conversations/${conversation}">${text}</a>`}${channel !== "default" && html` <span class="badge">${channel}</span>`}`;
}

function Found({ search }) {
  const { known_at } = state.moment;
  const found = useQuery(async () => items(await post("/conversations/search", { query: search, ...(known_at && { now: known_at }) })), [search, known_at]);
  return html`<${Panel} title="Found messages"><${Loaded} query=${found}>${(hits) => hits.length ? html`<ul class="list small">
    ${hits.map(({ record }) => html`<li key=${record.id}>
    <a class="plain-link" href="#/conversations/${record.conversation}"><span class="quote">${cut(record.content, LONG)}</span></a><span class="quiet">
      ${record.role}, ${minute(record.said_at)}</span></li>`)}</ul>`
    : html`<${Empty} title="No message is relevant">Try other words.<//>`}<//><//>`;
}

function Transcript({ conversation }) {
  const path = `/conversations/${id(conversation)}`;
  const { remove, dialog } = useDeleting("/conversations", "conversation", EFFECT);
  const pages = usePages(conversation);
  const query = useQuery(async () => {
    const [about, page] = await Promise.all([get(path), get(`${path}/messages`, { limit: 100, cursor: pages.cursor })]);
    const first = items(page)[0]?.position ?? 0;
    const attempts = await every("/learning/attempts", { conversation }, {}, (each) => each.last >= first);
    return { about, messages: items(page).filter((each) => isKnown(each, each.said_at)), next: page.next, attempts: attempts.filter((each) => isKnown(each)) };
  }, [conversation, state.moment, pages.cursor]);
  return html`<${Loaded} title="Conversation" query=${query}>${({ about, messages, next, attempts }) => html`<${Page} title=${about.summary ? cut(about.summary, LONG) : `Conversation of ${minute(about.started_at)}`}
      lead=${html`<span class="row"><${Scope} of=${about.scope} />${plural(about.messages, "message")}${state.moment.known_at && " until now"}, ${about.channel}
        </span>`} actions=${html`<button class="button" onClick=${() => remove(about, () => { location.hash = "#/conversations"; })}>Delete</button>`}>
    ${dialog}
    <div class="stack tight transcript">${messages.map((message) => html`<div key=${message.id} class="message ${message.role}">
        <span class="row spread"><b class="small">${message.role}</b><span class="quiet">${minute(message.said_at)}</span></span><span class="said">
          ${message.content}</span></div>
      ${attempts.filter((attempt) => attempt.messages.at(-1) === message.id).map((attempt) => html`<${Attempt} key=${attempt.id} attempt=${attempt} />`)}`)}</div>
    <${Paging} pages=${pages} next=${next} names=${["Later", "Earlier"]} />
  <//>`}<//>`;
}

const COLOURS = { learned: "good", held: "soft", failed: "bad", given_up: "bad" };

function Attempt({ attempt: { outcome, method, reason, cost, input, output, changes } }) {
  const spent = cost ? money(cost) : input && plural(input + output, "token");
  const details = [method !== "none" && `with ${method}`, reason && words(reason), spent].filter(Boolean).join(", ");
  return html`<div class="notice ${COLOURS[outcome] ?? ""}">
    <b>${LEARNED[outcome]}</b>${WHY[outcome] && `: ${WHY[outcome]}`} <span class="quiet">${details && `(${details})`}</span>
    ${changes.map((each) => html`<div class="row"><span class="badge">${each.act === "conflict" ? "in conflict" : actionText(each.act)}</span>
      ${each.fact ? html`<a href="#/facts/${each.fact}">${each.text || "fact"}</a>` : each.text}
      <span class="quiet">${each.because}${each.rule && ` (${each.rule})`}</span></div>`)}</div>`;
}
