import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { startRival } from "../child-process.ts";
import { newPostgresDatabase } from "../postgres.ts";
import { childrenOf } from "../process-cpu.ts";
import { progress } from "../progress.ts";
import { atMost, type Row } from "../row.ts";
import { median, percentile } from "../sample.ts";
import { call, type RunningServer } from "../server.ts";
import { startContestant } from "../worker-contestant.ts";
import type { Workspace } from "../workspace.ts";

const workers = 4;
/** One for each worker: the processes wait for the load, not for the cores. */
const connections = 4;
const writesPerSecond = 200;
/** On a busy machine PostgreSQL does not reach the rate, and further requests would wait for a connection until they fail. */
const maxInFlight = 16;
const secondsPerTurn = 2;
const warmSeconds = 4;
const rounds = 9;

/** How late timers fire in workers that forward requests, while the primary commits 200 writes per second, and without. */
export async function workerDelay(workspace: Workspace): Promise<Row[]> {
  return [await delayOn(workspace, "SQLite", {}), await delayOn(workspace, "PostgreSQL", await newPostgresDatabase())];
}

async function delayOn(workspace: Workspace, engine: string, database: Record<string, string>): Promise<Row> {
  const directory = workspace.newDirectory("delays");
  mkdirSync(directory, { recursive: true });
  await using upstream = await startRival("bench/rivals/fixed-bytes-server.ts", ["1000"]);
  await using contestant = await startContestant(workspace, upstream.port, {
    workers,
    connections,
    environment: { ...database, BENCH_DELAYS: directory, BUN_OPTIONS: "--preload ./bench/event-loop-delay.ts" },
  });
  const { server } = contestant;
  const forward = async () => {
    const from = Date.now();
    await contestant.send("forward", secondsPerTurn);
    const to = Date.now();
    // The processes write what they measured twice per second.
    await Bun.sleep(600);
    return delaysOf(directory, childrenOf(server.processId, "worker-process"), from, to);
  };
  const forwardWithWrites = async () => {
    const writer = new Writer(server);
    const delay = await forward();
    rates.push(await writer.stop());
    return delay;
  };
  const rates: number[] = [];
  await contestant.send("forward", warmSeconds);
  await forwardWithWrites();
  const calm: number[] = [];
  const writing: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const turns = [async () => calm.push(await forward()), async () => writing.push(await forwardWithWrites())];
    for (const turn of round % 2 === 1 ? turns : turns.toReversed()) await turn();
    progress(
      `worker-delay on ${engine}, round ${round} of ${rounds}: ${calm.at(-1)} ms, with ${Math.round(rates.at(-1)!)} writes/s ${writing.at(-1)} ms`,
    );
  }
  const ratios = writing.map((delay, round) => delay / calm[round]!);
  return {
    what: `event loop delay of ${workers} workers on ${engine} with ${writesPerSecond} writes per second, p99`,
    against: "without writes",
    againstOurselves: true,
    explanation: "How late a timer fires in a worker that forwards requests, while consumers with a key are created.",
    target: atMost(1.3),
    reached: median(ratios),
    rounds: ratios,
    note: `${median(writing).toFixed(2)} and ${median(calm).toFixed(2)} ms, ${Math.round(median(rates))} writes per second`,
  };
}

/** The 99th percentile in milliseconds, of all workers together. */
function delaysOf(directory: string, processIds: number[], from: number, to: number): number {
  const delays: number[] = [];
  for (const name of readdirSync(directory).filter((file) => processIds.includes(Number(file))))
    for (const line of readFileSync(join(directory, name), "utf8").trimEnd().split("\n")) {
      const [time, delay] = line.split(" ").map(Number);
      if (time! >= from && time! < to) delays.push(delay!);
    }
  if (delays.length === 0) throw new Error("the workers did not measure their event loops");
  return percentile(Float64Array.from(delays).sort(), 0.99);
}

let written = 0;

/** Creates consumers at a constant rate until it is stopped. */
class Writer {
  readonly #started = performance.now();
  readonly #inFlight = new Set<Promise<unknown>>();
  #sent = 0;
  #isStopped = false;
  readonly #ended: Promise<void>;

  constructor(private readonly server: RunningServer) {
    this.#ended = this.#write();
  }

  /** Returns the rate, when all requests have succeeded. */
  async stop(): Promise<number> {
    this.#isStopped = true;
    await this.#ended;
    await Promise.all(this.#inFlight);
    return this.#sent / ((performance.now() - this.#started) / 1000);
  }

  async #write(): Promise<void> {
    const path = "/v1/accounts/default/key-buckets/written/consumers?with-api-key=true";
    while (!this.#isStopped) {
      if (this.#inFlight.size >= maxInFlight) await Promise.race(this.#inFlight);
      const request = call(this.server, "POST", path, { name: `written-${++written}` });
      this.#inFlight.add(request);
      // One that fails remains, and fails `stop`.
      void request.then(
        () => this.#inFlight.delete(request),
        () => {},
      );
      this.#sent += 1;
      const wait = this.#started + (this.#sent * 1000) / writesPerSecond - performance.now();
      await Bun.sleep(Math.max(0, wait));
    }
  }
}
