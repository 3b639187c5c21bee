import { ExportJob } from "../../areas/operations/exports/export-job.ts";
import { Exports } from "../../areas/operations/exports/exports.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import { Egress } from "../../platform/egress/egress.ts";
import type { Foundation } from "../foundation/foundation.ts";

/** The maximum delay of an hour that has been closed. */
const lookSeconds = 30;
const firstLookSeconds = 5;

/** Every node looks for closed hours, and one of them writes an hour. */
export function openExports(
  { config, clock, log, metrics, storage, history, lifecycle }: Foundation,
  keyring: Keyring,
): Exports {
  const directory = config.exportDirectory;
  const keptDays = { events: config.eventDays, requests: config.requestDays, audit: config.auditDays };
  const exports = new Exports({ keyring, egress: config.egress, directory, keptDays });
  const egress = new Egress(config.egress);
  const job = new ExportJob({ storage, history, exports, egress, directory, clock, log });
  metrics.watchExports(() => job.delays);
  lifecycle.every(lookSeconds, "exports", (signal) => job.run(signal), firstLookSeconds);
  return exports;
}
