import type { Insertable } from "kysely";
import { allWith } from "../../../../platform/storage/query.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { RowOf, Tables } from "../../../../platform/storage/tables.ts";
import { wakeWebhooks } from "../store.ts";

export type MessageRow = RowOf<"webhook_messages">;
export type DeliveryRow = RowOf<"webhook_deliveries">;
export type AttemptRow = RowOf<"webhook_attempts">;
export type NewMessage = Insertable<Tables["webhook_messages"]>;
type NewDelivery = Insertable<Tables["webhook_deliveries"]>;

/** Stores the messages whose cause has none yet. Returns the seq of each, and undefined for the others. */
export async function insertMessagesOnce(
  transaction: WriteTransaction,
  messages: NewMessage[],
): Promise<(number | undefined)[]> {
  const keyOf = (message: Pick<NewMessage, "account_seq" | "id">) => `${message.account_seq} ${message.id}`;
  const seqs = new Map<string, number>();
  const rows = messages.map(({ account_seq, id, type, body, created_on }) => [account_seq, id, type, body, created_on]);
  for (const { sql, parameters } of transaction.tablesOf(["bigint", "text", "text", "text", "bigint"], rows)) {
    const inserted = await transaction.all<Pick<MessageRow, "seq" | "account_seq" | "id">>(
      `INSERT INTO webhook_messages (account_seq, id, type, body, created_on)
        SELECT column1, column2, column3, column4, column5 FROM ${sql} AS messages WHERE true
        ON CONFLICT (account_seq, id) DO NOTHING RETURNING seq, account_seq, id`,
      parameters,
    );
    for (const row of inserted) seqs.set(keyOf(row), row.seq);
  }
  return messages.map((message) => seqs.get(keyOf(message)));
}

export async function insertDeliveries(transaction: WriteTransaction, rows: NewDelivery[]): Promise<void> {
  if (rows.length > 0) await transaction.insertAll("webhook_deliveries", rows);
}

/** Returns messages of the account, of some types, between two times, oldest first. */
export function messagesBetween(
  reads: Reads,
  accountSeq: number,
  types: readonly string[],
  { from, to, max }: { from: number; to: number; max: number },
): Promise<Pick<MessageRow, "seq" | "id" | "type">[]> {
  return reads.all(
    `SELECT seq, id, type FROM webhook_messages
      WHERE account_seq = ? AND created_on >= ? AND created_on < ? AND type IN (${types.map(() => "?").join(", ")})
      ORDER BY created_on, seq LIMIT ?`,
    [accountSeq, from, to, ...types, max],
  );
}

export interface DeliveryFilter {
  status?: string | undefined;
  type?: string | undefined;
  before?: string | undefined;
  limit: number;
}

/** Newest first. Ids need not be in that order: clocks of nodes differ. */
export function listDeliveries(reads: Reads, webhookSeq: number, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  let query = reads.query.selectFrom("webhook_deliveries").selectAll().where("webhook_seq", "=", webhookSeq);
  if (filter.status !== undefined) query = query.where("status", "=", filter.status);
  if (filter.type !== undefined) query = query.where("type", "=", filter.type);
  const { before } = filter;
  if (before !== undefined)
    query = query.where("seq", "<", (deliveries) =>
      deliveries
        .selectFrom("webhook_deliveries as last")
        .select("last.seq")
        .where("last.webhook_seq", "=", webhookSeq)
        .where("last.id", "=", before),
    );
  return query.orderBy("seq", "desc").limit(filter.limit).execute();
}

export function attemptsOf(reads: Reads, deliverySeq: number): Promise<AttemptRow[]> {
  return reads.all("SELECT * FROM webhook_attempts WHERE delivery_seq = ? ORDER BY number", [deliverySeq]);
}

/** The first attempt of a new schedule is due immediately. */
export async function reschedule(transaction: WriteTransaction, seq: number, now: number): Promise<void> {
  await transaction.run(
    `UPDATE webhook_deliveries SET status = 'pending', schedule_step = 0, due_on = ?, lease = NULL, finished_on = NULL
      WHERE seq = ?`,
    [now, seq],
  );
}

export function dueDeliveries(reads: Reads, webhookSeq: number, now: number, max: number): Promise<DeliveryRow[]> {
  return reads.all(
    `SELECT * FROM webhook_deliveries WHERE webhook_seq = ? AND due_on IS NOT NULL AND due_on <= ?
      ORDER BY due_on, seq LIMIT ?`,
    [webhookSeq, now, max],
  );
}

/** Releases all claimed deliveries. Only if there can be no other node. */
export async function releaseAllDeliveries(transaction: WriteTransaction, now: number): Promise<void> {
  const released = await transaction.all<{ webhook_seq: number }>(
    `UPDATE webhook_deliveries SET lease = NULL, due_on = ? WHERE lease IS NOT NULL AND due_on IS NOT NULL
      RETURNING webhook_seq`,
    [now],
  );
  await wakeWebhooks(transaction, new Set(released.map(({ webhook_seq }) => webhook_seq)), now);
}

/** Sets when deliveries are due, and their lease, which replaces the former one. */
export async function setLeases(
  transaction: WriteTransaction,
  deliveries: readonly { seq: number; former: string | null; lease: string }[],
  dueOn: number,
): Promise<void> {
  const rows = deliveries.map(({ seq, former, lease }) => [seq, former, lease]);
  for (const { sql, parameters } of transaction.tablesOf(["bigint", "text", "text"], rows))
    await transaction.run(
      `UPDATE webhook_deliveries SET lease = column3, due_on = ? FROM ${sql} AS leased
        WHERE seq = column1 AND lease IS NOT DISTINCT FROM column2`,
      [dueOn, ...parameters],
    );
}

/** Returns the bodies of messages by their `seq`. */
export async function bodiesOf(reads: Reads, messageSeqs: readonly number[]): Promise<Map<number, string>> {
  const rows = await allWith<Pick<MessageRow, "seq" | "body">>(
    reads,
    ["bigint"],
    messageSeqs.map((seq) => [seq]),
    (wanted) => `SELECT seq, body FROM webhook_messages WHERE seq IN (SELECT column1 FROM ${wanted} AS wanted)`,
  );
  return new Map(rows.map(({ seq, body }) => [seq, body]));
}

export async function recordAttempt(
  transaction: WriteTransaction,
  attempt: AttemptRow,
  maxKept: number,
): Promise<void> {
  await transaction.insertAll("webhook_attempts", [attempt]);
  await transaction.run("DELETE FROM webhook_attempts WHERE delivery_seq = ? AND number <= ?", [
    attempt.delivery_seq,
    attempt.number - maxKept,
  ]);
}

/** Fails at most the given number of pending deliveries of a disabled webhook, and returns the number. */
export async function failPending(
  transaction: WriteTransaction,
  webhookSeq: number,
  now: number,
  max: number,
): Promise<number> {
  const failed = await transaction.all(
    `UPDATE webhook_deliveries SET status = 'failed', due_on = NULL, lease = NULL, finished_on = ? WHERE seq IN (
      SELECT seq FROM webhook_deliveries WHERE webhook_seq = ? AND due_on IS NOT NULL LIMIT ?) RETURNING seq`,
    [now, webhookSeq, max],
  );
  return failed.length;
}
