import { formatDateTime } from "../../../lib/time/time.ts";
import { closedOn, hourMilliseconds } from "./hours.ts";
import type { ExportFormat, ExportKind } from "./schema.ts";
import type { ExportRow } from "./store.ts";

export function presentExport(row: ExportRow, now: number) {
  const { first_hour, next_hour, backfill_from, backfill_next, backfill_to, failing_since, last_error } = row;
  return {
    id: row.id,
    name: row.name,
    to: {
      url: row.url,
      ...(row.endpoint !== null && { endpoint: row.endpoint }),
      ...(row.region !== null && { region: row.region }),
      ...(row.access_key_id !== null && { accessKeyId: row.access_key_id }),
    },
    kinds: JSON.parse(row.kinds) as ExportKind[],
    format: row.format as ExportFormat,
    isEnabled: row.is_enabled === 1,
    firstHour: formatDateTime(first_hour),
    lastHour: next_hour > first_hour ? formatDateTime(next_hour - hourMilliseconds) : null,
    delaySeconds: exportDelaySeconds(row, now),
    ...(backfill_from !== null &&
      backfill_next !== null && {
        backfill: {
          from: formatDateTime(backfill_from),
          nextHour: formatDateTime(backfill_next),
          to: formatDateTime(backfill_to ?? first_hour),
        },
      }),
    ...(failing_since !== null && { failingSince: formatDateTime(failing_since) }),
    ...(last_error !== null && { lastError: last_error }),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}

/** How long the next hour has been closed and not written. */
export function exportDelaySeconds({ next_hour }: Pick<ExportRow, "next_hour">, now: number): number {
  return Math.max(0, Math.floor((now - closedOn(next_hour)) / 1000));
}
