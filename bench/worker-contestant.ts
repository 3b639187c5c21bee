import type { CpuGroup } from "./cpu-groups.ts";
import { deploy, openApiOf } from "./deployment.ts";
import { createGuard, guards } from "./guarded.ts";
import { load } from "./measure.ts";
import { childrenOf, cpuMicrosecondsOfChild, cpuMicrosecondsOfTree } from "./process-cpu.ts";
import type { Sample } from "./sample.ts";
import { adminToken, type RunningServer } from "./server.ts";
import type { Workspace } from "./workspace.ts";

export const kinds = ["forward", "verify"] as const;
export type Kind = (typeof kinds)[number];

export const kindWords: Record<Kind, string> = {
  forward: "forward with api-key, quota and rate-limit",
  verify: "verify-key",
};

export interface WorkerSample extends Sample {
  /** The part of the CPU time that was the primary's. 0 without workers. */
  readonly primaryShare: number;
  /** The cores that the primary used on average, and those that the other processes used. */
  readonly primaryCores: number;
  readonly cores: number;
}

export interface WorkerContestant extends AsyncDisposable {
  readonly server: RunningServer;
  send(kind: Kind, seconds?: number): Promise<WorkerSample>;
  /** Moves the processes that serve traffic, each into a group of its own. */
  limit(groups: readonly CpuGroup[]): void;
}

const path = "/guarded/things";
/** Not together: the worker that runs first accepts all connections that wait. */
const connectMilliseconds = 7;

/** Starts a server with so many workers, or without. */
export async function startContestant(
  workspace: Workspace,
  upstreamPort: number,
  { workers, connections, environment }: { workers: number; connections: number; environment?: Record<string, string> },
): Promise<WorkerContestant> {
  const directory = workspace.newDirectory(`workers-${workers}`);
  const server = await workspace.startServer(directory, { ...environment, TOLLGATE_WORKERS: String(workers) });
  const guard = await createGuard(server);
  const { host } = await deploy(server, "bench", {
    "openapi.json": openApiOf({ [path]: { policies: guards } }),
    "tollgate.json": { upstream: `http://127.0.0.1:${upstreamPort}`, policies: guard.policies },
  });
  const plans = {
    forward: { method: "GET", path, host, headers: { Authorization: `Bearer ${guard.key}` } },
    verify: {
      method: "POST",
      path: "/v1/accounts/default/key-buckets/bench/verify-key",
      token: adminToken,
      body: JSON.stringify({ key: guard.key }),
    },
  };
  return {
    server,
    async send(kind, seconds = 1) {
      const primary = () => cpuMicrosecondsOfChild(server.processId, "primary-process");
      const before = { primary: primary(), all: cpuMicrosecondsOfTree(server.processId) };
      const sample = await load(server, {
        ...plans[kind],
        connections,
        connectMilliseconds,
        warmSeconds: 0.3,
        seconds,
      });
      const all = cpuMicrosecondsOfTree(server.processId) - before.all;
      const primaryShare = (primary() - before.primary) / all;
      const cores = (sample.cpuMicroseconds * sample.perSecond) / 1e6;
      return { ...sample, primaryShare, primaryCores: cores * primaryShare, cores: cores * (1 - primaryShare) };
    },
    limit(groups) {
      const serving = workers === 0 ? [server.processId] : childrenOf(server.processId, "worker-process");
      for (const [index, id] of serving.entries()) groups[index]!.add(id);
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
