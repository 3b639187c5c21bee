import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    accounts: {
      seq: Generated<number>;
      id: string;
      name: string;
      version: number;
      created_on: number;
      updated_on: number;
    };
    tokens: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      role: string;
      name: string | null;
      hash: Uint8Array;
      expires_on: number | null;
      last_used_on: number | null;
      created_on: number;
    };
    /** Named filters of the console's lists. */
    views: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      name: string;
      page: string;
      search: string;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** Browser sessions. */
    sessions: {
      seq: Generated<number>;
      id: string;
      hash: Uint8Array;
      /** Null for the operator. */
      account_seq: number | null;
      token_seq: number | null;
      /** The id of the token, or `operator`. */
      token_id: string;
      token_hash: Uint8Array;
      created_on: number;
      last_used_on: number;
      expires_on: number;
    };
  }
}
