// The shell: login, navigation, scope, moment, and the view of the current address.
import { render } from "./vendor/preact.mjs";
import { useEffect, useErrorBoundary, useRef, useState } from "./vendor/hooks.mjs";
import { call, canSeeEverything, followChanges, get, items, useQuery } from "./api.js";
import { DIMENSIONS, day, filled, named, scopeText } from "./format.js";
import { isPast, state, takeToken, toast, update, useShared } from "./state.js";
import { Choice, Dialog, Loading, Problem, Scope, html, leave, useAsk } from "./ui.js";

// [address, name, letter after "g", icon]
const VIEWS = [
  ["Memory", [
    ["", "Overview", "o", "M3 13V8M8 13V3M13 13V6"],
    ["facts", "Facts", "f", "M2 4h12M2 8h12M2 12h8"],
    ["time", "Time", "t", "M3 2v11h11M6 10V6h3v4M9 10V4h3v6"],
    ["graph", "Graph", "g", "M4 4l8 3M4 4l2 8M12 7l-6 5M4 4h.01M12 7h.01M6 12h.01"],
    ["review", "Review", "v", "M3 8l3 3 7-7"],
  ]],
  ["Agent", [
    ["recall", "Recall lab", "r", "M7 12a5 5 0 1 0 0-10 5 5 0 0 0 0 10zM11 11l3 3"],
    ["prompt", "Prompt preview", "p", "M3 3h10v10H3zM5 6h6M5 8h6M5 10h3"],
    ["instructions", "Instructions", "i", "M4 3h8M4 7h8M4 11h5"],
    ["blocks", "Blocks", "b", "M2 3h5v5H2zM9 3h5v5H9zM2 10h12v3H2z"],
    ["conversations", "Conversations", "c", "M2 3h12v8H7l-3 3v-3H2z"],
    ["decisions", "Decisions", "d", "M8 2v12M3 5h10M3 5l-1.500 4h3zM13 5l-1.500 4h3z"],
    ["tasks", "Tasks", "k", "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3l2 2"],
    ["lessons", "Lessons", "l", "M2 5l6-3 6 3-6 3zM4 7v4c2 2 6 2 8 0V7"],
  ]],
  ["Operations", [
    ["usage", "Usage", "u", "M2 13l4-5 3 2 5-7"],
    ["audit", "Audit", "a", "M8 2l5 2v4c0 3-2 5-5 6-3-1-5-3-5-6V4z"],
    ["snapshots", "Snapshots", "s", "M2 5h3l1-2h4l1 2h3v8H2zM8 11a2 2 0 1 0 0-4 2 2 0 0 0 0 4z"],
  ]],
];
const ALL = VIEWS.flatMap(([, views]) => views);
const KEYS = new Map(ALL.map(([to, , key]) => [key, to]));
const moduleOf = (path) => (ALL.some(([to]) => to === path) ? path || "overview" : null);

