import type { Migration } from "../../../platform/storage/migrations/migration.ts";
import { reversedSuffix } from "../reversed-suffix.ts";

/** More fields of keys, lists of keys across consumers, jobs over many of them, and indexes for search by prefix. */
export const keyFields: Migration = {
  name: "0013-key-fields",
  statements: ({ seq, sortedText, integer, withoutRowid, sortBytewise }) => [
    // Prefix searches are ranges only if text sorts byte by byte.
    ...sortBytewise("consumers", ["id", "name"]),
    ...sortBytewise("deployments", ["name"]),
    ...sortBytewise("plans", ["id", "external_id"]),
    ...sortBytewise("subscriptions", ["id", "customer_key"]),
    ...sortBytewise("api_keys", ["suffix"]),
    `ALTER TABLE api_keys ADD COLUMN is_enabled ${integer} NOT NULL DEFAULT 1`,
    "ALTER TABLE api_keys ADD COLUMN permissions text",
    "ALTER TABLE api_keys ADD COLUMN allowed_ips text",
    "ALTER TABLE api_keys ADD COLUMN rate_limit text",
    "ALTER TABLE api_keys ADD COLUMN metadata text",
    `ALTER TABLE api_keys ADD COLUMN last_used_on ${integer}`,
    `CREATE TABLE key_permissions (
      bucket_seq ${integer} NOT NULL,
      permission ${sortedText} NOT NULL,
      key_seq ${integer} NOT NULL REFERENCES api_keys ON DELETE CASCADE,
      PRIMARY KEY (bucket_seq, permission, key_seq)
    ) ${withoutRowid}`,
    "CREATE INDEX key_permissions_of_key ON key_permissions (key_seq)",
    "CREATE INDEX api_keys_in_order ON api_keys (bucket_seq, seq)",
    "CREATE INDEX api_keys_by_id ON api_keys (bucket_seq, id)",
    `CREATE INDEX api_keys_by_suffix ON api_keys (bucket_seq, (${reversedSuffix}))`,
    "CREATE INDEX api_keys_by_creation ON api_keys (bucket_seq, created_on)",
    "CREATE INDEX api_keys_by_last_use ON api_keys (bucket_seq, last_used_on, created_on)",
    "CREATE INDEX api_keys_by_expiry ON api_keys (bucket_seq, expires_on) WHERE expires_on IS NOT NULL",
    "CREATE INDEX api_keys_disabled ON api_keys (bucket_seq, seq) WHERE is_enabled = 0",
    "CREATE INDEX consumers_by_id ON consumers (bucket_seq, id)",
    "CREATE INDEX deployments_by_name ON deployments (account_seq, name)",
    // The counted list of a bucket's keys, see counted-lists.ts.
    `INSERT INTO list_blocks (scope, list, block, shard, size)
      SELECT key_buckets.id, 'keys', api_keys.seq / 4096, 0, COUNT(*)
      FROM api_keys JOIN key_buckets ON key_buckets.seq = api_keys.bucket_seq
      GROUP BY key_buckets.id, api_keys.seq / 4096`,
    // No foreign key to the bucket: a job whose bucket was deleted has nothing left to do.
    `CREATE TABLE jobs (
      seq ${seq},
      id ${sortedText} NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      actor text NOT NULL,
      kind text NOT NULL,
      input text NOT NULL,
      state text NOT NULL,
      position ${integer} NOT NULL,
      done ${integer} NOT NULL,
      failed ${integer} NOT NULL,
      total ${integer} NOT NULL,
      worker text,
      worker_until ${integer},
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT jobs_account_seq_id_key UNIQUE (account_seq, id)
    )`,
    "CREATE INDEX jobs_by_state ON jobs (state, seq)",
  ],
};
