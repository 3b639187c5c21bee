import { type AreaContext, areaOf } from "../../../api/area.ts";
import { list, read, remove, write } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import type { EgressMode } from "../../../platform/egress/addresses.ts";
import { Egress } from "../../../platform/egress/egress.ts";
import { ExportJob } from "./export-job.ts";
import { Exports } from "./exports.ts";
import { presentExport } from "./present.ts";
import { backfillInput, exported, exportInput, exportPatch } from "./schema.ts";

/** The maximum delay of an hour that has been closed. */
const lookSeconds = 30;
const firstLookSeconds = 5;

const exportsPath = "/v1/accounts/{accountName}/exports";
const exportPath = `${exportsPath}/{exportName}` as const;

/** Every node looks for closed hours, and one of them writes an hour. */
export function exportArea(
  { storage, history, clock, log, metrics, keyring, retention, lifecycle }: AreaContext,
  { egress, directory }: { egress: EgressMode; directory: string | undefined },
) {
  const keptDays = { events: retention.eventDays, requests: retention.requestDays, audit: retention.auditDays };
  const exports = new Exports({ keyring, egress, directory, keptDays });
  const job = new ExportJob({ storage, history, exports, egress: new Egress(egress), directory, clock, log });
  metrics.watchExports(() => job.delays);
  lifecycle.every(lookSeconds, "exports", (signal) => job.run(signal), firstLookSeconds);
  const now = () => clock.now();
  const operations = [
    list({
      operationId: "listExports",
      path: exportsPath,
      summary: "List exports",
      access: "administer",
      item: exported,
      listName: "HourlyExportList",
      handle: async ({ reads, account, query }) =>
        presentPage(await exports.list(reads, account.seq, query), (row) => presentExport(row, now())),
    }),
    write({
      operationId: "createExport",
      method: "POST",
      path: exportsPath,
      summary: "Create an export",
      description:
        "Each hour of receipt is written once, two minutes after its end: an object per kind, and then a manifest. " +
        "`file:` is possible only in the folder of `TOLLGATE_EXPORT_DIR` that has the name of the account.",
      access: "administer",
      body: exportInput,
      response: exported,
      problems: ["export_exists", "too_many_exports"],
      handle: async ({ act, body }, transaction) => {
        const created = await exports.create(transaction, act, body);
        return { body: presentExport(created, act.now), revision: created };
      },
    }),
    read({
      operationId: "getExport",
      path: exportPath,
      summary: "Read an export",
      access: "administer",
      response: exported,
      handle: async ({ reads, account, params }) => {
        const found = await exports.find(reads, account.seq, params.exportName);
        // Its progress is not part of its version.
        return { body: presentExport(found, now()), revision: found, composed: true };
      },
    }),
    write({
      operationId: "updateExport",
      method: "PATCH",
      path: exportPath,
      summary: "Enable or disable an export, or change its credential",
      description: "A failing export is tried again at once. Destination, kinds and format cannot be changed.",
      access: "administer",
      body: exportPatch,
      response: exported,
      handle: async ({ act, params, body, precondition }, transaction) => {
        const updated = await exports.update(transaction, act, params.exportName, body, precondition);
        return { body: presentExport(updated, act.now), revision: updated, composed: true };
      },
    }),
    write({
      operationId: "backfillExport",
      method: "POST",
      path: `${exportPath}/$backfill`,
      summary: "Write earlier hours, or hours again",
      description:
        "Writes the hours from `from` to `to`: before the first hour of the export, as far as their data is still kept, or again. An " +
        "hour that is written again replaces its objects, the manifest last; all of its data must still be kept.",
      access: "administer",
      body: backfillInput,
      response: exported,
      problems: ["backfill_in_progress"],
      handle: async ({ act, params, body }, transaction) => {
        const updated = await exports.backfill(transaction, act, params.exportName, body);
        return { body: presentExport(updated, act.now), revision: updated, composed: true };
      },
    }),
    remove({
      operationId: "deleteExport",
      path: exportPath,
      summary: "Delete an export",
      description: "What it has written stays.",
      access: "administer",
      handle: ({ act, params, precondition }, transaction) =>
        exports.delete(transaction, act, params.exportName, precondition),
    }),
  ];
  return areaOf(
    { Exports: "Copies of usage events, requests, invoices and the audit log in object storage, by hour." },
    operations,
    { exports },
  );
}
