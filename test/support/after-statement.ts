import type { Storage, WriteTransaction } from "../../src/platform/storage/storage.ts";

/** Wraps storage and runs a function inside a transaction, right after its first matching statement. */
export function afterStatement(
  storage: Storage,
  pattern: RegExp,
  work: (transaction: WriteTransaction) => Promise<unknown>,
): Storage {
  let isDone = false;
  const after = async (sql: string, transaction: WriteTransaction) => {
    if (isDone || !pattern.test(sql)) return;
    isDone = true;
    await work(transaction);
  };
  const watched = (transaction: WriteTransaction): WriteTransaction => ({
    ...transaction,
    one: async <Row>(sql: string, parameters: Parameters<WriteTransaction["one"]>[1]) => {
      const row = await transaction.one<Row>(sql, parameters);
      await after(sql, transaction);
      return row;
    },
    run: async (sql, parameters) => {
      await transaction.run(sql, parameters);
      await after(sql, transaction);
    },
  });
  return { ...storage, write: (write) => storage.write((transaction) => write(watched(transaction))) };
}
