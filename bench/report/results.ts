import { join } from "node:path";
import { benchmarks, type Topic } from "../benchmarks.ts";
import { projectRoot } from "../child-process.ts";
import type { Row } from "../row.ts";
import { describeMachine, type Machine, readVersions, type Versions } from "./machine.ts";

const file = join(projectRoot, "bench/results.json");

export interface MeasuredRow extends Row {
  readonly benchmark: string;
  readonly topic: Topic;
}

/** The results of one run with its machine: everything that the page is generated from. */
export interface Results {
  /** When the run began. */
  readonly date: string;
  readonly minutes: number;
  readonly machine: Machine;
  readonly versions: Versions;
  readonly rows: readonly MeasuredRow[];
  /** Later runs of some benchmarks, whose rows replaced earlier ones. */
  readonly again?: readonly {
    readonly benchmarks: readonly string[];
    readonly date: string;
    readonly tollgate: string;
  }[];
}

export async function writeResults(rows: readonly MeasuredRow[], startedOn: Date): Promise<void> {
  const results: Results = {
    date: startedOn.toISOString(),
    minutes: Math.round((Date.now() - startedOn.getTime()) / 60_000),
    machine: describeMachine(),
    versions: await readVersions(),
    rows,
  };
  await Bun.write(file, `${JSON.stringify(results, rounded, 2)}\n`);
}

/** Replaces the rows of some benchmarks in the last full run; again with more of them as a run goes on. */
export async function replaceRows(rows: readonly MeasuredRow[], startedOn: Date): Promise<void> {
  const before = await readResults();
  const measured = new Set(rows.map(({ benchmark }) => benchmark));
  const kept = before.rows.filter(({ benchmark }) => !measured.has(benchmark));
  const order = benchmarks.map(({ name }) => name);
  const tollgate = (await readVersions()).tollgate!;
  const date = startedOn.toISOString();
  const results: Results = {
    ...before,
    rows: [...kept, ...rows].sort((one, other) => order.indexOf(one.benchmark) - order.indexOf(other.benchmark)),
    again: [
      ...(before.again ?? []).filter((each) => each.date !== date),
      { benchmarks: [...measured], date, tollgate },
    ],
  };
  await Bun.write(file, `${JSON.stringify(results, rounded, 2)}\n`);
}

export async function readResults(): Promise<Results> {
  return (await Bun.file(file).json()) as Results;
}

/** Four digits are enough for a measurement, and keep changes of the file readable. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}
