import type { Topic } from "../benchmarks.ts";
import { barChart } from "./bar-chart.ts";
import { groupContestants } from "./contestants.ts";
import { growthChart } from "./growth-chart.ts";
import { growthCurves } from "./growth-curves.ts";
import { latencyChart } from "./latency-chart.ts";
import type { MeasuredRow, Results } from "./results.ts";

export interface Chart {
  readonly topic: Topic;
  readonly fileName: string;
  readonly title: string;
  readonly svg: string;
}

/** The charts that this run has figures for. */
export function drawCharts({ rows }: Results): Chart[] {
  return [
    ...contestCharts("gateway", "Gateway", rows),
    ...contestCharts("keys", "Keys", rows),
    ...contestCharts("metering", "Metering", rows),
    ...growthCharts(rows),
  ];
}

function contestCharts(topic: Topic, name: string, rows: readonly MeasuredRow[]): Chart[] {
  const groups = groupContestants(rows.filter((row) => row.topic === topic));
  if (groups.length === 0) return [];
  const rate = `${name}: requests per second`;
  const latency = `${name}: latency`;
  return [
    { topic, fileName: `${topic}-rate.svg`, title: rate, svg: barChart(rate, groups, "perSecond", "/s") },
    { topic, fileName: `${topic}-latency.svg`, title: latency, svg: latencyChart(latency, groups) },
  ];
}

function growthCharts(rows: readonly MeasuredRow[]): Chart[] {
  const curves = growthCurves(rows);
  const title = "Cost of a request as the number of consumers grows";
  return curves.length === 0
    ? []
    : [{ topic: "growth", fileName: "growth.svg", title, svg: growthChart(title, curves) }];
}
