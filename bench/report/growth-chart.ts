import { characterWidth, contentTop, dot, line, margin, round, svg, text } from "./svg.ts";

const width = 860;
const height = 420;
/** Distinct on a light and on a dark background. */
const colours = ["#3b8fd4", "#d9730d", "#2da44e", "#c05fa8", "#b08800", "#8f7ae5", "#e5534b"];

/** The cost at each size, relative to the smallest. */
export interface GrowthCurve {
  readonly work: string;
  readonly points: readonly { readonly consumers: number; readonly cost: number }[];
}

export function growthChart(title: string, curves: readonly GrowthCurve[]): string {
  const points = curves.flatMap((curve) => curve.points);
  const powers = points.map((point) => Math.log10(point.consumers));
  const [from, to] = [Math.min(...powers), Math.max(...powers)];
  const highest = Math.ceil(Math.max(2, ...points.map((point) => point.cost)));
  const left = margin + 34;
  const right = width - margin - Math.max(...curves.map((curve) => curve.work.length)) * characterWidth - 70;
  const bottom = height - margin - 24;
  const xOf = (consumers: number) => left + ((Math.log10(consumers) - from) / (to - from)) * (right - left);
  const yOf = (cost: number) => bottom - (cost / highest) * (bottom - contentTop - 8);

  const content = [
    text(margin, contentTop - 6, "1 is the cost among a thousand; a flat line is what is wanted.", "quiet"),
  ];
  const stepOfCost = highest / 4;
  for (let cost = 0; cost <= highest; cost += stepOfCost) {
    content.push(
      line(left, yOf(cost), right, yOf(cost), "line"),
      text(left - 8, yOf(cost) + 4, `${cost} ×`, "quiet end"),
    );
  }
  for (const consumers of new Set(points.map((point) => point.consumers))) {
    content.push(text(xOf(consumers), bottom + 18, consumers.toLocaleString("en"), "quiet middle"));
  }
  const labels = spread(curves.map((curve) => yOf(curve.points.at(-1)!.cost)));
  for (const [index, { work, points: own }] of curves.entries()) {
    const colour = colours[index % colours.length]!;
    const path = own.map(({ consumers, cost }) => `${round(xOf(consumers))},${round(yOf(cost))}`).join(" ");
    content.push(`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`);
    for (const { consumers, cost } of own) content.push(dot(xOf(consumers), yOf(cost), "", `fill="${colour}"`));
    const lastCost = own.at(-1)!.cost;
    const labelAt = labels[index]!;
    content.push(
      line(right + 8, yOf(lastCost), right + 20, labelAt, "line"),
      dot(right + 26, labelAt, "", `fill="${colour}"`),
      text(right + 36, labelAt + 4, `${work} ${lastCost.toFixed(2)}`),
    );
  }
  return svg(title, width, height, content);
}

const labelHeight = 17;

/** Moves labels apart that would cover each other, and keeps their order. */
function spread(heights: readonly number[]): number[] {
  const placed = [...heights];
  const order = heights.map((_, index) => index).sort((one, other) => heights[one]! - heights[other]!);
  for (const [rank, index] of order.entries()) {
    const above = rank === 0 ? Number.NEGATIVE_INFINITY : placed[order[rank - 1]!]!;
    placed[index] = Math.max(placed[index]!, above + labelHeight);
  }
  // Labels are only pushed down above; half of the last one's shift is now subtracted from all.
  const moved = Math.max(...placed.map((height, index) => height - heights[index]!));
  return placed.map((height) => height - moved / 2);
}
