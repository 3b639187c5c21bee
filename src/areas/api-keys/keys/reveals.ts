import type { Act } from "../../../core/access.ts";
import type { ChangedResource } from "../../../core/changes/details.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { Problem } from "../../../core/problems/problem.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import type { KeyFormat } from "./schema.ts";

/** Records in the audit log that complete key values were returned. */
export class KeyReveals {
  constructor(private readonly storage: Storage) {}

  /**
   * Called before the values are sent. Throws a 503 if the entry cannot be written; then the values must not be sent.
   */
  async record(act: Act, format: KeyFormat, where: ChangedResource, keys: number): Promise<void> {
    if (format !== "visible" || keys === 0) return;
    const resource = { ...where, counts: { keys } };
    try {
      await this.storage.write(async (transaction) => recordChange(transaction, act, "key.revealed", resource));
    } catch (error) {
      throw new Problem("storage_unavailable", { cause: error });
    }
  }
}
