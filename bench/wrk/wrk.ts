import { install } from "../../scripts/apt-get.ts";
import { spawnProgram } from "../child-process.ts";
import type { LoadedServer } from "../load-plan.ts";
import { cpuMicrosecondsOfTree } from "../process-cpu.ts";
import { progress } from "../progress.ts";
import type { Sample } from "../sample.ts";

export const howToGetWrk = "there is no wrk: apt-get install wrk";

export interface WrkPlan {
  readonly connections: number;
  readonly seconds: number;
  readonly path: string;
  readonly token: string;
  /** The Host header, which names a deployment. */
  readonly host?: string;
  readonly hasTls?: boolean;
}

interface Summary {
  readonly requests: number;
  readonly microseconds: number;
  readonly p50: number;
  readonly p99: number;
  readonly non2xx: number;
  readonly broken: number;
}

/** Whether there is wrk; installs it where that is possible. */
export async function findOrInstallWrk(): Promise<boolean> {
  if (Bun.which("wrk")) return true;
  progress("installing wrk");
  await install(["wrk"], new Error(howToGetWrk)).catch((error: Error) => progress(error.message));
  return Bun.which("wrk") !== null;
}

/** GETs of one thread. The load of our own costs as much as the server it measures, which two cores do not have. */
export async function loadWithWrk({ port, processId }: LoadedServer, plan: WrkPlan): Promise<Sample> {
  const headers = [`Authorization: Bearer ${plan.token}`, ...(plan.host ? [`Host: ${plan.host}`] : [])];
  const cpuAtStart = cpuMicrosecondsOfTree(processId);
  const child = spawnProgram([
    "wrk",
    "--threads=1",
    `--connections=${plan.connections}`,
    `--duration=${plan.seconds}s`,
    `--script=${import.meta.dir}/summary.lua`,
    ...headers.map((header) => `--header=${header}`),
    `${plan.hasTls ? "https" : "http"}://127.0.0.1:${port}${plan.path}`,
  ]);
  const output = await new Response(child.stdout as ReadableStream).text();
  const cpu = cpuMicrosecondsOfTree(processId) - cpuAtStart;
  if ((await child.exited) !== 0) throw new Error(`wrk ended with exit code ${child.exitCode}: ${output}`);
  const summary: Summary = JSON.parse(/^summary (.*)$/m.exec(output)![1]!);
  if (summary.non2xx + summary.broken > 0 || summary.requests === 0)
    throw new Error(
      `of ${summary.requests} requests to ${plan.path}, ${summary.non2xx} were rejected, ${summary.broken} broken`,
    );
  return {
    perSecond: summary.requests / (summary.microseconds / 1e6),
    p50Microseconds: summary.p50,
    p99Microseconds: summary.p99,
    cpuMicroseconds: cpu / summary.requests,
  };
}
