// The difference of two texts, word by word: the longest common subsequence is kept.
import { html } from "./ui.js";

const MOST = 1500;

export function Difference({ before, after }) {
  const [a, b] = [before, after].map((text) => text.split(/(\s+)/));
  const start = a.findIndex((word, index) => word !== b[index]);
  const same = start < 0 ? a.length : start;
  const [left, right] = [a.slice(same), b.slice(same)];
  let tail = 0;
  while (tail < Math.min(left.length, right.length) && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const parts = [a.slice(0, same).join(""), ...changed(left.slice(0, left.length - tail), right.slice(0, right.length - tail)), left.slice(left.length - tail).join("")];
  return html`<pre class="text diff">${parts}</pre>`;
}

function changed(a, b) {
  if (a.length > MOST || b.length > MOST) return [html`<del>${a.join("")}</del>`, html`<ins>${b.join("")}</ins>`];
  const common = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) common[i][j] = a[i] === b[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
  }
  const parts = [];
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) { parts.push(a[i]); i += 1; j += 1; }
    else if (j < b.length && (i === a.length || common[i][j + 1] >= common[i + 1][j])) { parts.push(html`<ins>${b[j]}</ins>`); j += 1; }
    else { parts.push(html`<del>${a[i]}</del>`); i += 1; }
  }
  return parts;
}
