// The shell: login, navigation, scope, moment, and the view of the current address.
import { render } from "./vendor/preact.mjs";
import { useEffect, useState } from "./vendor/hooks.mjs";
import { call, canSeeEverything, followChanges, get, items, useQuery } from "./api.js";
import { day, named, scopeText } from "./format.js";
import { isPast, toast, update, useShared } from "./state.js";
import { Loading, Problem, html } from "./ui.js";

const VIEWS = [
  ["Memory", [
    ["", "Overview", "overview", "M3 13V8M8 13V3M13 13V6"],
    ["facts", "Facts", "facts", "M2 4h12M2 8h12M2 12h8"],
    ["time", "Time", "time", "M3 2v11h11M6 10V6h3v4M9 10V4h3v6"],
    ["graph", "Graph", "graph", "M4 4l8 3M4 4l2 8M12 7l-6 5M4 4h.01M12 7h.01M6 12h.01"],
    ["review", "Review", "review", "M3 8l3 3 7-7"],
  ]],
  ["Agent", [
    ["recall", "Recall lab", "recall", "M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM11 11l3 3"],
    ["prompt", "Prompt preview", "prompt", "M3 3h10v10H3zM5 6h6M5 8h6M5 10h3"],
    ["instructions", "Instructions", "instructions", "M4 3h8M4 7h8M4 11h5"],
    ["blocks", "Blocks", "blocks", "M2 3h5v5H2zM9 3h5v5H9zM2 10h12v3H2z"],
    ["conversations", "Conversations", "conversations", "M2 3h12v8H7l-3 3v-3H2z"],
    ["decisions", "Decisions", "decisions", "M8 2v12M3 5h10M3 5l-1.500 4h3zM13 5l-1.500 4h3z"],
    ["tasks", "Tasks", "tasks", "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3l2 2"],
    ["lessons", "Lessons", "lessons", "M2 5l6-3 6 3-6 3zM4 7v4c2 2 6 2 8 0V7"],
  ]],
  ["Operations", [
    ["usage", "Usage", "usage", "M2 13l4-5 3 2 5-7"],
    ["audit", "Audit", "audit", "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z"],
    ["snapshots", "Snapshots", "snapshots", "M2 5h3l1-2h4l1 2h3v8H2zM8 11a2 2 0 1 0 0-4 2 2 0 0 0 0 4z"],
  ]],
];
const MODULES = new Map(VIEWS.flatMap(([, views]) => views.map(([path, , module]) => [path, module])));

