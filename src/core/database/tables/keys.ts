import type { Generated } from "kysely";

declare module "../../../platform/storage/tables.ts" {
  interface Tables {
    key_buckets: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      name: string;
      description: string | null;
      tags: string | null;
      is_retrievable: number;
      key_prefix: string;
      /** 1 once the bucket has a supplied key in the generated format with another checksum. */
      has_lookalike_keys: Generated<number>;
      /** What happens to a key that is reported as leaked: `mark` or `disable`. */
      on_leak: Generated<string>;
      /** A JSON array of TokenIssuer, or null. */
      token_issuers: string | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    consumers: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      name: string;
      description: string | null;
      tags: string | null;
      metadata: string | null;
      is_suspended: Generated<number>;
      suspension_reason: Generated<string | null>;
      display_name: Generated<string | null>;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** The words by which consumers are found. It may contain words of former versions. */
    consumer_words: {
      bucket_seq: number;
      word: string;
      consumer_seq: number;
    };
    /** The tags of consumers by value, for filtering. */
    consumer_tags: {
      bucket_seq: number;
      name: string;
      value: string;
      consumer_seq: number;
    };
    managers: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      consumer_seq: number;
      sub: string;
      email: string | null;
      /** In lower case, for look-ups. */
      email_key: string | null;
      created_on: number;
      /** Separated by spaces. Null: all scopes. */
      scopes: string | null;
      version: number;
      /** The identity provider that has confirmed `sub`. */
      issuer: string | null;
    };
    manager_invites: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      consumer_seq: number;
      email: string;
      email_key: string;
      created_on: number;
      expires_on: number;
      /** Of the manager that it becomes. */
      scopes: string | null;
    };
    api_keys: {
      seq: Generated<number>;
      id: string;
      bucket_seq: number;
      consumer_seq: number;
      /** SHA-256 of the value. */
      hash: Uint8Array;
      /** The last characters, for the masked form. */
      suffix: string;
      /** The encrypted value, in retrievable buckets only. */
      sealed: Uint8Array | null;
      description: string | null;
      expires_on: number | null;
      is_enabled: Generated<number>;
      /** A JSON array, or null. */
      permissions: string | null;
      /** A JSON array. Null if every address is allowed. */
      allowed_ips: string | null;
      /** `{requests, windowSeconds}` as JSON. */
      rate_limit: string | null;
      metadata: string | null;
      /** `{reportedOn, source, url?}` as JSON, if the value was reported as leaked. */
      leak: string | null;
      /** A later use may be in `key_uses`. */
      last_used_on: number | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** When the keys of a block of `seq` values were last used, if that is later than `last_used_on`. */
    key_uses: {
      block: number;
      /** Seconds in four bytes each, the highest first. 0 if there is none. */
      times: Uint8Array;
    };
    /** The permissions of keys, for filtering. */
    key_permissions: {
      bucket_seq: number;
      permission: string;
      key_seq: number;
    };
    /** Jobs that are too large for one request. */
    jobs: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      /** The actor that started the job. */
      actor: string;
      kind: string;
      /** The parameters as JSON. Their shape depends on the kind. */
      input: string;
      state: string;
      /** The progress. Its unit depends on the kind. */
      position: number;
      done: number;
      failed: number;
      total: number;
      /** The node that runs the job, and when its lease expires. */
      worker: string | null;
      worker_until: number | null;
      created_on: number;
      updated_on: number;
    };
  }
}
