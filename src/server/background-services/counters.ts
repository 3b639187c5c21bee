import { spendingLimits } from "../../areas/commerce/billing/spending/spending-limits.ts";
import { openQuotaLedger } from "../../areas/commerce/metering/quotas/quota-source.ts";
import { MeteringBucketDirectory } from "../../areas/commerce/metering-buckets/directory.ts";
import type { Limits } from "../../counting/limits/limits.ts";
import { type InProgress, RequestsInProgress } from "../../counting/limits/requests-in-progress.ts";
import { RateLimitWindows } from "../../counting/limits/windows.ts";
import { LedgerQuotas, type QuotaHolds } from "../../counting/quotas/hold-quota.ts";
import { deleteExpiredHolds } from "../../counting/quotas/published-holds.ts";
import { SavedUsage } from "../../counting/quotas/saved-usage.ts";
import type { MachineCounters } from "../../counting/workers/counted-worker.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import { BatchTransactions } from "../../platform/storage/batch-transactions.ts";
import type { Foundation } from "../foundation/foundation.ts";

/** How often gateway counts are written. A hard kill loses at most this much, and nodes differ by at most this much. */
const flushSeconds = 0.2;
const holdRemovalSeconds = 10;
/** A hard kill while PostgreSQL is unavailable loses at most the usage of this time. */
const saveSeconds = 1;
/** How often a single node writes rate limits: less often, because there are no other nodes to inform. */
const aloneFlushSeconds = 1;

/** What limits requests: counted in this process, or asked of the primary. */
export interface Counters {
  windows: Limits;
  quotas: QuotaHolds;
  inProgress: InProgress;
  /** Those of the ledger, if it is in this process. */
  meteringBuckets?: MeteringBucketDirectory;
}

/** The counters of this machine. The windows must be loaded before requests are served. */
export interface LocalCounters extends MachineCounters {
  quotas: QuotaHolds;
  meteringBuckets: MeteringBucketDirectory;
  flush(): Promise<void>;
}

export function openCounters({ config, clock, log, storage, lifecycle }: Foundation, keyring: Keyring): LocalCounters {
  // Both are flushed at the same time. The ledger is first, because it may wait: rows of rate limits, which all nodes
  // raise, are locked for a short time.
  const transactions = new BatchTransactions(storage, clock);
  const meteringBuckets = new MeteringBucketDirectory(storage);
  const writeShared = transactions.join();
  const ledger = openQuotaLedger(storage, clock, { credits: spendingLimits, buckets: meteringBuckets, writeShared });
  lifecycle.onClose("quota ledger", async () => {
    await ledger.flush();
    if (ledger.unwritten === 0) saved?.clear();
    else if (saved?.save()) log.warn("storage is unavailable: usage is kept on disk for the next start");
    else log.warn("usage of the last moments is lost: storage is unavailable");
  });
  lifecycle.every(flushSeconds, "quota ledger", () => ledger.flush());
  const saved = storage.isShared ? new SavedUsage(config.copyDirectory, keyring, ledger) : undefined;
  if (saved)
    lifecycle.every(saveSeconds, "usage on disk", async () => {
      if (storage.feed.trust() !== "fresh") return ledger.unwritten > 0 ? void saved.save() : undefined;
      if (ledger.unwritten === 0) saved.clear();
      await saved.restore(storage, clock.now());
    });
  lifecycle.every(60, "quota ledger", async () => ledger.evictIdle());
  lifecycle.every(holdRemovalSeconds, "quota ledger", async () => {
    await ledger.countLost();
    await deleteExpiredHolds(storage, clock.now());
  });

  const windows = new RateLimitWindows(storage, { writeShared: transactions.join() });
  lifecycle.onClose("rate limits", async () => {
    await windows.flush(clock.now());
    if (windows.hasUnwritten) log.warn("rate limits of the last moments are lost: storage is unavailable");
  });
  lifecycle.every(storage.isShared ? flushSeconds : aloneFlushSeconds, "rate limits", () => windows.flush(clock.now()));

  const flush = async () => {
    await Promise.all([windows.flush(clock.now()), ledger.flush()]);
  };
  return {
    windows,
    ledger,
    quotas: new LedgerQuotas(ledger),
    inProgress: new RequestsInProgress(),
    meteringBuckets,
    flush,
  };
}
