import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Certificates that are ordered from an authority, the accounts there, and the open challenges. */
export const certificates: Migration = {
  name: "0022-certificates",
  statements: ({ bytes, integer }) => [
    `CREATE TABLE certificates (
      host text PRIMARY KEY,
      chain text,
      private_key ${bytes},
      issued_on ${integer},
      due_on ${integer} NOT NULL,
      failures ${integer} NOT NULL,
      error text,
      lease text,
      lease_ends_on ${integer}
    )`,
    "CREATE INDEX certificates_by_due ON certificates (due_on)",
    `CREATE TABLE acme_accounts (
      directory text PRIMARY KEY,
      private_key ${bytes} NOT NULL,
      created_on ${integer} NOT NULL
    )`,
    `CREATE TABLE acme_challenges (
      token text PRIMARY KEY,
      key_authorization text NOT NULL,
      created_on ${integer} NOT NULL
    )`,
  ],
};
