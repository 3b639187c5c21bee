import type { Storage, WriteTransaction } from "../../src/platform/storage/storage.ts";

/** When a process ends: before a statement of its transactions, or after the transaction of this statement has committed. */
export interface Death {
  statements: number;
  isAfterCommit: boolean;
}

export class Died extends Error {
  constructor() {
    super("The process has ended");
  }
}

/** Simulates a process that crashes at a given point: from then on, every write throws. */
export function mortalStorage(storage: Storage, { statements, isAfterCommit }: Death): Storage {
  let left = statements;
  let isDead = false;
  const die = () => {
    isDead = true;
    throw new Died();
  };
  const mortal = (transaction: WriteTransaction): WriteTransaction =>
    new Proxy(transaction, {
      get(target, name: keyof WriteTransaction) {
        const value = target[name];
        if (typeof value !== "function") return value;
        return (...parameters: never[]) => {
          left -= 1;
          if (left <= 0 && !isAfterCommit) die();
          return (value as (...given: never[]) => unknown).apply(target, parameters);
        };
      },
    });
  return Object.create(storage, {
    write: {
      value: async (work: Parameters<Storage["write"]>[0]) => {
        if (isDead) throw new Died();
        const result = await storage.write((transaction) => work(mortal(transaction)));
        if (left <= 0) die();
        return result;
      },
    },
  });
}
