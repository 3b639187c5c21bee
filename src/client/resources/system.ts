import type { RequestOptions } from "../transport/options.ts";
import type { SystemStatus } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** Whether a server is ready for requests. */
export interface Readiness {
  status: "ready" | "unready";
  /** Set if the server is not ready. */
  reason?: string;
  version?: string;
  storage?: "sqlite" | "postgres";
  /** The state of the server's caches: `fresh` if they follow every change. */
  feed?: string;
}

export function systemStatus(transport: Transport, options: RequestOptions | undefined): Promise<SystemStatus> {
  return transport.call("getSystemStatus", { options });
}

export function readiness(transport: Transport, options: RequestOptions | undefined): Promise<Readiness> {
  return transport.probe<Readiness>("/readyz", options);
}
