// The plane of two times. To the right: when something was true. Upwards: when we knew.
//
// Each state of a fact is believed from the moment it was recorded until the next one was. When a fact
// is superseded, the belief does not go away: it shrinks to the time until `valid_to`. When it was
// wrong, in quarantine or deleted, nothing of it is believed.
import { useRef } from "./vendor/hooks.mjs";
import { DAY, cut, day, standing, tickLabel, ticks } from "./format.js";
import { isPast } from "./state.js";
import { html, useWidth } from "./ui.js";

export const EDGE = { left: 64, right: 1, top: 22, bottom: 46 };
const PILL = { width: 60, height: 18 };
const DRAG = 4;
const MANY = 40;
const FEW = 6;
const LETTER = 6.6;
const time = (text) => (text ? +new Date(text) : null);
const clamp = (value, low, high) => Math.min(high, Math.max(low, value));

// The rectangles [from, to) × [since, until) in which a fact was believed; Infinity is open. A fact has
// its `states`, the oldest first, unless it never changed.
export function areas({ states, ...fact }) {
  const all = states ?? [fact];
  const found = [];
  for (const [index, each] of all.entries()) {
    const [from, to, since] = [time(each.valid_from), time(each.ends_at) ?? Infinity, time(each.known_from)];
    const until = time(all[index + 1]?.known_from) ?? Infinity;
    const last = found.at(-1);
    if (each.trust !== "trusted" || each.deleted_at || to <= from) continue;
    if (last?.until === since && last.from === from && last.to === to) last.until = until;
    else found.push({ from, to, since, until });
  }
  return found;
}

// The states of each fact of a history, whose steps may be those of several facts.
export function withStates(steps) {
  return [...Map.groupBy(steps, ({ fact }) => fact.id).values()].map((own) => ({ ...own.at(-1).fact, states: own.map(({ fact }) => fact) }));
}

const holds = (area, { asOf, knownAt }) => area.from <= asOf && asOf < area.to && area.since <= knownAt && knownAt < area.until;

export const believed = (fact, hair) => areas(fact).some((area) => holds(area, hair));

// The part of both axes that shows all facts, without very old beginnings.
export function extent(facts, months = 0) {
  const now = Date.now();
  const recorded = facts.map((fact) => time((fact.states?.[0] ?? fact).known_from));
  const known = Math.min(now - 7 * DAY, ...recorded);
  const span = now - known;
  const earliest = Math.min(known, ...facts.map((fact) => time(fact.valid_from)));
  const latest = Math.max(now, ...facts.flatMap((fact) => [time(fact.valid_from), time(fact.expires_at) ?? 0]));
  const left = months ? now - months * 30 * DAY : Math.max(earliest - span * 0.04, known - span * 0.5);
  return {
    left,
    right: Math.min(latest, now + span * 0.5) + span * 0.1,
    bottom: (months ? Math.max(known, left) : known) - span * 0.03,
    top: now + span * 0.04,
    now,
  };
}

export function Plane({ height = 420, ...given }) {
  const [element, width] = useWidth();
  return html`<div ref=${element} style=${{ minHeight: `${height}px` }}>${width > 0 && html`<${Drawing} ...${given} width=${width} height=${height} />`}</div>`;
}

// The two scales of a drawing, and the way back from a place to a pair of times.
function scales(range, width, height) {
  const inner = { width: width - EDGE.left - EDGE.right, height: height - EDGE.top - EDGE.bottom };
  const [across, up] = [range.right - range.left, range.top - range.bottom];
  return {
    inner,
    x: (at) => EDGE.left + clamp((at - range.left) / across, -0.05, 1.05) * inner.width,
    y: (at) => EDGE.top + (1 - clamp((at - range.bottom) / up, -0.05, 1.05)) * inner.height,
    pair: (left, top) => ({
      asOf: range.left + clamp((left - EDGE.left) / inner.width, 0, 1) * across,
      knownAt: Math.min(range.now, range.bottom + clamp(1 - (top - EDGE.top) / inner.height, 0, 1) * up),
    }),
  };
}

