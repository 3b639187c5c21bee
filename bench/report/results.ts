import { join } from "node:path";
import type { Topic } from "../benchmarks.ts";
import { projectRoot } from "../child-process.ts";
import type { Row } from "../row.ts";
import { describeMachine, type Machine, readVersions, type Versions } from "./machine.ts";

const file = join(projectRoot, "bench/results.json");

export interface MeasuredRow extends Row {
  readonly benchmark: string;
  readonly topic: Topic;
}

/** What one run found, and where: all that the page is made of. */
export interface Results {
  /** When the run began. */
  readonly date: string;
  readonly minutes: number;
  readonly machine: Machine;
  readonly versions: Versions;
  readonly rows: readonly MeasuredRow[];
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

export async function readResults(): Promise<Results> {
  return (await Bun.file(file).json()) as Results;
}

/** Four digits are more than a measurement is good for, and keep changes of the file readable. */
function rounded(_name: string, value: unknown): unknown {
  return typeof value === "number" && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}
