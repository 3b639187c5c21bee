import type { Generated, Selectable, Updateable } from "kysely";

/**
 * The tables that storage itself needs. Other modules declare their tables by augmenting this interface. Both engines
 * have the same columns: times are milliseconds since 1970, booleans 0 or 1, JSON its compact text. `seq` is the
 * internal key and the order of creation; `id` is the public identifier.
 */
export interface Tables {
  /** The number of members of a list in each block of `seq` values, see counted-lists.ts. */
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
    /** The number of changes in the row: more than one if they are packed, see change-pack.ts. */
    count: Generated<number>;
    pack: Uint8Array | null;
  };
  /** The position of each durable reader in the changes, see durable-reader.ts. */
  feed_cursors: {
    reader: string;
    /** Every change up to this `seq` is read, except those that a snapshot excludes. */
    position: number;
    /** PostgreSQL: changes that this snapshot sees are read. */
    snapshot: string | null;
    /** PostgreSQL: changes that this snapshot sees are being read in pages, up to `position`. */
    target: string | null;
  };
}

export type TableName = keyof Tables;

/** A row of a table. */
export type RowOf<Name extends TableName> = Selectable<Tables[Name]>;

/** Values for columns of a row. */
export type ChangesOf<Name extends TableName> = Updateable<Tables[Name]>;
