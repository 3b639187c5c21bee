import { isIP } from "node:net";
import type { Config } from "../../config/config.ts";
import { defineCommand } from "../arguments/command.ts";
import { flag } from "../arguments/values.ts";
import { readServerConfig } from "../local-server/server-config.ts";
import { exitCodes } from "../process/exit-codes.ts";
import { UsageError } from "../process/usage-error.ts";

const timeoutMilliseconds = 2500;

export const command = defineCommand({
  summary: "Check that the server on this machine responds, for health checks of containers",
  details: `Reads the same settings as the server and requests /healthz at its port. Exits with 0 if it responds with 200, with 1
otherwise. Needs no token and no shell. Certificates are not verified: the request does not leave the machine.`,
  arguments: {},
  options: {
    ready: flag("request /readyz, which fails until the server has started and from SIGTERM on"),
    storage: flag("request /storagez, which fails if the last write to storage failed"),
  },
  examples: [
    { command: "tollgate health", text: "The process is alive." },
    { command: "tollgate health --ready", text: "It accepts requests." },
    { command: "tollgate health --storage", text: "Its storage can be written." },
  ],
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
