import type { WriteTransaction } from "./storage.ts";

/** Work of a transaction with the name and the data by which another process can run it. */
interface NamedWork<Result> {
  (transaction: WriteTransaction): Promise<Result>;
  named?: { name: string; data(): unknown };
}

interface NamedWriteOptions<Data> {
  /** Whether `apply` itself ignores data that it has applied already. */
  isIdempotent?: boolean;
  merging?: Merging<Data>;
}

/** How the data of several processes are written together, in fewer statements. */
interface Merging<Data> {
  /** Returns about how many rows the data are. */
  rows(data: Data): number;
  apply(transaction: WriteTransaction, all: Data[]): Promise<void>;
}

/**
 * A write whose work depends only on its data, so that a worker can send it to the process that owns storage. The data
 * must be what structured cloning supports, without instances of classes.
 */
export class NamedWrite<Data, Result = void> {
  constructor(
    readonly name: string,
    readonly apply: (transaction: WriteTransaction, data: Data) => Promise<Result>,
    readonly options: NamedWriteOptions<Data> = {},
  ) {}

  /** Returns the work for `storage.write`. */
  with(data: Data): (transaction: WriteTransaction) => Promise<Result> {
    const work: NamedWork<Result> = (transaction) => this.apply(transaction, data);
    work.named = { name: this.name, data: () => data };
    return work;
  }
}

/** Returns the name and the data of work that another process can run. */
export function namedWorkOf(work: (transaction: WriteTransaction) => Promise<unknown>): NamedWork<unknown>["named"] {
  return (work as NamedWork<unknown>).named;
}
