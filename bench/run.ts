/**
 * `bun bench/run.ts [name…] [--write] [--profile NAME] [--page]`: measures, prints the table, and fails when a target is missed.
 * A run of everything replaces the results and the page made of them; one of some with `--write`, or of everything until it is
 * interrupted or a benchmark fails, replaces their rows. `--page` makes that page again.
 */
import { parseArgs } from "node:util";
import { type Benchmark, benchmarks } from "./benchmarks.ts";
import { Profiler } from "./profiler.ts";
import { progress } from "./progress.ts";
import { writePage } from "./report/page.ts";
import { type MeasuredRow, readResults, replaceRows, writeResults } from "./report/results.ts";
import { isMet } from "./row.ts";
import { renderTable } from "./table.ts";
import { Workspace } from "./workspace.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { write: { type: "boolean" }, profile: { type: "string" }, page: { type: "boolean" } },
});
if (values.page) {
  await writePage(await readResults());
  process.exit(0);
}

if (process.platform !== "linux") {
  process.stderr.write("CPU time and memory are read from /proc, so the benchmarks need Linux\n");
  process.exit(2);
}

const wanted = values.profile === undefined ? positionals : [values.profile];
const unknown = wanted.filter((name) => !benchmarks.some((benchmark) => benchmark.name === name));
if (unknown.length > 0) {
  const known = benchmarks.map((benchmark) => benchmark.name);
  process.stderr.write(`no benchmark ${unknown.join(", ")}; there are ${known.join(", ")}\n`);
  process.exit(2);
}
const chosen = wanted.length === 0 ? benchmarks : benchmarks.filter(({ name }) => wanted.includes(name));
const startedOn = new Date();
const profiler = values.profile === undefined ? undefined : new Profiler(values.profile, startedOn);

const isComplete = chosen.length === benchmarks.length;
const isWritten = !profiler && (isComplete || values.write === true);
const { rows, failed } = await runAll(chosen, profiler);
console.log(renderTable(rows));
if (failed.length > 0) console.log(`Without a result, see above: ${failed.join(", ")}`);
if (profiler) console.log(profiler.howToOpen());
else if (isWritten) {
  if (isComplete && failed.length === 0) await writeResults(rows, startedOn);
  await writePage(await readResults());
}
process.exit(failed.length === 0 && rows.every(isMet) ? 0 : 1);

async function runAll(chosen: readonly Benchmark[], profiler: Profiler | undefined) {
  using workspace = new Workspace(profiler);
  // Interrupted, the run still removes its files: exit handlers do not run `using`.
  process.on("exit", () => workspace[Symbol.dispose]());
  process.on("SIGINT", () => process.exit(130));
  process.on("SIGTERM", () => process.exit(143));
  const rows: MeasuredRow[] = [];
  const failed: string[] = [];
  for (const [index, { name, topic, run }] of chosen.entries()) {
    progress(`${name}, ${index + 1} of ${chosen.length} benchmarks`);
    try {
      for (const row of await run(workspace)) rows.push({ benchmark: name, topic, ...row });
      // A run takes an hour: what is measured is kept if it is interrupted.
      if (isWritten) await replaceRows(rows, startedOn);
    } catch (error) {
      // A failed benchmark must not discard the results of the others.
      console.error(error);
      failed.push(name);
    }
  }
  return { rows, failed };
}
