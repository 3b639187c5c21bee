import { Slice } from "../../lib/tasks/slices.ts";

/** A counter of the members of a list within one block of `seq` values. */
interface Counter {
  scope: string;
  list: string;
  block: number;
  shard: number;
}

type CounterType = "text" | "bigint";

/** What it needs of a transaction. */
interface CounterWrites {
  tablesOf(types: readonly CounterType[], rows: unknown[][]): Iterable<{ sql: string; parameters: unknown[] }>;
  run(sql: string, parameters: unknown[]): Promise<void>;
}

const raise = (counters: string) => `INSERT INTO list_blocks (scope, list, block, shard, size)
  SELECT column1, column2, column3, column4, column5 FROM ${counters} AS raised WHERE true
  ON CONFLICT (scope, list, block, shard) DO UPDATE SET size = list_blocks.size + excluded.size`;
const removeEmpty = (counters: string) => `DELETE FROM list_blocks WHERE (scope, list, block, shard) IN (
  SELECT column1, column2, column3, column4 FROM ${counters} AS lowered) AND size = 0`;
const types: CounterType[] = ["text", "text", "bigint", "bigint", "bigint"];
const removeAll = "DELETE FROM list_blocks WHERE scope = ?";

/**
 * Collects the counts of a transaction, which are written last. On PostgreSQL a counter stays locked until the commit.
 * On SQLite the writes of a group change the same counter, which is then written once for all of them.
 */
export class ListCounts {
  readonly #raised = new Map<string, { counter: Counter; delta: number }>();
  readonly #removed = new Set<string>();

  add(counter: Counter, delta: number): void {
    const key = `${counter.scope} ${counter.block} ${counter.shard} ${counter.list}`;
    const raised = this.#raised.get(key);
    if (raised) raised.delta += delta;
    else this.#raised.set(key, { counter, delta });
  }

  removeScope(scope: string): void {
    this.#removed.add(scope);
  }

  merge(other: ListCounts): void {
    for (const { counter, delta } of other.#raised.values()) this.add(counter, delta);
    for (const scope of other.#removed) this.#removed.add(scope);
  }

  async write({ tablesOf, run }: CounterWrites): Promise<void> {
    const rows: unknown[][] = [];
    const lowered: unknown[][] = [];
    // Sorted, so that two transactions with several counters in common cannot deadlock.
    for (const key of [...this.#raised.keys()].sort()) {
      const { counter, delta } = this.#raised.get(key)!;
      const { scope, list, block, shard } = counter;
      if (delta === 0 || this.#removed.has(scope)) continue;
      rows.push([scope, list, block, shard, delta]);
      if (delta < 0) lowered.push([scope, list, block, shard, delta]);
    }
    const slice = new Slice();
    for (const [statement, counters] of [
      [raise, rows],
      [removeEmpty, lowered],
    ] as const)
      for (const { sql, parameters } of tablesOf(types, counters)) {
        if (slice.isOver) await slice.next();
        await run(statement(sql), parameters);
      }
    for (const scope of this.#removed) await run(removeAll, [scope]);
  }
}
