import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Destinations to which closed hours are written. */
export const exportDestinations: Migration = {
  name: "0380-exports",
  statements: ({ seq, bytes, integer }) => [
    `CREATE TABLE exports (
      seq ${seq},
      id text NOT NULL CONSTRAINT exports_id_key UNIQUE,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      name text NOT NULL,
      url text NOT NULL,
      endpoint text,
      region text,
      credential ${bytes},
      access_key_id text,
      kinds text NOT NULL,
      format text NOT NULL,
      is_enabled ${integer} NOT NULL,
      first_hour ${integer} NOT NULL,
      next_hour ${integer} NOT NULL,
      backfill_from ${integer},
      backfill_next ${integer},
      written_on ${integer},
      last_error text,
      failing_since ${integer},
      failures ${integer} NOT NULL,
      attempt_on ${integer},
      lease text,
      leased_until ${integer},
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT exports_account_seq_name_key UNIQUE (account_seq, name)
    )`,
  ],
};
