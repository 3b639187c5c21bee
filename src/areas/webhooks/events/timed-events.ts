import type { Clock } from "../../../lib/time/clock.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { messageIdOf } from "./message-id.ts";
import { announceRenewals, trialScan } from "./subscription-times.ts";
import { announceThresholds } from "./thresholds.ts";
import { type ExpiringKeyRow, keysByExpiry } from "./timed-event-store.ts";
import { runScan, type TimedScan } from "./timed-scan.ts";

const day = 24 * 60 * 60 * 1000;

/** How long before the expiry `key.expiring` is sent. */
const leads = [7 * day, day];

function scanOf(type: "key.expiring" | "key.expired", lead: number): TimedScan<ExpiringKeyRow> {
  return {
    name: lead === 0 ? type : `${type} ${lead / day} days`,
    leadMilliseconds: lead,
    page: keysByExpiry,
    async emit(queue, row, now) {
      const moment = row.time - lead;
      // The expiry was set after that moment: the change that set it has been sent.
      if (row.updated_on > moment) return;
      // After a downtime only events that are still true are sent: not that a key will expire which has expired.
      const later = lead === 0 ? undefined : Math.max(0, ...leads.filter((other) => other < lead));
      if (later !== undefined && now >= row.time - later) return;
      const messageId = messageIdOf(row.account_id, `${type} ${row.id} ${row.time} ${lead}`, moment);
      await queue.add({ accountSeq: row.account_seq, messageId, type, time: moment, data: dataOf(row) });
    },
  };
}

const keyScans: TimedScan<ExpiringKeyRow>[] = [
  ...leads.map((lead) => scanOf("key.expiring", lead)),
  scanOf("key.expired", 0),
];

/** A key as returned by the API without its value, and its consumer. */
function dataOf(expiringKey: ExpiringKeyRow) {
  return {
    id: expiringKey.id,
    createdOn: formatDateTime(expiringKey.created_on),
    updatedOn: formatDateTime(expiringKey.updated_on),
    expiresOn: formatDateTime(expiringKey.time),
    ...(expiringKey.description === null ? {} : { description: expiringKey.description }),
    consumer: { id: expiringKey.consumer_id, name: expiringKey.consumer_name },
    bucket: { id: expiringKey.bucket_id, name: expiringKey.bucket_name },
  };
}

/** Finds events that are due to time, one kind after the other. */
export async function runTimedEvents(storage: Storage, clock: Clock, signal: AbortSignal): Promise<void> {
  const now = clock.now();
  for (const scan of keyScans) await runScan(storage, scan, now, signal);
  await runScan(storage, trialScan, now, signal);
  await announceRenewals(storage, now, signal);
  await announceThresholds(storage, now, signal);
}
