import { removedAccountSeq } from "../../../core/database/removed-account.ts";
import { deleteSome } from "../../../platform/storage/query.ts";
import { removeInPieces } from "../../../platform/storage/removal.ts";
import { deleteRows } from "../../../platform/storage/rows.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";

/** The batch size of deliveries, which are deleted with their attempts, and of messages, whose bodies are large. */
const piece = 200;

/** Transfers webhooks to the removed account: they cannot be found, and nothing is sent. Returns the number. */
export async function markWebhookRemoved(
  transaction: WriteTransaction,
  column: "seq" | "account_seq",
  value: number,
): Promise<number> {
  const sql = `UPDATE webhooks SET account_seq = ?, name = NULL, is_enabled = 0, next_due_on = NULL WHERE ${column} = ? RETURNING seq`;
  return (await transaction.all(sql, [removedAccountSeq, value])).length;
}

/** The messages are removed with the account. */
export async function markMessagesRemoved(transaction: WriteTransaction, accountSeq: number): Promise<void> {
  await transaction.run("INSERT INTO webhook_removals (account_seq) VALUES (?)", [accountSeq]);
}

/** Removes deleted webhooks with their deliveries, and the messages of deleted accounts, in batches. */
export function removeDeletedWebhooks(storage: Storage, signal?: AbortSignal): Promise<void> {
  return removeInPieces(
    storage,
    async (transaction) => {
      if (!(await transaction.tryLock("removal of webhooks"))) return 0;
      return (await removeWebhookPiece(transaction)) || removeMessagesPiece(transaction);
    },
    { signal },
  );
}

async function removeWebhookPiece(transaction: WriteTransaction): Promise<number> {
  const webhook = await transaction.one<{ seq: number }>(
    "SELECT seq FROM webhooks WHERE account_seq = ? ORDER BY seq LIMIT 1",
    [removedAccountSeq],
  );
  if (!webhook) return 0;
  const removed = await deleteSome(transaction, "webhook_deliveries", "webhook_seq = ?", [webhook.seq], piece);
  if (removed === 0) await transaction.delete("webhooks", webhook.seq);
  return Math.max(1, removed);
}

async function removeMessagesPiece(transaction: WriteTransaction): Promise<number> {
  const account = await transaction.one<{ account_seq: number }>(
    "SELECT account_seq FROM webhook_removals ORDER BY account_seq LIMIT 1",
    [],
  );
  if (!account) return 0;
  const removed = await deleteSome(transaction, "webhook_messages", "account_seq = ?", [account.account_seq], piece);
  if (removed === 0) await deleteRows(transaction, "webhook_removals", account);
  return Math.max(1, removed);
}
