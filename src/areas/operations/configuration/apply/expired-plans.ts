import { removeInPieces } from "../../../../platform/storage/removal.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { deleteInputsBefore, hasInputsBefore } from "./plan-store.ts";

/** Removes what expired plans would have written: it may contain secrets. */
export async function removeExpiredInputs(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  if (!(await hasInputsBefore(storage.reads, now))) return;
  await removeInPieces(storage, (transaction, rows) => deleteInputsBefore(transaction, now, rows), { signal });
}