// `within` are the facts that set the scale. Facts that are `apart` never cover each other.
function Drawing({ facts, within = facts, apart, width, height, hair, onMove, onChoose, months }) {
  const svg = useRef();
  const range = extent(within, months);
  const scale = scales(range, width, height);
  const { x, y, inner } = scale;
  const bottom = height - EDGE.bottom;
  const drag = useDrag(svg, (left, top) => onMove?.(scale.pair(left, top)));
  const choose = (fact) => onChoose && !drag.moved() && onChoose(fact);
  return html`<svg class="drawing" ref=${svg} viewBox="0 0 ${width} ${height}" height=${height} role=${onMove ? "group" : "img"}
      aria-label="Plane of two times: when facts were true, and when they were known" ...${onMove ? drag.listeners : {}}>
    <clipPath id="inside-${height}"><rect x=${EDGE.left} y=${EDGE.top} width=${inner.width} height=${inner.height} /></clipPath>
    <${Grid} range=${range} hair=${hair} scale=${scale} width=${width} bottom=${bottom} />
    <g clip-path="url(#inside-${height})">
      <rect class="future" x=${x(range.now)} y=${EDGE.top} width=${width} height=${inner.height} />
      ${facts.map((fact) => html`<${FactAreas} key=${fact.id} fact=${fact} scale=${scale} hair=${hair} choose=${choose}
        style=${apart ? "apart" : facts.length > MANY ? "many" : ""} />`)}
      <line class="diagonal" x1=${x(range.bottom)} y1=${y(range.bottom)} x2=${x(range.now)} y2=${y(range.now)} />
      <line class="now" x1=${x(range.now)} x2=${x(range.now)} y1=${EDGE.top} y2=${bottom} />
    </g>
    <text x=${x(range.now)} y=${EDGE.top - 6} text-anchor="middle">now${onMove && !isPast() && html`<tspan class="strong">: drag me</tspan>`}</text>
    <text class="strong" x=${width} y=${height - 6} text-anchor="end">when it was true →</text>
    <text class="strong" x=${EDGE.left} y="13">↑ when we knew</text>
    <${Hair} hair=${hair} scale=${scale} range=${range} width=${width} bottom=${bottom} onMove=${onMove}>
      ${(apart || facts.length <= FEW) && facts.map((fact) => html`<${Label} key=${fact.id} fact=${fact} now=${y(range.now)} scale=${scale} hair=${hair} />`)}<//>
  </svg>`;
}

// A press moves the cross-hair, and so does a drag that begins anywhere.
function useDrag(svg, place) {
  const start = useRef(null);
  const far = useRef(false);
  const put = (event) => {
    const box = svg.current.getBoundingClientRect();
    place(event.clientX - box.left, event.clientY - box.top);
  };
  const onPointerDown = (event) => { start.current = [event.clientX, event.clientY]; far.current = false; };
  const onPointerMove = (event) => {
    if (!start.current || !event.buttons) return;
    const [left, top] = start.current;
    if (!far.current && Math.hypot(event.clientX - left, event.clientY - top) < DRAG) return;
    if (!far.current) svg.current.setPointerCapture(event.pointerId);
    far.current = true;
    put(event);
  };
  const onPointerUp = (event) => {
    if (start.current && !far.current && !event.target.classList.contains("rect")) put(event);
    start.current = null;
  };
  return { moved: () => far.current, listeners: { onPointerDown, onPointerMove, onPointerUp } };
}

function Grid({ range, hair, scale: { x, y, inner }, width, bottom }) {
  const across = ticks(range.left, range.right, Math.max(2, Math.floor(inner.width / 80)));
  const up = ticks(range.bottom, range.top, Math.max(2, Math.floor(inner.height / 60)));
  return html`
    ${across.map((at) => html`<line class="axis" x1=${x(at)} x2=${x(at)} y1=${EDGE.top} y2=${bottom} />
      ${Math.abs(x(at) - x(hair.asOf)) > PILL.width && html`<text x=${x(at)} y=${bottom + 16} text-anchor="middle">${tickLabel(at, range.right - range.left)}</text>`}`)}
    ${up.map((at) => html`<line class="axis" x1=${EDGE.left} x2=${width} y1=${y(at)} y2=${y(at)} />
      ${Math.abs(y(at) - y(hair.knownAt)) > PILL.height && html`<text x=${EDGE.left - 8} y=${y(at) + 4} text-anchor="end">
        ${tickLabel(at, range.top - range.bottom)}</text>`}`)}
    <line class="axis" x1=${EDGE.left} x2=${width} y1=${bottom} y2=${bottom} /><line class="axis" x1=${EDGE.left} x2=${EDGE.left} y1=${EDGE.top} y2=${bottom} />`;
}

