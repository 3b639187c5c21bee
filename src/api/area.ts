import type { Metrics } from "../core/metrics/metrics.ts";
import type { Keyring } from "../lib/crypto/keyring.ts";
import type { Lifecycle } from "../lib/tasks/lifecycle.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { History } from "../platform/storage/history.ts";
import type { Removal } from "../platform/storage/removal.ts";
import type { Storage } from "../platform/storage/storage.ts";
import type { Log } from "../platform/telemetry/log.ts";
import { type Endpoint, type Operation, routeScope } from "./endpoint.ts";

/** What every area may use of the server. What it needs of other areas are parameters of its own. */
export interface AreaContext {
  storage: Storage;
  history: History;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  keyring: Keyring;
  /** Its timers, and how what it has opened is closed: areas opened later are closed first. */
  lifecycle: Lifecycle;
  /** How many days requests, entries of the audit log and usage events are kept. */
  retention: { requestDays: number; auditDays: number; eventDays: number };
  /** The URLs of this server, which are known once it listens. */
  address: {
    readonly publicUrl: string;
    urlOf(deployment: string): string;
    hostOf(deployment: string): string;
    portalUrlOf(portal: { name: string; host: string | null }): string;
  };
}

/** What an area adds to the server. */
export interface Area {
  /** The sections of its endpoints in the reference, with their descriptions. */
  sections?: Record<string, string>;
  endpoints: Endpoint[];
  /** Remove what has expired. Those of all areas run in sequence. */
  removals?: Removal[];
  /** Remove the contents of what was deleted, after a deletion and after a start. Those of all areas run in sequence. */
  contents?: Removal[];
  /** Begins background work that needs the addresses of this server. */
  start?(): Promise<void>;
  /** Completes the background work that is due, for callers that move the clock. */
  catchUp?(): Promise<void>;
}

/** An area whose endpoints are in the first of its sections. */
export function areaOf<More extends object>(
  sections: Record<string, string>,
  operations: Operation[],
  more?: More & Omit<Area, "sections" | "endpoints">,
): Area & More {
  const area = Object.keys(sections)[0]!;
  return { ...more!, sections, endpoints: routeScope({ area }, operations) };
}
