import { renderNumber } from "../table.ts";
import type { Contestant } from "./contestants.ts";
import { characterWidth, contentTop, dot, line, margin, svg, text } from "./svg.ts";

const width = 860;
const step = 21;
const groupGap = 16;

/** For each contestant a line from p50 to p99, over milliseconds that grow tenfold from mark to mark. */
export function latencyChart(title: string, groups: readonly Contestant[][]): string {
  const samples = groups.flat().map((contestant) => contestant.sample);
  const from = Math.floor(Math.log10(Math.min(...samples.map((sample) => sample.p50Microseconds))));
  const to = Math.ceil(Math.log10(Math.max(...samples.map((sample) => sample.p99Microseconds))));
  const left = margin + Math.max(...groups.flat().map(({ name }) => name.length)) * characterWidth + 8;
  const right = width - margin - 20;
  const xOf = (microseconds: number) => left + ((Math.log10(microseconds) - from) / (to - from)) * (right - left);
  const bottom = contentTop + groups.flat().length * step + (groups.length + 1) * groupGap;

  const content = [
    text(margin, contentTop - 6, "Blue is Tollgate. Full dot: p50. Ring: p99. Less is better.", "quiet"),
  ];
  for (let power = from; power <= to; power++) {
    const x = xOf(10 ** power);
    content.push(line(x, contentTop + 4, x, bottom, "line"));
    content.push(text(x, bottom + 16, `${renderMilliseconds(10 ** power)} ms`, "quiet middle"));
  }
  let y = contentTop + groupGap + 10;
  for (const group of groups) {
    for (const { name, isOurs, sample } of group) {
      const className = isOurs ? "ours" : "theirs";
      const [p50, p99] = [xOf(sample.p50Microseconds), xOf(sample.p99Microseconds)];
      content.push(
        text(left - 8, y + 4, name, "end"),
        line(p50, y, p99, y, className),
        dot(p50, y, className),
        dot(p99, y, className, 'style="fill: none"'),
      );
      y += step;
    }
    y += groupGap;
  }
  return svg(title, width, bottom + 30, content);
}

function renderMilliseconds(microseconds: number): string {
  return microseconds < 1000 ? String(microseconds / 1000) : renderNumber(microseconds / 1000);
}
