import { removeInPieces } from "../../../../platform/storage/removal.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { deleteEmptySizes, type LogSize, logSizes, removeOldestLines } from "./log-store.ts";

export interface LogBounds {
  deploymentBytes: number;
  accountBytes: number;
}

const mebibyte = 1024 * 1024;

/** How much of the logs is stored. The oldest lines are removed first. */
export const logBounds: LogBounds = { deploymentBytes: 64 * mebibyte, accountBytes: 512 * mebibyte };

/** Removes the oldest lines of deployments that exceed the limit, and all lines of deleted deployments. */
export async function removeExcessLines(storage: Storage, bounds: LogBounds, signal?: AbortSignal): Promise<void> {
  const sizes = await logSizes(storage.reads);
  for (const [accountSeq, ofAccount] of Map.groupBy(sizes, (size) => size.account_seq)) {
    const max = accountSeq === null ? 0 : Math.min(bounds.deploymentBytes, levelOf(ofAccount, bounds.accountBytes));
    for (const { deployment_seq, bytes } of ofAccount) {
      if (bytes <= max && accountSeq !== null) continue;
      await removeInPieces(storage, (transaction, rows) => removeOldestLines(transaction, deployment_seq, max, rows), {
        signal,
      });
    }
  }
  await storage.write(deleteEmptySizes);
}

/**
 * Returns the size to which the largest logs of an account are cut so that all logs together are within its limit.
 * Smaller logs are not cut.
 */
export function levelOf(sizes: Pick<LogSize, "bytes">[], maxBytes: number): number {
  let left = maxBytes;
  const ascending = sizes.map(({ bytes }) => bytes).sort((one, other) => one - other);
  for (const [index, bytes] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (bytes > share) return Math.floor(share);
    left -= bytes;
  }
  return Number.POSITIVE_INFINITY;
}
