import { removedAccountSeq } from "../../../core/database/removed-account.ts";
import { removeInPieces } from "../../../platform/storage/removal.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";

/** The batch size of deliveries, which are deleted with their attempts, and of messages, whose bodies are large. */
const piece = 200;

const deliveries = `DELETE FROM webhook_deliveries WHERE seq IN (
  SELECT seq FROM webhook_deliveries WHERE webhook_seq = ? LIMIT ?) RETURNING seq`;
const messages = `DELETE FROM webhook_messages WHERE seq IN (
  SELECT seq FROM webhook_messages WHERE account_seq = ? LIMIT ?) RETURNING seq`;

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
  const removed = await transaction.all(deliveries, [webhook.seq, piece]);
  if (removed.length === 0) await transaction.run("DELETE FROM webhooks WHERE seq = ?", [webhook.seq]);
  return Math.max(1, removed.length);
}

async function removeMessagesPiece(transaction: WriteTransaction): Promise<number> {
  const account = await transaction.one<{ account_seq: number }>(
    "SELECT account_seq FROM webhook_removals ORDER BY account_seq LIMIT 1",
    [],
  );
  if (!account) return 0;
  const removed = await transaction.all(messages, [account.account_seq, piece]);
  if (removed.length === 0)
    await transaction.run("DELETE FROM webhook_removals WHERE account_seq = ?", [account.account_seq]);
  return Math.max(1, removed.length);
}
