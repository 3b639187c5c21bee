import type { Generated } from "kysely";

/**
 * The tables that storage itself needs. Whoever opens storage declares its own by augmenting this interface. Both engines
 * have the same columns: times are milliseconds since 1970, booleans 0 or 1, JSON its compact text. `seq` is the internal
 * key and the order of creation, `id` what users see.
 */
export interface Tables {
  /** How many members of a list lie in each run of `seq`, see counted-lists.ts. */
  list_blocks: {
    scope: string;
    list: string;
    block: number;
    shard: number;
    size: number;
  };
  changes: {
    seq: Generated<number>;
    at: number;
    /** The node that wrote it. */
    origin: string;
    account_seq: number | null;
    actor: string;
    kind: string;
    subject: string;
    data: string | null;
    details: string | null;
    state: string | null;
    topics: string | null;
    /** How many changes the row is: more than one where they are packed, see change-pack.ts. */
    count: Generated<number>;
    pack: Uint8Array | null;
  };
  /** How far each durable reader has read the changes, see durable-reader.ts. */
  feed_cursors: {
    reader: string;
    /** Every change up to this `seq` is read, but for those that a snapshot excludes. */
    position: number;
    /** PostgreSQL: what this snapshot sees is read. */
    snapshot: string | null;
    /** PostgreSQL: what this one sees is being read, in pages, up to `position`. */
    target: string | null;
  };
}

export type TableName = keyof Tables;