// The box of an area on the drawing.
function box(area, { x, y }) {
  const [left, top] = [x(area.from), y(area.until)];
  return { left, top, width: Math.max(1.5, x(area.to) - left), height: Math.max(1.5, y(area.since) - top) };
}

const FactAreas = ({ fact, scale, hair, choose, style }) => html`<g class=${standing(fact)} onClick=${() => choose(fact)}>${areas(fact).map((area) => {
  const { left, top, width, height } = box(area, scale);
  return html`<rect class="rect ${style} ${holds(area, hair) ? "held" : ""}" x=${left} y=${top} width=${width} height=${height}><title>
    ${fact.key ? `${fact.key}: ` : ""}${fact.text}</title></rect>`;
})}</g>`;

// The text of a fact in the upper corner of its first area, where it fits: below the line of now. The
// cross-hair passes behind it.
function Label({ fact, now, scale, hair }) {
  const [area] = areas(fact);
  const { left, top, width, height } = area ? box(area, scale) : { width: 0 };
  const start = Math.max(left, EDGE.left);
  const letters = (Math.min(left + width, EDGE.left + scale.inner.width) - start - 16) / LETTER;
  const line = Math.max(top, now) + 20;
  if (!(letters > 3 && line < top + height - 4)) return null;
  return html`<text class="label strong ${standing(fact)} ${holds(area, hair) ? "held" : ""}" x=${start + 8} y=${line} pointer-events="none">${cut(fact.text, letters)}</text>`;
}

const STEPS = { ArrowLeft: [-DAY, 0], ArrowRight: [DAY, 0], ArrowUp: [0, DAY], ArrowDown: [0, -DAY] };

function Hair({ hair, scale: { x, y, inner }, range, width, bottom, onMove, children }) {
  const [left, top] = [clamp(x(hair.asOf), EDGE.left, width - 1), clamp(y(hair.knownAt), EDGE.top, bottom)];
  const onKeyDown = (event) => {
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    const [across, up] = step.map((each) => each * (event.shiftKey ? 7 : 1));
    onMove({ asOf: hair.asOf + across, knownAt: Math.min(range.now, hair.knownAt + up) });
  };
  return html`
    <line class="hair" x1=${left} x2=${left} y1=${EDGE.top} y2=${bottom} />
    <line class="hair" x1=${EDGE.left} x2=${width} y1=${top} y2=${top} />
    ${children}
    <${Pill} x=${clamp(left, EDGE.left + 34, EDGE.left + inner.width - 34)} y=${bottom + 11} text=${tickLabel(hair.asOf, 0)} />
    <${Pill} x=${EDGE.left - 32} y=${top} text=${tickLabel(hair.knownAt, 0)} />
    ${!onMove ? html`<circle class="handle still" cx=${left} cy=${top} r="5" />` : html`<circle class="grip" cx=${left} cy=${top} r="24" /><circle class="handle" cx=${left} cy=${top} r="9" tabindex="0" role="slider" aria-label="Moment: arrow keys move it by a day, with Shift by a week"
      aria-valuetext="true on ${day(hair.asOf)}, known on ${day(hair.knownAt)}" aria-valuenow=${Math.round(hair.asOf / DAY)}
      aria-valuemin=${Math.round(range.left / DAY)} aria-valuemax=${Math.round(range.right / DAY)} onKeyDown=${onKeyDown} />`}`;
}

const Pill = ({ x, y, text }) => html`<rect class="pill" x=${x - PILL.width / 2} y=${y - PILL.height / 2} width=${PILL.width} height=${PILL.height} rx="9" />
  <text class="pill-text" x=${x} y=${y + 4} text-anchor="middle">${text}</text>`;
