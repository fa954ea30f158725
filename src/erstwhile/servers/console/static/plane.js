// The plane of two times. To the right: when something was true. Upwards: when we knew.
//
// A fact is believed from the moment it was recorded, for all times from `valid_from` on. When it is
// superseded, the belief does not go away: it shrinks to the time until `valid_to`. When it was
// wrong, nothing of it is believed any more.
import { useRef } from "./vendor/hooks.mjs";
import { html, day, standing, useWidth } from "./ui.js";

const DAY = 86_400_000;
const EDGE = { left: 58, right: 12, top: 10, bottom: 30 };
const time = (text) => (text ? +new Date(text) : null);

// The rectangles [from, to) × [since, until) in which a fact was believed; Infinity is open.
export function areas(fact) {
  const from = time(fact.valid_from);
  const planned = time(fact.expires_at) ?? Infinity;
  const since = time(fact.recorded_at);
  const ended = fact.ending === "expired" ? null : time(fact.retired_at);
  const first = { from, to: planned, since, until: ended ?? Infinity };
  const rest = ended !== null && fact.ending !== "wrong" && fact.valid_to ? [{ from, to: time(fact.valid_to), since: ended, until: Infinity }] : [];
  return [first, ...rest].filter((area) => area.to > area.from);
}

export const believed = (fact, asOf, knownAt) =>
  areas(fact).some((area) => area.from <= asOf && asOf < area.to && area.since <= knownAt && knownAt < area.until);

// The part of both axes that shows all facts, without very old beginnings.
export function extent(facts, months = 0) {
  const now = Date.now();
  const recorded = facts.map((fact) => time(fact.recorded_at));
  const known = Math.min(now - 7 * DAY, ...recorded);
  const span = now - known;
  const earliest = Math.min(known, ...facts.map((fact) => time(fact.valid_from)));
  const latest = Math.max(now, ...facts.flatMap((fact) => [time(fact.valid_from), time(fact.expires_at) ?? 0]));
  const left = months ? now - months * 30 * DAY : Math.max(earliest, known - span * 0.6);
  return { left, right: Math.min(latest, now + span * 0.6) + span * 0.06, bottom: months ? Math.max(known, left) : known, top: now + span * 0.03, now };
}

export function Plane({ facts, height = 420, hair, onMove, chosen, onChoose, months }) {
  const [element, width] = useWidth();
  return html`<div ref=${element}>${width > 0 && html`<${Drawing} ...${{ facts, width, height, hair, onMove, chosen, onChoose, months }} />`}</div>`;
}

