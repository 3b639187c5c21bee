import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Mail to send, and sign-ins by mail. Neither contains a secret: links and codes are created when a mail is sent. */
export const mail: Migration = {
  name: "0096-mail",
  statements: ({ seq, bytes, integer }) => [
    `CREATE TABLE mails (
      seq ${seq},
      id text NOT NULL CONSTRAINT mails_id_key UNIQUE,
      account_seq ${integer} REFERENCES accounts ON DELETE CASCADE,
      person_seq ${integer} REFERENCES people ON DELETE CASCADE,
      kind text NOT NULL,
      recipient text NOT NULL,
      subject_id text NOT NULL,
      state text NOT NULL,
      attempts ${integer} NOT NULL,
      due_on ${integer} NOT NULL,
      lease text,
      last_error text,
      created_on ${integer} NOT NULL,
      expires_on ${integer},
      ended_on ${integer}
    )`,
    "CREATE INDEX mails_due ON mails (state, due_on)",
    "CREATE INDEX mails_of_account ON mails (account_seq, seq)",
    "CREATE INDEX mails_of_person ON mails (person_seq, seq)",
    `CREATE TABLE sign_ins (
      seq ${seq},
      id text NOT NULL CONSTRAINT sign_ins_id_key UNIQUE,
      audience text NOT NULL,
      email_key text NOT NULL,
      address_group text NOT NULL,
      browser_hash ${bytes} NOT NULL CONSTRAINT sign_ins_browser_hash_key UNIQUE,
      link_hash ${bytes} CONSTRAINT sign_ins_link_hash_key UNIQUE,
      code_hash ${bytes},
      attempts ${integer} NOT NULL,
      used_on ${integer},
      created_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL
    )`,
    "CREATE INDEX sign_ins_of_mailbox ON sign_ins (audience, email_key, created_on)",
    "CREATE INDEX sign_ins_of_address ON sign_ins (address_group, created_on)",
    "CREATE INDEX sign_ins_by_end ON sign_ins (expires_on)",
  ],
};
