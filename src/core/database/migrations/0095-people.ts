import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** People, their roles in accounts, and their sessions. */
export const people: Migration = {
  name: "0095-people",
  statements: ({ seq, bytes, integer, withoutRowid }) => [
    `CREATE TABLE people (
      seq ${seq},
      id text NOT NULL CONSTRAINT people_id_key UNIQUE,
      email text NOT NULL,
      email_key text CONSTRAINT people_email_key_key UNIQUE,
      issuer text,
      subject text,
      signed_in_on ${integer},
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT people_issuer_subject_key UNIQUE (issuer, subject)
    )`,
    `CREATE TABLE members (
      seq ${seq},
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      person_seq ${integer} NOT NULL REFERENCES people ON DELETE CASCADE,
      name text,
      role text NOT NULL,
      projects text,
      state text NOT NULL,
      source text NOT NULL,
      invitation_hash ${bytes} CONSTRAINT members_invitation_hash_key UNIQUE,
      expires_on ${integer},
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT members_account_seq_person_seq_key UNIQUE (account_seq, person_seq)
    )`,
    "CREATE INDEX members_of_person ON members (person_seq)",
    // A removed member is not readmitted by a claim until an invitation deletes the row.
    `CREATE TABLE removed_members (
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      person_seq ${integer} NOT NULL REFERENCES people ON DELETE CASCADE,
      removed_on ${integer} NOT NULL,
      PRIMARY KEY (account_seq, person_seq)
    ) ${withoutRowid}`,
    "CREATE INDEX removed_members_of_person ON removed_members (person_seq)",
    "ALTER TABLE tokens ADD COLUMN created_by text",
    `ALTER TABLE sessions ADD COLUMN person_seq ${integer} REFERENCES people ON DELETE CASCADE`,
    "ALTER TABLE sessions ADD COLUMN method text NOT NULL DEFAULT 'token'",
    "ALTER TABLE sessions ADD COLUMN ip text",
    "CREATE INDEX sessions_person ON sessions (person_seq)",
  ],
};