function Drawing({ facts, width, height, hair, onMove, chosen, onChoose, months }) {
  const svg = useRef();
  const range = extent(facts, months);
  const inner = { width: width - EDGE.left - EDGE.right, height: height - EDGE.top - EDGE.bottom };
  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
  const x = (at) => EDGE.left + ((clamp(at, range.left, range.right) - range.left) / (range.right - range.left)) * inner.width;
  const y = (at) => EDGE.top + inner.height - ((clamp(at, range.bottom, range.top) - range.bottom) / (range.top - range.bottom)) * inner.height;
  const place = (event) => {
    const box = svg.current.getBoundingClientRect();
    const across = clamp((event.clientX - box.left - EDGE.left) / inner.width, 0, 1);
    const up = clamp(1 - (event.clientY - box.top - EDGE.top) / inner.height, 0, 1);
    onMove({ asOf: range.left + across * (range.right - range.left), knownAt: Math.min(range.now, range.bottom + up * (range.top - range.bottom)) });
  };
  const drag = (event) => { if (event.buttons && onMove) place(event); };
  const keys = (event) => {
    const step = (event.shiftKey ? 7 : 1) * DAY;
    const [across, up] = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key] ?? [0, 0];
    if (!across && !up) return;
    event.preventDefault();
    onMove({ asOf: hair.asOf + across, knownAt: Math.min(range.now, hair.knownAt + up) });
  };
  return html`<svg class="drawing" ref=${svg} viewBox="0 0 ${width} ${height}" height=${height} role=${onMove ? "application" : "img"}
      aria-label="Plane of two times: when facts were true, and when they were known" onPointerMove=${drag}
      onPointerDown=${(event) => { if (!onMove || event.target.classList.contains("rect")) return; svg.current.setPointerCapture(event.pointerId); place(event); }}>
    <rect class="future" x=${x(range.now)} y=${EDGE.top} width=${Math.max(0, width - EDGE.right - x(range.now))} height=${inner.height} />
    ${ticks(range.left, range.right, Math.max(2, Math.floor(inner.width / 110))).map((at) => html`<g><line class="axis" x1=${x(at)} x2=${x(at)} y1=${EDGE.top} y2=${height - EDGE.bottom} /><text x=${x(at)} y=${height - EDGE.bottom + 14} text-anchor="middle">${label(at, range.right - range.left)}</text></g>`)}
    ${ticks(range.bottom, range.top, Math.max(2, Math.floor(inner.height / 60))).map((at) => html`<g><line class="axis" x1=${EDGE.left} x2=${width - EDGE.right} y1=${y(at)} y2=${y(at)} /><text x=${EDGE.left - 6} y=${y(at) + 4} text-anchor="end">${label(at, range.top - range.bottom)}</text></g>`)}
    ${inOrder(facts, chosen).map((fact) => areas(fact).map((area, index) => html`<${Area} fact=${fact} style=${style(fact, chosen)} named=${index === 0 && (chosen?.(fact) || facts.length <= 6)}
      left=${x(area.from)} right=${x(area.to)} top=${y(area.until)} bottom=${y(area.since)} onChoose=${onChoose} />`))}
    <line class="now" x1=${x(range.now)} x2=${x(range.now)} y1=${EDGE.top} y2=${height - EDGE.bottom} />
    <text x=${x(range.now)} y=${height - 3} text-anchor="middle">now</text>
    <text x=${EDGE.left} y=${height - 3}>when it was true →</text>
    <text x=${4} y=${EDGE.top + 4} transform="rotate(-90 12 ${EDGE.top + 4})" text-anchor="end">when we knew →</text>
    ${hair && html`<g>
      <line class="hair" x1=${x(hair.asOf)} x2=${x(hair.asOf)} y1=${EDGE.top} y2=${height - EDGE.bottom} />
      <line class="hair" x1=${EDGE.left} x2=${width - EDGE.right} y1=${y(hair.knownAt)} y2=${y(hair.knownAt)} />
      <circle class="handle" cx=${x(hair.asOf)} cy=${y(hair.knownAt)} r="9" tabindex="0" role="slider" aria-label="Moment: arrow keys move it by a day, with Shift by a week"
        aria-valuetext="true on ${day(hair.asOf)}, known on ${day(hair.knownAt)}" aria-valuenow=${Math.round(hair.asOf / DAY)} onKeyDown=${keys} />
    </g>`}
  </svg>`;
}

// The chosen facts are drawn last, above the others.
const inOrder = (facts, chosen) => (chosen ? [...facts].sort((a, b) => chosen(a) - chosen(b)) : facts);

function Area({ fact, style, named, left, right, top, bottom, onChoose }) {
  const width = Math.max(1.5, right - left);
  const letters = Math.floor((width - 16) / 6.4);
  return html`<g class=${standing(fact)}>
    <rect class="rect ${style}" x=${left} y=${top} width=${width} height=${Math.max(1.5, bottom - top)} onClick=${onChoose && (() => onChoose(fact))}><title>${fact.key ? `${fact.key}: ` : ""}${fact.text}</title></rect>
    ${named && letters > 3 && bottom - top > 16 && html`<text class="strong" x=${left + 8} y=${bottom - 8} pointer-events="none">${fact.text.length > letters ? `${fact.text.slice(0, letters - 1)}…` : fact.text}</text>`}
  </g>`;
}

const style = (fact, chosen) => (!chosen ? "" : chosen(fact) ? "chosen" : "faint");

// Round dates between two times: days, months or years, as they fit.
function ticks(from, to, most) {
  const steps = [1, 2, 7, 14, 30, 61, 91, 182, 365, 730, 1826, 3652].map((days) => days * DAY);
  const step = steps.find((each) => (to - from) / each <= most) ?? steps.at(-1);
  const found = [];
  for (let at = new Date(from); +at <= to; ) {
    found.push(+at);
    if (step < 28 * DAY) at = new Date(+at + step);
    else at = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + Math.round(step / (30.4 * DAY)), 1));
  }
  return found.slice(1);
}

function label(at, span) {
  const options = span > 1000 * DAY ? { year: "numeric" } : span > 200 * DAY ? { month: "short", year: "2-digit" } : { day: "numeric", month: "short" };
  return new Date(at).toLocaleDateString("en-GB", options);
}
