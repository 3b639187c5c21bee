import type { WriteTransaction } from "../../../../../platform/storage/storage.ts";

/** Returns false if the event was processed before. */
export async function insertEvent(
  transaction: WriteTransaction,
  event: { account_seq: number; mode: string; event_id: string; received_on: number },
): Promise<boolean> {
  const [isNew] = await transaction.insertNew("stripe_events", [event], ["account_seq", "mode", "event_id"]);
  return isNew!;
}

/** Returns how many were deleted. */
export async function deleteEvents(transaction: WriteTransaction, before: number, rows: number): Promise<number> {
  const deleted = await transaction.all(
    `DELETE FROM stripe_events WHERE (account_seq, mode, event_id) IN (
       SELECT account_seq, mode, event_id FROM stripe_events WHERE received_on < ? LIMIT ?) RETURNING event_id`,
    [before, rows],
  );
  return deleted.length;
}
