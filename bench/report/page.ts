import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type Topic, topics } from "../benchmarks.ts";
import { projectRoot } from "../child-process.ts";
import { isMet, limit } from "../row.ts";
import { renderCells, renderReached, renderTarget, tableHeadings } from "../table.ts";
import { type Chart, drawCharts } from "./charts.ts";
import type { GrowthCurve } from "./growth-chart.ts";
import { growthCurves } from "./growth-curves.ts";
import type { MeasuredRow, Results } from "./results.ts";

const page = join(projectRoot, "docs/performance.md");
const chartFolder = join(projectRoot, "docs/performance");

/** The page and its charts, made of nothing but the results. */
export async function writePage(results: Results): Promise<void> {
  const charts = drawCharts(results);
  rmSync(chartFolder, { recursive: true, force: true });
  mkdirSync(chartFolder, { recursive: true });
  for (const { fileName, svg } of charts) await Bun.write(join(chartFolder, fileName), svg);
  await Bun.write(page, renderPage(results, charts));
}

function renderPage(results: Results, charts: readonly Chart[]): string {
  const sections = (Object.keys(topics) as Topic[])
    .filter((topic) => results.rows.some((row) => row.topic === topic))
    .map((topic) => renderSection(topic, results, charts));
  return `${[renderHead(results), renderPromises(results.rows), ...sections].join("\n\n")}\n`;
}

function renderHead({
  date,
  minutes,
  machine,
  versions: { tollgate = "", ...versions },
  rows,
  again = [],
}: Results): string {
  const programs = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const complete = { date, tollgate, benchmarks: [] };
  const lastRunOf = (name: string) => again.findLast(({ benchmarks }) => benchmarks.includes(name)) ?? complete;
  const runs = [...Map.groupBy(new Set(rows.map(({ benchmark }) => benchmark)), lastRunOf)];
  const [first, ...others] = runs.sort(([, some], [, more]) => more.length - some.length);
  const main = first![0];
  const rest = others.map(
    ([run, names]) => `\nMeasured on ${run.date.slice(0, 10)}, with tollgate ${run.tollgate}: ${names.join(", ")}.`,
  );
  return `<!-- Written by \`npm run bench\` from bench/results.json. Changes made here are lost with the next run. -->

# Performance

Measured on ${main.date.slice(0, 10)}, with tollgate ${main.tollgate},${main === complete ? ` in ${minutes} minutes,` : ""} on one machine: ${machine.processor}, ${machine.cores} cores,
${machine.memoryGigabytes} GB of memory, ${machine.operatingSystem}, ${machine.architecture}.
Versions: ${programs.join(", ")}.${rest.join("")}

    npm install
    npm run bench

repeats it, on Linux, and rewrites this page. [bench/README.md](../bench/README.md) describes how it is measured.

The ratios are reliable. The load, the servers and their upstreams share the cores of one machine, so the absolute figures, and the
latencies most of all, are those of a machine that is fully busy; on another one they are different. Figures with a slash are
Tollgate's and the rival's. **Reached** is the median of the ratios of turns taken in the same round. **p50** and **p99** are
latencies, **CPU** is the time that all processes of the server used for one request; all three are in microseconds.`;
}

function renderPromises(rows: readonly MeasuredRow[]): string {
  const promised = rows.filter((row) => row.target.comparison !== "none");
  const missed = promised.filter((row) => !isMet(row));
  const kept = `${promised.length - missed.length} of ${promised.length} targets were reached.`;
  if (missed.length === 0) return kept;
  const list = missed.map((row) => `- ${titleOf(row)}: ${renderReached(row)}, target ${renderTarget(row)}`);
  return `${kept} Missed:\n\n${list.join("\n")}`;
}

function renderSection(topic: Topic, { rows }: Results, charts: readonly Chart[]): string {
  const own = rows.filter((row) => row.topic === topic);
  const pictures = charts
    .filter((chart) => chart.topic === topic)
    .map(({ title, fileName }) => `![${title}](performance/${fileName})`);
  const curves = growthCurves(own);
  return [
    `## ${topics[topic]}`,
    ...pictures,
    ...(curves.length === 0 ? [] : [renderCurves(curves)]),
    markdownTable(tableHeadings, own.map(renderCells)),
    renderExplanations(own),
  ].join("\n\n");
}

/** What is compared, one sentence for each row; the points of a curve share theirs. */
function renderExplanations(rows: readonly MeasuredRow[]): string {
  const lines = rows.map((row) => {
    const heading = row.growth ? row.growth.work : titleOf(row);
    // The table gives the reason for what was not measured.
    const ofThisRun = row.note === undefined || row.reached === undefined ? "" : ` This time: ${row.note}.`;
    return `- **${heading}**: ${row.explanation}${ofThisRun}`;
  });
  return [...new Set(lines)].join("\n");
}

function titleOf({ what, against }: MeasuredRow): string {
  return against === limit ? what : `${what}, against ${against}`;
}

function renderCurves(curves: readonly GrowthCurve[]): string {
  const sizes = curves[0]!.points.map((point) => point.consumers.toLocaleString("en"));
  return markdownTable(
    ["cost, relative to 1,000 consumers", ...sizes],
    curves.map(({ work, points }) => [work, ...points.map((point) => point.cost.toFixed(2))]),
  );
}

function markdownTable(headings: readonly string[], rows: readonly string[][]): string {
  const lines = [headings, headings.map(() => "---"), ...rows];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
