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
      /** The id of the person who created it. Null for a token, the operator and the server. */
      created_by: string | null;
      /** Of a token that was exchanged for one of a trusted issuer. */
      trusted_issuer_seq: number | null;
      /** JSON: the trusted issuer, and the project, environments and branch that the token is limited to. */
      scope: string | null;
    };
    /** Identity providers whose tokens are exchanged for tokens of this server. */
    trusted_issuers: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      issuer: string;
      /** Null for the default, which depends on the public URL. */
      audience: string | null;
      subject: string;
      /** JSON: patterns by name. */
      claims: string | null;
      role: string;
      project: string | null;
      /** JSON: a list. */
      environments: string;
      branch_claim: string | null;
      version: number;
      created_on: number;
      updated_on: number;
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
      /** The only account of the session. Null for the operator, and for all accounts of a person. */
      account_seq: number | null;
      token_seq: number | null;
      person_seq: number | null;
      /** The id of the token or the person, or `operator`. */
      token_id: string;
      /** Of a person, the hash of the session, which is no token's. */
      token_hash: Uint8Array;
      /** How the person or program signed in: `token`, `invitation`, `mail` or `oidc`. */
      method: string;
      /** The `seq` of accounts in which it has ended, with a comma before and after each. */
      ended_in: string | null;
      ip: string | null;
      created_on: number;
      last_used_on: number;
      expires_on: number;
    };
  }
}
