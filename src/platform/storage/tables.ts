import type { Generated } from "kysely";

/** The tables that storage itself needs. Whoever opens storage declares its own by augmenting this interface. */
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
  };
}

export type TableName = keyof Tables;
