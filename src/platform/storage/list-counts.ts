import { Slice } from "../../lib/tasks/slices.ts";

/** A counter of the members of a list within one block of `seq` values. */
interface Counter {
  scope: string;
  list: string;
  block: number;
  shard: number;
}

type Run = (sql: string, parameters: unknown[]) => Promise<void>;

const raise = `INSERT INTO list_blocks (scope, list, block, shard, size) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (scope, list, block, shard) DO UPDATE SET size = list_blocks.size + excluded.size`;
const removeEmpty = "DELETE FROM list_blocks WHERE scope = ? AND list = ? AND block = ? AND shard = ? AND size = 0";
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

  async write(run: Run): Promise<void> {
    // Sorted, so that two transactions with several counters in common cannot deadlock.
    const slice = new Slice();
    for (const key of [...this.#raised.keys()].sort()) {
      if (slice.isOver) await slice.next();
      const { counter, delta } = this.#raised.get(key)!;
      const { scope, list, block, shard } = counter;
      if (delta === 0 || this.#removed.has(scope)) continue;
      await run(raise, [scope, list, block, shard, delta]);
      if (delta < 0) await run(removeEmpty, [scope, list, block, shard]);
    }
    for (const scope of this.#removed) await run(removeAll, [scope]);
  }
}