// "#/facts/1?kind=state" as { path: "facts", rest: "1", query: { kind: "state" } }
function address() {
  const [, place, text] = location.hash.match(/^#?\/?([^?]*)\??(.*)$/s);
  const [path, ...rest] = place.split("/");
  return { hash: location.hash, path, rest: decoded(rest.join("/")), query: Object.fromEntries(new URLSearchParams(text)) };
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
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
  useNewToken(() => setFailure(null));
  useEffect(() => {
    if (!shared.token || shared.about || failure) return;
    call("GET", "", { scope: {} }).then((about) => update({ about, offline: false, refused: null }), (error) => { setFailure(error); if (error.status) update({ token: "" }); });
  }, [shared.token, shared.about, failure]);
  const again = () => { setFailure(null); update({ refused: null }); };
  if (!shared.token) return html`<${Login} failure=${failure ?? shared.refused} again=${again} />`;
  if (failure) return html`<main class="login"><div class="stack"><${Problem} error=${failure} /><button class="button" onClick=${again}>Try again</button></div></main>`;
  return shared.about ? html`<${Shell} />` : html`<${Loading} />`;
}

const INVALID = { message: "The server does not know this token, or it has expired" };

// A link with another token, opened in a tab that shows the console.
function useNewToken(taken) {
  useEffect(() => {
    const changed = () => {
      if (!/^#token=/.test(location.hash)) return;
      taken();
      update({ token: takeToken(), about: null });
    };
    addEventListener("hashchange", changed, true);
    return () => removeEventListener("hashchange", changed, true);
  }, []);
}

function Login({ failure, again }) {
  const enter = (event) => {
    event.preventDefault();
    again();
    update({ token: new FormData(event.target).get("token").trim() });
  };
  return html`<main class="login"><form onSubmit=${enter}>
    <div class="brand"><img src="icon.svg" alt="" />Erstwhile</div>
    <p class="small">Enter a token of this server. <code>erstwhile serve</code> shows one when it starts; <code>erstwhile tokens make NAME --person</code> makes another.</p>
    <label class="field">Token<input class="input" name="token" type="password" autocomplete="off" required autofocus /></label>
    ${failure && html`<${Problem} error=${failure.status === 401 ? INVALID : failure} />`}
    <button class="button primary">Open the console</button>
  </form></main>`;
}

function Shell() {
  const shared = useShared();
  const now = useAddress();
  const [menu, setMenu] = useState(false);
  const [help, setHelp] = useState(false);
  useEffect(() => setMenu(false), [now.path]);
  useEffect(() => {
    const stop = new AbortController();
    followChanges(stop.signal);
    return () => stop.abort();
  }, [shared.token, JSON.stringify(shared.scope)]);
  useShortcuts(setMenu, setHelp);
  return html`<div class="shell">
    <button class="button skip" onClick=${() => document.querySelector("main").focus()}>Skip to the content</button>
    <${Sidebar} path=${now.path} open=${menu} />
    <div class="main">
      <header class="top">
        <button class="button menu-button" aria-expanded=${menu} onClick=${() => setMenu(!menu)}>Menu</button>
        <${ScopePicker} />
        <span class="grow"></span>
        <span class="quiet account">${shared.about.token}${shared.about.person ? "" : ", an agent"}</span>
        <button class="button help" aria-label="Keys" title="Keys" onClick=${() => setHelp(true)}>?</button>
        <button class="button" onClick=${() => update({ token: "", about: null, refused: null })}>Log out</button>
      </header>
      ${shared.offline && html`<div class="moment" role="status">The server does not answer. What you see may be old; the console tries again by itself.</div>`}
      ${isPast() && now.path !== "time" && html`<${Moment} path=${now.path} />`}
      <main data-address=${now.hash} tabindex="-1"><${View} ...${now} /></main>
    </div>
    ${shared.toast && html`<${Toast} ...${shared.toast} />`}
    ${help && html`<${Help} close=${() => setHelp(false)} />`}
  </div>`;
}

function Sidebar({ path, open }) {
  const waiting = useQuery(async () => {
    const pages = await Promise.all(["/quarantine", "/conflicts"].map((each) => get(each, { limit: 100 })));
    return { count: pages.flatMap(items).length, more: pages.some((page) => page.next) };
  });
  return html`<nav class="side ${open ? "open" : ""}" aria-label="Views">
    <a class="brand" href="#/"><img src="icon.svg" alt="" />Erstwhile</a>
    ${VIEWS.map(([title, views]) => html`<div><h2>${title}</h2>${views.map(([to, name, , icon]) => html`
      <a class="item" href="#/${to}" aria-current=${path === to ? "page" : undefined}>
        <svg viewBox="0 0 16 16" aria-hidden="true"><path d=${icon} /></svg>${name}
        ${to === "review" && waiting.data?.count > 0 && html`<span class="count" title="waiting for a person">
          ${waiting.data.count}${waiting.data.more ? "+" : ""}</span>`}
      </a>`)}</div>`)}
    <p class="quiet">Times are in UTC.</p>
  </nav>`;
}

function View({ path, rest, query }) {
  const [view, setView] = useState(null);
  const module = moduleOf(path);
  const [failure, again] = useErrorBoundary();
  useEffect(() => { if (failure) again(); }, [path, rest]);
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
  useFocus(path, rest);
  useEffect(() => { document.title = `${document.getElementById("title")?.textContent ?? "Console"} · Erstwhile`; });
  if (!module) return html`<div class="page"><h1 id="title">Not found</h1><p>There is no view at this address. <a href="#/">Go to the overview</a></p></div>`;
  if (failure) return html`<div class="page"><h1 id="title">This view failed</h1><${Problem} error=${failure} /><div><button class="button" onClick=${again}>Try again</button></div></div>`;
  if (view?.module !== module) return html`<div class="page"><${Loading} /></div>`;
  return html`<${view.component} rest=${rest} query=${query} />`;
}

const focusContent = () => document.querySelector("main")?.focus({ preventScroll: true });

// Another view begins with the focus on its beginning.
function useFocus(path, rest) {
  const last = useRef(null);
  useEffect(() => {
    if (last.current !== null && last.current !== path) focusContent();
    last.current = path;
  }, [path, rest]);
}

// An element that goes away while it has the focus leaves it to the content.
function keepFocus(root) {
  let focused = null;
  addEventListener("focusin", (event) => { focused = event.target; });
  new MutationObserver(() => {
    if (!focused || focused.isConnected) return;
    focused = null;
    if (document.activeElement === document.body) focusContent();
  }).observe(root, { childList: true, subtree: true });
}

const MOST_SCOPES = 200;
const OTHER = "another…";
const nameOf = (scope) => (named(scope).length ? scopeText(scope) : scope.shared || !canSeeEverything() ? "shared only" : "everybody");

// A scope with facts, or any other: an agent may see a combination that has no facts of its own.
function ScopePicker() {
  const { about, scope } = useShared();
  const { ask, dialog } = useAsk();
  const query = useQuery(async () => (canSeeEverything() ? items(await get("/scopes", {}, { scope: null })) : []));
  if (named(about.scope).length) return html`<span class="row small"><span class="quiet">Memory of</span><${Scope} of=${about.scope} /></span>`;
  const known = (query.data ?? []).map((each) => each.scope).filter((each) => named(each).length).slice(0, MOST_SCOPES);
  const choices = new Map([...(canSeeEverything() ? [{}] : []), { shared: true }, scope, ...known].map((each) => [nameOf(each), each]));
  const other = () => ask({
    title: "Another memory", text: "An agent sees what is stored for its user, agent, project and session, and what is shared.", action: "Show",
    fields: DIMENSIONS.map((name) => ({ name, label: name[0].toUpperCase() + name.slice(1), value: scope[name] })),
    confirm: (given) => update({ scope: filled(given) }),
  });
  const choose = (name) => (name === OTHER ? other() : update({ scope: choices.get(name) }));
  return html`<label class="row small"><span class="quiet label">Memory of</span>
    <${Choice} label="Memory of" key=${nameOf(scope) + Boolean(dialog)} value=${nameOf(scope)} onChoose=${choose} options=${[...choices.keys(), OTHER]} /></label>${dialog}`;
}

// The views that do not follow the moment, and those that follow only when something was known.
const PRESENT = ["review", "tasks", "snapshots"];
const KNOWN = ["prompt", "blocks", "conversations", "decisions", "lessons", "usage", "audit"];

function Moment({ path }) {
  const { as_of, known_at } = useShared().moment;
  const knows = KNOWN.includes(path) && known_at;
  const isPresent = PRESENT.includes(path) || (KNOWN.includes(path) && !knows);
  return html`<div class="moment" role="status">
    <span>${isPresent ? "This view shows the present, not " : "Showing "}${knows ? html`what was known on <b>${day(known_at)}</b>` : html`${as_of ? html`what was true on <b>${day(as_of)}
      </b>` : "what is true now"}${known_at ? html`, as known on <b>${day(known_at)}</b>` : ""}`}.</span>
    <a href="#/time">Change</a>
    <button class="button" onClick=${() => update({ moment: { as_of: null, known_at: null } })}>Back to now</button>
  </div>`;
}

function undoLast() {
  const { undo } = state.toast ?? {};
  if (!undo) return;
  update({ toast: null });
  undo();
}

function Toast({ text, undo }) {
  return html`<div class="toast" role="status">${text}${undo && html`<button class="button" onClick=${undoLast}>Undo <kbd class="keyboard" aria-hidden="true">u</kbd></button>`}</div>`;
}

// "/" goes to the search field, "g" and a letter to a view, "?" lists the keys.
function useShortcuts(setMenu, setHelp) {
  useEffect(() => {
    let chord = false;
    const pressed = (event) => {
      if (event.target.closest("input,textarea,select,dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.key === "/") { event.preventDefault(); document.querySelector("input[type=search]")?.focus(); }
      if (event.key === "?") setHelp(true);
      if (event.key === "Escape") setMenu(false);
      if (event.key === "u" && !chord) undoLast();
      if (chord && KEYS.has(event.key)) {
        event.preventDefault(); // the second key decides nothing in the view
        location.hash = `#/${KEYS.get(event.key)}`;
      }
      chord = event.key === "g" && !chord;
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, []);
}

const KEYS_OF_VIEWS = [
  ["/", "search"], ["j k", "next and previous row or item"], ["Enter", "open"], ["y n", "in Review: keep, reject"], ["b x", "in Review: keep both, mark"], ["u", "undo the last change"],
  ["arrows", "in Time: move the cross-hair by a day, with Shift by a week"], ["Esc", "close a dialog or the menu"], ["?", "these keys"],
];

const Help = ({ close }) => html`<${Dialog} title="Keys" close=${close}>
  <dl class="keys">${[...ALL.map(([, name, key]) => [`g ${key}`, name]), ...KEYS_OF_VIEWS].map(([keys, text]) => html`
    <dt>${keys.split(" ").map((key) => html`<kbd>${key}</kbd> `)}</dt><dd>${text}</dd>`)}</dl>
  <div class="row end"><button type="button" class="button" onClick=${leave}>Close</button></div>
<//>`;

keepFocus(document.getElementById("app"));
render(html`<${App} />`, document.getElementById("app"));
