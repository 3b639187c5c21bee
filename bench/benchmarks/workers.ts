import { startRival } from "../child-process.ts";
import { CpuGroup } from "../cpu-groups.ts";
import { takeTurns } from "../measure.ts";
import { newPostgresDatabase } from "../postgres.ts";
import { progress } from "../progress.ts";
import { atLeast, atMost, comparisonRow, limitRow, notMeasuredRow, type Row, type RowWords } from "../row.ts";
import { median } from "../sample.ts";
import { type Kind, kinds, kindWords, startContestant, type WorkerSample } from "../worker-contestant.ts";
import type { Workspace } from "../workspace.ts";

const workers = 4;
/**
 * Of a core, for each process that serves traffic: the machine needs no core for each of them. A busy machine needs a
 * smaller one.
 */
const share = Number(process.env.BENCH_WORKER_SHARE ?? 0.2);
/** If they use less, they do not limit the rate. */
const minUsed = 0.85;
/** The same for each process, because a request costs less if an event loop turn has more of them. */
const connectionsPerProcess = 16;
/** Without limits, until the code is compiled. */
const warmSeconds = 4;
const rounds = { warmRounds: 1, rounds: 7 };

/** The rate and the CPU of four workers against one, and against one process without workers, on both engines. */
export async function workerCosts(workspace: Workspace): Promise<Row[]> {
  return [
    ...(await costsOn(workspace, "SQLite", async () => ({}))),
    ...(await costsOn(workspace, "PostgreSQL", newPostgresDatabase)),
  ];
}

async function costsOn(
  workspace: Workspace,
  engine: string,
  newDatabase: () => Promise<Record<string, string>>,
): Promise<Row[]> {
  using groups = cpuGroups(2 + workers);
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  const start = async (count: number) =>
    startContestant(workspace, upstream.port, {
      workers: count,
      connections: Math.max(1, count) * connectionsPerProcess,
      environment: await newDatabase(),
    });
  await using alone = await start(0);
  await using one = await start(1);
  await using four = await start(workers);
  for (const contestant of [alone, one, four])
    for (const kind of kinds) await contestant.send(kind, warmSeconds * (contestant === four ? 2 : 1));
  if (groups.all.length > 0) {
    alone.limit(groups.all.slice(0, 1));
    one.limit(groups.all.slice(1, 2));
    four.limit(groups.all.slice(2));
  } else progress("workers: CPU groups cannot be created, so the processes share the cores");
  const rows: Row[] = [];
  for (const kind of kinds) {
    const turns = await takeTurns(`workers on ${engine}, ${kind}`, rounds, {
      alone: () => alone.send(kind),
      one: () => one.send(kind),
      four: () => four.send(kind),
    });
    rows.push(...rowsOf(engine, kind, turns, groups.all.length > 0));
  }
  return rows;
}

function rowsOf(engine: string, kind: Kind, turns: Record<"alone" | "one" | "four", Turns>, isLimited: boolean): Row[] {
  const what = `${kindWords[kind]} on ${engine}, ${workers} workers`;
  const about = (figure: string, against: string, explanation: string): RowWords => ({
    what: `${what}: ${figure}`,
    against,
    againstOurselves: true,
    explanation,
  });
  const limited = isLimited
    ? "Each process that serves traffic has the same part of a core."
    : "All processes share the cores.";
  const rate = about("rate", "one worker", `Requests per second. ${limited}`);
  const cpu = about("CPU", "one process", `CPU time of all processes for one request. ${limited}`);
  const primary = about(
    "the primary's CPU",
    "all processes",
    "The primary decides about quotas and rate limits for all workers.",
  );
  return [
    isLimited ? rateRow(rate, turns.four, turns.one) : notMeasuredRow(rate, atLeast(3.6), "no writable CPU group"),
    comparisonRow(cpu, atMost(1.15), turns.four, turns.alone, "cpuMicroseconds"),
    limitRow(
      {
        ...primary,
        note: `${Math.round(median(turns.four.map(({ primaryCores }) => primaryCores)) * 1000)} ms per second`,
      },
      atMost(0.05),
      turns.four.map(({ primaryShare }) => primaryShare),
    ),
  ];
}

type Turns = WorkerSample[];

function rateRow(words: RowWords, four: Turns, one: Turns): Row {
  const used = median(four.map(({ cores }) => cores)) / (workers * share);
  const note = `the workers used ${Math.round(used * 100)} % of ${workers} × ${share} cores`;
  if (used < minUsed) return notMeasuredRow(words, atLeast(3.6), `${note}: something else limited the rate`);
  return { ...comparisonRow(words, atLeast(3.6), four, one), note };
}

/** Empty where they cannot be created. Removed after the servers have ended. */
function cpuGroups(count: number): { all: CpuGroup[] } & Disposable {
  const all = Array.from({ length: count }, () => CpuGroup.create(share)).filter((group) => group !== undefined);
  return {
    all,
    [Symbol.dispose]() {
      for (const group of all) group[Symbol.dispose]();
    },
  };
}
