import type { RequestOptions } from "../transport/options.ts";
import type { SystemStatus } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** Whether a server is ready for requests. */
export interface Readiness {
  status: "ready" | "unready";
  /** Where it is not ready. */
  reason?: string;
  version?: string;
  storage?: "sqlite" | "postgres";
  /** How far what the server knows by heart can be believed: `fresh` where it follows every change. */
  feed?: string;
}

export function systemStatus(transport: Transport, options: RequestOptions | undefined): Promise<SystemStatus> {
  return transport.call("getSystemStatus", { options });
}

export function readiness(transport: Transport, options: RequestOptions | undefined): Promise<Readiness> {
  return transport.probe<Readiness>("/readyz", options);
}