// "#/facts/1?kind=state" as { path: "facts", rest: "1", query: { kind: "state" } }
function address() {
  const [, place, text] = location.hash.match(/^#?\/?([^?]*)\??(.*)$/s);
  const [path, ...rest] = place.split("/");
  return { hash: location.hash, path, rest: decodeURIComponent(rest.join("/")), query: Object.fromEntries(new URLSearchParams(text)) };
}

function useAddress() {
  const [now, setNow] = useState(address);
  useEffect(() => {
    const changed = () => { setNow(address()); scrollTo(0, 0); };
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return now;
}

function App() {
  const shared = useShared();
  const [failure, setFailure] = useState(null);
  useEffect(() => {
    if (!shared.token || shared.about) return;
    call("GET", "", { scope: {} }).then((about) => { setFailure(null); update({ about }); }, (error) => { setFailure(error); update({ token: "" }); });
  }, [shared.token, shared.about]);
  if (!shared.token) return html`<${Login} failure=${failure} />`;
  return shared.about ? html`<${Shell} />` : html`<${Loading} />`;
}

function Login({ failure }) {
  const enter = (event) => {
    event.preventDefault();
    update({ token: new FormData(event.target).get("token").trim() });
  };
  return html`<main class="login"><form onSubmit=${enter}>
    <div class="brand"><img src="icon.svg" alt="" />Erstwhile</div>
    <p class="small">Enter a token of this server. <code>erstwhile serve</code> shows one when it starts; <code>erstwhile tokens make NAME --person</code> makes another.</p>
    <label class="field">Token<input class="input" name="token" type="password" autocomplete="off" required autofocus /></label>
    ${failure && html`<${Problem} error=${failure} />`}
    <button class="button primary">Open the console</button>
  </form></main>`;
}

function Shell() {
  const shared = useShared();
  const now = useAddress();
  const [menu, setMenu] = useState(false);
  useEffect(() => setMenu(false), [now.path]);
  useEffect(() => {
    const stop = new AbortController();
    followChanges(stop.signal);
    return () => stop.abort();
  }, [shared.token, JSON.stringify(shared.scope)]);
  useShortcuts(setMenu);
  return html`<div class="shell">
    <${Sidebar} path=${now.path} open=${menu} />
    <div class="main">
      <div class="top">
        <button class="button menu-button" aria-expanded=${menu} onClick=${() => setMenu(!menu)}>Menu</button>
        <${ScopePicker} />
        <span class="grow"></span>
        <span class="quiet account">${shared.about.token}${shared.about.person ? "" : ", an agent"}</span>
        <button class="button" onClick=${() => update({ token: "", about: null })}>Log out</button>
      </div>
      ${isPast() && now.path !== "time" && html`<${Moment} path=${now.path} />`}
      <main data-address=${now.hash}><${View} ...${now} /></main>
    </div>
    ${shared.toast && html`<${Toast} ...${shared.toast} />`}
  </div>`;
}

function Sidebar({ path, open }) {
  const waiting = useQuery(async () => (await Promise.all(["/quarantine", "/conflicts"].map((each) => get(each, { limit: 100 })))).flatMap(items).length);
  return html`<nav class="side ${open ? "open" : ""}" aria-label="Views">
    <a class="brand" href="#/"><img src="icon.svg" alt="" />Erstwhile</a>
    ${VIEWS.map(([title, views]) => html`<div><h2>${title}</h2>${views.map(([to, name, , icon]) => html`
      <a class="item" href="#/${to}" aria-current=${path === to ? "page" : undefined}>
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d=${icon} /></svg>${name}
        ${to === "review" && waiting.data > 0 && html`<span class="count" title="waiting for a person">${waiting.data}</span>`}
      </a>`)}</div>`)}
  </nav>`;
}

function View({ path, rest, query }) {
  const [view, setView] = useState(null);
  const module = MODULES.get(path);
  useEffect(() => {
    let current = true;
    setView(null);
    if (!module) return;
    import(`./views/${module}.js`).then(
      (loaded) => current && setView({ module, component: loaded.default }),
      (error) => toast(error.message),
    );
    return () => { current = false; };
  }, [module]);
  useEffect(() => { document.title = `${document.getElementById("title")?.textContent ?? "Console"} · Erstwhile`; });
  if (!module) return html`<div class="page"><h1 id="title">Not found</h1><p>There is no view at this address. <a href="#/">Go to the overview</a></p></div>`;
  if (view?.module !== module) return html`<div class="page"><${Loading} /></div>`;
  return html`<${view.component} rest=${rest} query=${query} />`;
}

function ScopePicker() {
  const shared = useShared();
  const users = useQuery(async () => (canSeeEverything() ? await get("/scopes", {}, { scope: undefined }).catch(() => []) : []));
  const scopes = items(users.data ?? []).map((each) => each.scope ?? each);
  if (named(shared.about.scope).length) return html`<span class="row small"><span class="quiet">Memory of</span><span class="badge">${scopeText(shared.about.scope)}</span></span>`;
  const choose = (event) => update({ scope: JSON.parse(event.target.value) });
  return html`<label class="row small"><span class="quiet label">Memory of</span>
    <select class="input" onChange=${choose}>
      ${canSeeEverything() && html`<option value="{}">everybody</option>`}
      <option value='{"shared":true}' selected=${shared.scope.shared}>shared only</option>
      ${scopes.map((scope) => { const value = JSON.stringify(scope); return html`<option value=${value} selected=${value === JSON.stringify(shared.scope)}>${scopeText(scope)}</option>`; })}
    </select></label>`;
}

// The views that do not follow the moment.
const PRESENT = ["review", "prompt", "instructions", "tasks", "lessons", "snapshots"];

function Moment({ path }) {
  const { as_of, known_at } = useShared().moment;
  return html`<div class="moment" role="status">
    <span>${PRESENT.includes(path) ? "This view shows the present, not " : "Showing "}${as_of ? html`what was true on <b>${day(as_of)}</b>` : "what is true now"}${known_at ? html`, as known on <b>${day(known_at)}</b>` : ""}.</span>
    <a href="#/time">Change</a>
    <button class="button" onClick=${() => update({ moment: { as_of: null, known_at: null } })}>Back to now</button>
  </div>`;
}

function Toast({ text, undo }) {
  return html`<div class="toast" role="status">${text}${undo && html`<button class="button" onClick=${() => { update({ toast: null }); undo(); }}>Undo</button>`}</div>`;
}

const KEYS = { o: "", f: "facts", t: "time", g: "graph", v: "review", r: "recall", p: "prompt", b: "blocks", c: "conversations" };

// "/" goes to the search field, "g" and a letter to a view, "?" says so.
function useShortcuts(setMenu) {
  useEffect(() => {
    let chord = false;
    const pressed = (event) => {
      if (event.target.closest("input,textarea,select,dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "/") { event.preventDefault(); document.querySelector("input[type=search]")?.focus(); }
      if (event.key === "?") toast(`/ search · ${Object.entries(KEYS).map(([key, view]) => `g ${key} ${view || "overview"}`).join(" · ")}`);
      if (event.key === "Escape") setMenu(false);
      if (chord && event.key in KEYS) location.hash = `#/${KEYS[event.key]}`;
      chord = event.key === "g" && !chord;
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

render(html`<${App} />`, document.getElementById("app"));
