import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Accounts, tokens, key buckets, consumers, managers and keys; the change feed and idempotency. */
export const foundation: Migration = {
  name: "0001-foundation",
  statements: ({ seq, reusableSeq, sortedText, bytes, integer, withoutRowid, changesExtra }) => [
    `CREATE TABLE accounts (
      seq ${seq},
      id text NOT NULL,
      name text NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT accounts_name_key UNIQUE (name)
    )`,
    `CREATE TABLE tokens (
      seq ${seq},
      id text NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      role text NOT NULL,
      name text,
      hash ${bytes} NOT NULL,
      expires_on ${integer},
      last_used_on ${integer},
      created_on ${integer} NOT NULL,
      CONSTRAINT tokens_hash_key UNIQUE (hash)
    )`,
    "CREATE UNIQUE INDEX tokens_account ON tokens (account_seq, id)",
    `CREATE TABLE key_buckets (
      seq ${seq},
      id text NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts,
      name text NOT NULL,
      description text,
      tags text,
      is_retrievable ${integer} NOT NULL,
      key_prefix text NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT key_buckets_account_seq_name_key UNIQUE (account_seq, name)
    )`,
    // No cascade from bucket to consumer, so that a race cannot delete a bucket that contains consumers.
    `CREATE TABLE consumers (
      seq ${seq},
      id text NOT NULL,
      bucket_seq ${integer} NOT NULL REFERENCES key_buckets,
      name text NOT NULL,
      description text,
      tags text,
      metadata text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT consumers_bucket_seq_name_key UNIQUE (bucket_seq, name)
    )`,
    "CREATE INDEX consumers_in_order ON consumers (bucket_seq, seq)",
    `CREATE TABLE consumer_tags (
      bucket_seq ${integer} NOT NULL,
      name text NOT NULL,
      value text NOT NULL,
      consumer_seq ${integer} NOT NULL,
      PRIMARY KEY (bucket_seq, name, value, consumer_seq)
    ) ${withoutRowid}`,
    `CREATE TABLE managers (
      seq ${reusableSeq},
      id text NOT NULL,
      bucket_seq ${integer} NOT NULL,
      consumer_seq ${integer} NOT NULL REFERENCES consumers ON DELETE CASCADE,
      sub text NOT NULL,
      email text,
      email_key text,
      created_on ${integer} NOT NULL,
      CONSTRAINT managers_consumer_seq_sub_key UNIQUE (consumer_seq, sub)
    )`,
    "CREATE INDEX managers_by_email ON managers (bucket_seq, email_key, consumer_seq)",
    `CREATE TABLE manager_invites (
      seq ${reusableSeq},
      id text NOT NULL,
      bucket_seq ${integer} NOT NULL,
      consumer_seq ${integer} NOT NULL REFERENCES consumers ON DELETE CASCADE,
      email text NOT NULL,
      email_key text NOT NULL,
      created_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL,
      CONSTRAINT manager_invites_consumer_seq_email_key_key UNIQUE (consumer_seq, email_key)
    )`,
    "CREATE INDEX manager_invites_by_email ON manager_invites (bucket_seq, email_key, consumer_seq)",
    `CREATE TABLE api_keys (
      seq ${reusableSeq},
      id ${sortedText} NOT NULL,
      bucket_seq ${integer} NOT NULL,
      consumer_seq ${integer} NOT NULL REFERENCES consumers ON DELETE CASCADE,
      hash ${bytes} NOT NULL,
      suffix text NOT NULL,
      sealed ${bytes},
      description text,
      expires_on ${integer},
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT api_keys_bucket_seq_hash_key UNIQUE (bucket_seq, hash),
      CONSTRAINT api_keys_consumer_seq_id_key UNIQUE (consumer_seq, id)
    )`,
    `CREATE TABLE list_blocks (
      scope text NOT NULL,
      list text NOT NULL,
      block ${integer} NOT NULL,
      shard ${integer} NOT NULL,
      size ${integer} NOT NULL,
      PRIMARY KEY (scope, list, block, shard)
    ) ${withoutRowid}`,
    `CREATE TABLE idempotency_keys (
      credential text NOT NULL,
      key text NOT NULL,
      fingerprint ${bytes} NOT NULL,
      answer ${bytes} NOT NULL,
      created_on ${integer} NOT NULL,
      PRIMARY KEY (credential, key)
    ) ${withoutRowid}`,
    "CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_on)",
    `CREATE TABLE encryption_keys (
      name text PRIMARY KEY,
      created_on ${integer} NOT NULL
    )`,
    `CREATE TABLE changes (
      seq ${reusableSeq},
      at ${integer} NOT NULL,
      origin text NOT NULL,
      account_seq ${integer},
      actor text NOT NULL,
      kind text NOT NULL,
      subject text NOT NULL,
      data text
      ${changesExtra.column}
    )`,
    ...changesExtra.statements,
  ],
};
