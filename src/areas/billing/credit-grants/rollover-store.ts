import type { Selectable, Updateable } from "kysely";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Tables } from "../../../platform/storage/tables.ts";
import type { GrantRow } from "./grant-store.ts";

export type Rollover = Selectable<Tables["rollovers"]>;

export async function insertRollover(transaction: WriteTransaction, rollover: Omit<Rollover, "seq">): Promise<void> {
  await transaction.insert("rollovers", rollover);
}

export async function updateRollover(
  transaction: WriteTransaction,
  seq: number,
  values: Updateable<Tables["rollovers"]>,
): Promise<void> {
  await transaction.query.updateTable("rollovers").set(values).where("seq", "=", seq).execute();
}

/** Those of a subscription, which may be deleted, that have not ended. */
export function rolloversInProgress(reads: Reads, bucketSeq: number, subscriptionId: string): Promise<Rollover[]> {
  return reads.all(
    "SELECT * FROM rollovers WHERE bucket_seq = ? AND subscription_id = ? AND ended_on IS NULL ORDER BY seq",
    [bucketSeq, subscriptionId],
  );
}

/** Those of a customer that have not expired at a time, also if they ended before. */
export function unexpiredRollovers(reads: Reads, bucketSeq: number, customerKey: string, now: number) {
  return reads.all<Rollover>(
    "SELECT * FROM rollovers WHERE bucket_seq = ? AND customer_key = ? AND expires_on > ? ORDER BY seq",
    [bucketSeq, customerKey, now],
  );
}

/** Whether it expired, or its fee was returned. */
export async function hasEnded(reads: Reads, seq: number): Promise<boolean> {
  return (await reads.one("SELECT 1 FROM rollovers WHERE seq = ? AND ended_on IS NOT NULL", [seq])) !== undefined;
}

/** The grants of a rollover that have not ended: the first one, and what was used of it and returned. */
export function grantsOfRollover(reads: Reads, seq: number): Promise<GrantRow[]> {
  return reads.all("SELECT * FROM grants WHERE rollover_seq = ? AND ended_on IS NULL ORDER BY seq", [seq]);
}
