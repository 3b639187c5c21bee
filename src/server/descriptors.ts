import { readFileSync } from "node:fs";
import type { SandboxConnections } from "../gateway/sandbox/workerd-processes.ts";
import type { ClientLimits } from "../platform/http1/client/http-client.ts";
import { type ConnectionLimits, overflowConnections } from "../platform/http1/server/connection-limiter.ts";

/** Reserved for storage, files, pipes of child processes and listeners. */
const reserved = 64;
/** Used if the limit is unknown: the lowest default of common systems. */
const assumedLimit = 256;

/** The number of descriptors that the process may open: the soft limit. */
export function descriptorLimit(): number {
  try {
    const text = readFileSync("/proc/self/limits", "utf8");
    const soft = /^Max open files\s+(\d+)/m.exec(text)?.[1];
    if (soft !== undefined) return Number(soft);
  } catch {
    // Not Linux.
  }
  const { stdout } = Bun.spawnSync(["sh", "-c", "ulimit -n"], { stderr: "ignore" });
  const printed = stdout.toString().trim();
  return /^\d+$/.test(printed) ? Number(printed) : assumedLimit;
}

export interface ConnectionShares {
  clients: ConnectionLimits;
  upstreams: ClientLimits;
  sandboxes: SandboxConnections;
}

interface Configured {
  maxConnections: number | undefined;
  maxConnectionsPerAddress: number | undefined;
  maxUpstreamConnections: number | undefined;
}

/**
 * Divides the descriptors of a process that only runs sandboxes. A fetch of their code needs two: a connection to
 * `egressServer`, and one of `egress` to the fetched origin.
 */
export function shareSandboxDescriptors(limit: number, configured: Configured): SandboxConnections {
  const available = Math.max(40, limit - reserved - overflowConnections);
  const each = Math.floor(available * 0.45);
  const pings = Math.floor(available * 0.1);
  return {
    calls: { maxConnections: pings, maxPerOrigin: pings },
    egressServer: { maxConnections: each, maxPerAddress: each },
    egress: {
      maxConnections: each,
      maxPerOrigin: Math.min(configured.maxUpstreamConnections ?? Math.ceil(each / 2), each),
    },
  };
}

/**
 * Returns how many connections a worker may have to the primary. A worker has no egress of sandboxes, so these get the
 * share of `egressServer` and `egress`. The primary has no clients of its own, and twice as many workers during an
 * upgrade.
 */
export function forwardedConnections(limit: number, workers: number): number {
  const available = Math.max(40, limit - reserved - overflowConnections);
  return Math.max(4, Math.floor(Math.min(available * 0.2, (available * 0.6) / (2 * Math.max(1, workers)))));
}

/**
 * Divides the descriptors: a client request to a deployment needs its own connection, and one to the upstream or to the
 * sandbox, whose code may need two more. Configured limits apply as far as descriptors allow.
 */
export function shareDescriptors(limit: number, configured: Configured): ConnectionShares {
  const available = Math.max(40, limit - reserved - overflowConnections);
  const share = (part: number) => Math.floor(available * part);
  const maxConnections = Math.min(configured.maxConnections ?? Number.POSITIVE_INFINITY, share(0.4));
  const maxPerAddress = configured.maxConnectionsPerAddress ?? Math.ceil(maxConnections / 2);
  const perOrigin = (all: number) => Math.min(configured.maxUpstreamConnections ?? Math.ceil(all / 2), all);
  const upstreams = share(0.3);
  const each = share(0.1);
  return {
    clients: { maxConnections, maxPerAddress },
    upstreams: { maxConnections: upstreams, maxPerOrigin: perOrigin(upstreams) },
    sandboxes: {
      calls: { maxConnections: each, maxPerOrigin: Math.ceil(each / 2) },
      egressServer: { maxConnections: each, maxPerAddress: each },
      egress: { maxConnections: each, maxPerOrigin: perOrigin(each) },
    },
  };
}
