import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/**
 * Browser sessions. A session is deleted with its token. The operator has no token row, so that session ends when it
 * expires.
 */
export const sessions: Migration = {
  name: "0020-sessions",
  statements: ({ seq, bytes, integer }) => [
    `CREATE TABLE sessions (
      seq ${seq},
      id text NOT NULL,
      hash ${bytes} NOT NULL,
      account_seq ${integer} REFERENCES accounts ON DELETE CASCADE,
      token_seq ${integer} REFERENCES tokens ON DELETE CASCADE,
      token_id text NOT NULL,
      token_hash ${bytes} NOT NULL,
      created_on ${integer} NOT NULL,
      last_used_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL,
      CONSTRAINT sessions_hash_key UNIQUE (hash)
    )`,
    "CREATE INDEX sessions_of_token ON sessions (token_id, seq)",
    "CREATE INDEX sessions_token ON sessions (token_seq)",
    "CREATE INDEX sessions_account ON sessions (account_seq)",
    "CREATE INDEX sessions_by_end ON sessions (expires_on)",
  ],
};
