import { removedAccountSeq } from "../../../core/database/removed-account.ts";
import { forUpdate } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type WebhookRow = RowOf<"webhooks">;

/** Locks and returns the webhook. Undefined if it was deleted. */
export function lockWebhook(transaction: WriteTransaction, seq: number): Promise<WebhookRow | undefined> {
  const sql = "SELECT * FROM webhooks WHERE seq = ? AND account_seq <> ?";
  return transaction.one(forUpdate(transaction, sql), [seq, removedAccountSeq]);
}

export async function accountsWithWebhooks(reads: Reads): Promise<Set<number>> {
  const rows = await reads.all<{ account_seq: number }>("SELECT DISTINCT account_seq FROM webhooks", []);
  return new Set(rows.map((row) => row.account_seq));
}

/** Webhooks that may have a due delivery, the longest waiting first. */
export function dueWebhooks(reads: Reads, now: number, max: number): Promise<{ seq: number }[]> {
  return reads.all(
    `SELECT seq FROM webhooks WHERE next_due_on IS NOT NULL AND next_due_on <= ? AND account_seq <> ?
      ORDER BY next_due_on LIMIT ?`,
    [now, removedAccountSeq, max],
  );
}

export async function clearFailing(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run("UPDATE webhooks SET failing_since = NULL WHERE seq = ? AND failing_since IS NOT NULL", [seq]);
}

/**
 * Written even if nothing changes, for its lock: a transaction that claims deliveries must see the new one before it
 * computes the next time, or the delivery would wait for the next message.
 */
export async function wakeWebhook(transaction: WriteTransaction, seq: number, dueOn: number): Promise<void> {
  await transaction.run(
    `UPDATE webhooks SET next_due_on = CASE WHEN next_due_on IS NULL OR next_due_on > ? THEN ? ELSE next_due_on END
      WHERE seq = ?`,
    [dueOn, dueOn, seq],
  );
}

export async function setNextDue(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run(
    `UPDATE webhooks SET next_due_on =
      (SELECT min(due_on) FROM webhook_deliveries WHERE webhook_seq = ? AND due_on IS NOT NULL) WHERE seq = ?`,
    [seq, seq],
  );
}
