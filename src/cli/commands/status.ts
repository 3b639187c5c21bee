import { isIP } from "node:net";
import type { Config } from "../../config/config.ts";
import { defineCommand } from "../arguments/command.ts";
import { flag } from "../arguments/values.ts";
import { remoteCommand, showFields } from "../connection/remote.ts";
import { readServerConfig } from "../local-server/server-config.ts";
import { bytes, showList } from "../output/show.ts";
import { exitCodes } from "../process/exit-codes.ts";
import { UsageError } from "../process/usage-error.ts";

export const status = remoteCommand({
  summary: "Show the status of the server: version, storage, nodes, caches, last backup",
  details: "For the operator (TOLLGATE_OPERATOR_TOKEN).",
  examples: { "tollgate status": "All values." },
  call: (client) => client.systemStatus(),
  show(
    { version, startedOn, memoryBytes, storage, feed, clockLeadMs, nodes, caches, usageEvents, replica, lastBackup },
    terminal,
  ) {
    showFields(
      {
        version,
        startedOn,
        memory: bytes(memoryBytes),
        storage: `${storage.engine}, ${bytes(storage.bytes)}`,
        feed: `${feed.trust}, ${feed.lagMs} ms behind`,
        ...(Math.abs(clockLeadMs) >= 1000 && { clock: `${clockLeadMs} ms ahead of PostgreSQL, whose time is used` }),
        ...(feed.lastHistoryChange && { database: replaced(feed.lastHistoryChange) }),
        ...(usageEvents && { usageEvents: `${usageEvents.partitions} partitions` }),
        ...(replica && { replica: replica.isUsed ? `used, ${replica.lagMs} ms behind` : `not used: ${replica.error}` }),
        lastBackup: lastBackup ? `${lastBackup.time}, ${bytes(lastBackup.bytes)}` : "none",
      },
      terminal,
    );
    terminal.print("");
    showList(terminal, nodes, ["id", "host", "connectedOn", "isThis"]);
    terminal.print("");
    showList(terminal, caches, ["name", "entries", "hits", "misses"]);
  },
});

function replaced({ followedUntil, on }: { followedUntil: string; on: string }): string {
  return `replaced by one with another history; writes from ${followedUntil} to ${on} may be lost`;
}

const timeoutMilliseconds = 2500;

export const health = defineCommand({
  summary: "Check that the server on this machine responds, for health checks of containers",
  details: `Reads the same settings as the server and requests /healthz at its port. Exits with 0 if it responds with 200, with 1
otherwise. Needs no token and no shell. Certificates are not verified: the request does not leave the machine.`,
  options: {
    ready: flag("request /readyz, which fails until the server has started and from SIGTERM on"),
    storage: flag("request /storagez, which fails if the last write to storage failed"),
  },
  examples: {
    "tollgate health": "The process is alive.",
    "tollgate health --ready": "It accepts requests.",
    "tollgate health --storage": "Its storage can be written.",
  },
  async run({ ready, storage }, { terminal, environment }) {
    if (ready && storage) throw new UsageError("Use either --ready or --storage.");
    const path = storage ? "storagez" : ready ? "readyz" : "healthz";
    const url = `${ownAddress(readServerConfig(environment, undefined))}/${path}`;
    const failure = await probe(url);
    if (failure === undefined) return exitCodes.success;
    terminal.note(`${url}: ${failure}`);
    return exitCodes.failed;
  },
});

/** Plain HTTP where the server offers it, because a redirect to TLS does not apply to probes. */
function ownAddress({ httpListener, host, port, tls }: Config): string {
  const listener = httpListener ?? { host, port };
  const scheme = tls !== undefined && httpListener === undefined ? "https" : "http";
  return `${scheme}://${reachable(listener.host)}:${listener.port}`;
}

/** The address to connect to: loopback if the server listens on all addresses. */
function reachable(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIP(host) === 6 ? `[${host}]` : host;
}

async function probe(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, {
      signal: AbortSignal.timeout(timeoutMilliseconds),
      tls: { rejectUnauthorized: false },
    });
    return response.status === 200 ? undefined : `responded with ${response.status}.`;
  } catch (error) {
    return (error as Error).name === "TimeoutError" ? "did not respond within 2.5 s." : "no server responds.";
  }
}
