import type { Storage, WriteTransaction } from "../../src/platform/storage/storage.ts";

/** Wraps storage and runs a function inside a transaction, right after its first matching statement. */
export function afterStatement(
  storage: Storage,
  pattern: RegExp,
  work: (transaction: WriteTransaction) => Promise<unknown>,
): Storage {
  let isDone = false;
  const watched = (transaction: WriteTransaction): WriteTransaction => ({
    ...transaction,
    run: async (sql, parameters) => {
      await transaction.run(sql, parameters);
      if (isDone || !pattern.test(sql)) return;
      isDone = true;
      await work(transaction);
    },
  });
  return { ...storage, write: (write) => storage.write((transaction) => write(watched(transaction))) };
}
