import type { GrowthCurve } from "./growth-chart.ts";
import type { MeasuredRow } from "./results.ts";

const smallest = 1_000;

/** The rows that are points of curves, by work. What is done per second turns into cost: half as much costs twice as much. */
export function growthCurves(rows: readonly MeasuredRow[]): GrowthCurve[] {
  const curves = new Map<string, { consumers: number; cost: number }[]>();
  for (const { growth, reached, figure } of rows) {
    if (!growth || reached === undefined) continue;
    const points = curves.getOrInsertComputed(growth.work, () => [{ consumers: smallest, cost: 1 }]);
    points.push({ consumers: growth.consumers, cost: figure === "perSecond" ? 1 / reached : reached });
  }
  return [...curves].map(([work, points]) => ({ work, points }));
}
