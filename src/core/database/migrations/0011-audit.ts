import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The details of changes and the positions of durable readers; the audit log with its chains and signing keys. */
export const audit: Migration = {
  name: "0011-audit",
  statements: ({ bytes, integer, sortedText, withoutRowid }) => [
    "ALTER TABLE changes ADD COLUMN details text",
    `CREATE TABLE feed_cursors (
      reader text PRIMARY KEY,
      position ${integer} NOT NULL,
      snapshot text,
      target text
    )`,
    // No reference to the account: its log is kept after its deletion until it expires.
    `CREATE TABLE audit_entries (
      account_seq ${integer} NOT NULL,
      id ${sortedText} NOT NULL,
      number ${integer} NOT NULL,
      time ${integer} NOT NULL,
      action text NOT NULL,
      actor text NOT NULL,
      resource_type text NOT NULL,
      resource text NOT NULL,
      parent text,
      entry text NOT NULL,
      hash text NOT NULL,
      PRIMARY KEY (account_seq, id)
    ) ${withoutRowid}`,
    "CREATE UNIQUE INDEX audit_entries_in_order ON audit_entries (account_seq, number)",
    "CREATE INDEX audit_entries_by_resource ON audit_entries (account_seq, resource, id)",
    "CREATE INDEX audit_entries_by_parent ON audit_entries (account_seq, parent, id) WHERE parent IS NOT NULL",
    `CREATE TABLE audit_chains (
      account_seq ${integer} PRIMARY KEY,
      account text NOT NULL,
      count ${integer} NOT NULL,
      hash text NOT NULL,
      sealed_on ${integer} NOT NULL,
      anchor ${integer} NOT NULL,
      anchor_hash text NOT NULL,
      oldest_on ${integer},
      signed_count ${integer} NOT NULL,
      head text
    )`,
    `CREATE TABLE audit_keys (
      id text PRIMARY KEY,
      public_key text NOT NULL,
      private_key ${bytes} NOT NULL,
      created_on ${integer} NOT NULL
    )`,
  ],
};
