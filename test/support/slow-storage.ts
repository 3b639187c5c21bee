import type { Storage, WriteTransaction } from "../../src/platform/storage/storage.ts";

/** PostgreSQL ends a transaction that takes longer. */
const maxMilliseconds = 15_000;

/** Storage whose statements take time on a stopwatch of its own, and whose transactions end after 15 s of it. */
export function slowStorage(storage: Storage, statementMilliseconds: number) {
  let time = 0;
  let transactions = 0;
  const slow = (transaction: WriteTransaction, began = time): WriteTransaction => {
    return new Proxy(transaction, {
      get(target, name: keyof WriteTransaction) {
        const value = target[name];
        // A statement of the query builder takes time when it is begun.
        if (name !== "query" && typeof value !== "function") return value;
        if (name !== "record" && name !== "onEnd") time += statementMilliseconds;
        if (time - began > maxMilliseconds) throw new Error("The transaction took longer than 15 s");
        return typeof value === "function" ? (value as () => unknown).bind(target) : value;
      },
    });
  };
  const open: Storage = Object.create(storage, {
    write: {
      value: (work: Parameters<Storage["write"]>[0]) => {
        transactions += 1;
        return storage.write((transaction) => work(slow(transaction)));
      },
    },
  });
  return { open, elapsed: () => time, transactions: () => transactions };
}
