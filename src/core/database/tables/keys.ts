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
      /** 1 from the first supplied key on that has the generated shape with another checksum. */
      has_lookalike_keys: Generated<number>;
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
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** The tags of consumers once more, by value, for filtering. */
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
      /** Lower case, for looking up. */
      email_key: string | null;
      created_on: number;
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
      /** The sealed value, in retrievable buckets only. */
      sealed: Uint8Array | null;
      description: string | null;
      expires_on: number | null;
      is_enabled: Generated<number>;
      /** A JSON array; null where it has none. */
      permissions: string | null;
      /** A JSON array; null where every address is good. */
      allowed_ips: string | null;
      /** `{requests, windowSeconds}` as JSON. */
      rate_limit: string | null;
      metadata: string | null;
      /** A later use may be in `key_uses`. */
      last_used_on: number | null;
      version: number;
      created_on: number;
      updated_on: number;
    };
    /** When the keys of a run of `seq` were last used, if that is later than `last_used_on`. */
    key_uses: {
      block: number;
      /** Seconds in four bytes each, the highest first; 0 where there is none. */
      times: Uint8Array;
    };
    /** The permissions of keys once more, for filtering. */
    key_permissions: {
      bucket_seq: number;
      permission: string;
      key_seq: number;
    };
    /** Work over more than fits into a request. */
    jobs: {
      seq: Generated<number>;
      id: string;
      account_seq: number;
      /** Who started it. */
      actor: string;
      kind: string;
      /** What to do, as JSON; its shape depends on the kind. */
      input: string;
      state: string;
      /** How far it is: what that counts depends on the kind. */
      position: number;
      done: number;
      failed: number;
      total: number;
      /** Which node runs it, and until when that may be believed. */
      worker: string | null;
      worker_until: number | null;
      created_on: number;
      updated_on: number;
    };
  }
}
