import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Portals of key buckets, hand-offs to them, and the sessions of customers. */
export const portals: Migration = {
  name: "0090-portals",
  statements: ({ seq, reusableSeq, integer, bytes }) => [
    `CREATE TABLE portals (
      seq ${seq},
      id text NOT NULL CONSTRAINT portals_id_key UNIQUE,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      bucket_seq ${integer} NOT NULL CONSTRAINT portals_bucket_seq_key UNIQUE REFERENCES key_buckets ON DELETE CASCADE,
      name text NOT NULL CONSTRAINT portals_name_key UNIQUE,
      host text,
      is_enabled ${integer} NOT NULL,
      settings text NOT NULL,
      logo ${bytes},
      logo_type text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL
    )`,
    "CREATE INDEX portals_by_account ON portals (account_seq)",
    `CREATE TABLE portal_handoffs (
      seq ${reusableSeq},
      hash ${bytes} NOT NULL CONSTRAINT portal_handoffs_hash_key UNIQUE,
      portal_seq ${integer} NOT NULL REFERENCES portals ON DELETE CASCADE,
      consumer_seq ${integer} NOT NULL REFERENCES consumers ON DELETE CASCADE,
      subject text NOT NULL,
      scopes text NOT NULL,
      return_url text,
      viewer text,
      expires_on ${integer} NOT NULL
    )`,
    "CREATE INDEX portal_handoffs_by_portal ON portal_handoffs (portal_seq)",
    "CREATE INDEX portal_handoffs_by_consumer ON portal_handoffs (consumer_seq)",
    "CREATE INDEX portal_handoffs_by_expiry ON portal_handoffs (expires_on)",
    `CREATE TABLE portal_sessions (
      seq ${reusableSeq},
      id text NOT NULL,
      hash ${bytes} NOT NULL CONSTRAINT portal_sessions_hash_key UNIQUE,
      portal_seq ${integer} NOT NULL REFERENCES portals ON DELETE CASCADE,
      consumer_seq ${integer} NOT NULL REFERENCES consumers ON DELETE CASCADE,
      subject text NOT NULL,
      scopes text NOT NULL,
      return_url text,
      viewer text,
      created_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL
    )`,
    "CREATE INDEX portal_sessions_by_portal ON portal_sessions (portal_seq)",
    "CREATE INDEX portal_sessions_by_consumer ON portal_sessions (consumer_seq)",
    "CREATE INDEX portal_sessions_by_expiry ON portal_sessions (expires_on)",
  ],
};
