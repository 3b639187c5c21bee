import { removedAccountSeq } from "../../../core/database/removed-account.ts";
import { allWith, forUpdate } from "../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";

export type WebhookRow = RowOf<"webhooks">;

/** Returns the webhooks of accounts, in the order of creation. */
export function webhooksOf(reads: Reads, accountSeqs: Iterable<number>): Promise<WebhookRow[]> {
  const some = (wanted: string) =>
    `SELECT * FROM webhooks WHERE account_seq IN (SELECT column1 FROM ${wanted} AS wanted) ORDER BY seq`;
  return allWith(reads, ["bigint"], rowsOf(accountSeqs), some);
}

/** Locks and returns the webhook. Undefined if it was deleted. */
export async function lockWebhook(transaction: WriteTransaction, seq: number): Promise<WebhookRow | undefined> {
  return (await lockWebhooks(transaction, [seq]))[0];
}

/** Locks webhooks in the order of their `seq`, and returns those that were not deleted. */
export function lockWebhooks(transaction: WriteTransaction, seqs: Iterable<number>): Promise<WebhookRow[]> {
  const locked = (wanted: string) => {
    const query = `SELECT * FROM webhooks WHERE seq IN (SELECT column1 FROM ${wanted} AS wanted) AND account_seq <> ${removedAccountSeq}
      ORDER BY seq`;
    return forUpdate(transaction, query);
  };
  return allWith(transaction, ["bigint"], rowsOf([...seqs].sort(ascending)), locked);
}

const rowsOf = (values: Iterable<number>): number[][] => Array.from(values, (value) => [value]);
const ascending = (one: number, other: number): number => one - other;

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
 * Several must be locked.
 */
export async function wakeWebhooks(
  transaction: WriteTransaction,
  seqs: Iterable<number>,
  dueOn: number,
): Promise<void> {
  for (const { sql, parameters } of transaction.tablesOf(["bigint"], rowsOf(seqs)))
    await transaction.run(
      `UPDATE webhooks SET next_due_on = CASE WHEN next_due_on IS NULL OR next_due_on > ? THEN ? ELSE next_due_on END
        WHERE seq IN (SELECT column1 FROM ${sql} AS woken)`,
      [dueOn, dueOn, ...parameters],
    );
}

export async function setNextDue(transaction: WriteTransaction, seq: number): Promise<void> {
  await transaction.run(
    `UPDATE webhooks SET next_due_on =
      (SELECT min(due_on) FROM webhook_deliveries WHERE webhook_seq = ? AND due_on IS NOT NULL) WHERE seq = ?`,
    [seq, seq],
  );
}
