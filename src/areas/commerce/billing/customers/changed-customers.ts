import { Problem } from "../../../../core/problems/problem.ts";

interface Place {
  bucket_seq: number;
  customer_key: string;
}

interface Comparison<Customer extends Place> {
  /** A page of customers after one, in the order of their buckets and keys. */
  pageAfter(after: Place, limit: number): Promise<Customer[]>;
  /** Undefined if there is nothing to compare. */
  stateOf(customer: Customer): string | undefined;
  /** Returns whether an unchanged state need not be compared again. */
  compare(customer: Customer): Promise<boolean>;
  failed(error: unknown): void;
  signal: AbortSignal | undefined;
}

const pageSize = 500;

/** Compares customers whose state has changed since it was compared last. The first run of a process compares all. */
export class ChangedCustomers {
  #compared = new Map<string, string>();

  async compare<Customer extends Place>(comparison: Comparison<Customer>): Promise<void> {
    const { pageAfter, stateOf, compare, failed, signal } = comparison;
    const compared = new Map<string, string>();
    for (let after: Place = { bucket_seq: 0, customer_key: "" }; !signal?.aborted; ) {
      const customers = await pageAfter(after, pageSize);
      for (const customer of customers) {
        if (signal?.aborted) return;
        const key = customerId(customer);
        const state = stateOf(customer);
        if (state === undefined) continue;
        try {
          if (this.#compared.get(key) === state || (await compare(customer))) compared.set(key, state);
        } catch (error) {
          // The customer or bucket was deleted concurrently.
          if (!(error instanceof Problem && error.code === "not_found")) failed(error);
        }
      }
      const last = customers.at(-1);
      if (!last || customers.length < pageSize) break;
      after = last;
    }
    this.#compared = compared;
  }
}

export const customerId = ({ bucket_seq, customer_key }: Place): string => `${bucket_seq} ${customer_key}`;
