import { removedAccountSeq } from "../../../core/database/removed-account.ts";
import type { Paging } from "../../../lib/paging.ts";
import { countOf, forUpdate, pageOf } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

interface AccountRow {
  seq: number;
  id: string;
  name: string;
}

export function webhookAccountOf(reads: Reads, seq: number): Promise<AccountRow | undefined> {
  return reads.one("SELECT seq, id, name FROM accounts WHERE seq = ?", [seq]);
}

export type WebhookRow = RowOf<"webhooks">;

const webhookWithId = "SELECT * FROM webhooks WHERE account_seq = ? AND id = ?";
const webhookWithName = "SELECT * FROM webhooks WHERE account_seq = ? AND name = ?";
/** No name begins like an id. */
const webhookWith = (idOrName: string) => (idOrName.startsWith("hook_") ? webhookWithId : webhookWithName);

export function findWebhook(reads: Reads, accountSeq: number, idOrName: string): Promise<WebhookRow | undefined> {
  return reads.one(webhookWith(idOrName), [accountSeq, idOrName]);
}

export function findWebhookForUpdate(transaction: WriteTransaction, accountSeq: number, idOrName: string) {
  return transaction.one<WebhookRow>(forUpdate(transaction, webhookWith(idOrName)), [accountSeq, idOrName]);
}

/** Locks and returns the webhook. Undefined if it was deleted. */
export function lockWebhook(transaction: WriteTransaction, seq: number): Promise<WebhookRow | undefined> {
  const sql = "SELECT * FROM webhooks WHERE seq = ? AND account_seq <> ?";
  return transaction.one(forUpdate(transaction, sql), [seq, removedAccountSeq]);
}

export function webhooksOf(reads: Reads, accountSeq: number): Promise<WebhookRow[]> {
  return reads.all("SELECT * FROM webhooks WHERE account_seq = ? ORDER BY seq", [accountSeq]);
}

export async function accountsWithWebhooks(reads: Reads): Promise<Set<number>> {
  const rows = await reads.all<{ account_seq: number }>("SELECT DISTINCT account_seq FROM webhooks", []);
  return new Set(rows.map((row) => row.account_seq));
}

const ofAccount = "FROM webhooks WHERE account_seq = ?";

export function listWebhooks(reads: Reads, accountSeq: number, paging: Paging) {
  return pageOf<WebhookRow>(reads, `SELECT * ${ofAccount} ORDER BY seq`, ofAccount, [accountSeq], paging);
}

export function countWebhooks(reads: Reads, accountSeq: number): Promise<number> {
  return countOf(reads, ofAccount, [accountSeq]);
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
