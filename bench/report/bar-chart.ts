import type { Figure } from "../sample.ts";
import { renderNumber } from "../table.ts";
import type { Contestant } from "./contestants.ts";
import { bar, characterWidth, contentTop, margin, svg, text } from "./svg.ts";

const width = 860;
const barHeight = 16;
const barStep = 21;
const groupGap = 16;

/** A bar for each contestant. The works differ by orders of magnitude, so every group is to a scale of its own. */
export function barChart(title: string, groups: readonly Contestant[][], figure: Figure, unit: string): string {
  const nameLengths = groups.flat().map((contestant) => contestant.name.length);
  const left = margin + Math.max(...nameLengths) * characterWidth + 8;
  const maxBarWidth = width - left - margin - 80;
  const content = [text(margin, contentTop - 6, "Blue is Tollgate. Bars are to scale within a group.", "quiet")];
  let y = contentTop + groupGap;
  for (const group of groups) {
    const largest = Math.max(...group.map((contestant) => contestant.sample[figure]));
    for (const { name, isOurs, sample } of group) {
      const length = (sample[figure] / largest) * maxBarWidth;
      content.push(
        text(left - 8, y + 12, name, "end"),
        bar(left, y, length, barHeight, isOurs ? "ours" : "theirs"),
        text(left + length + 6, y + 12, `${renderNumber(sample[figure])}${unit}`),
      );
      y += barStep;
    }
    y += groupGap;
  }
  return svg(title, width, y, content);
}
