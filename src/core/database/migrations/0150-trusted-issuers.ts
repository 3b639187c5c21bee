import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Identity providers whose tokens are exchanged for tokens of this server, such as those of CI services. */
export const trustedIssuers: Migration = {
  name: "0150-trusted-issuers",
  statements: ({ seq, integer }) => [
    `CREATE TABLE trusted_issuers (
      seq ${seq},
      id text NOT NULL CONSTRAINT trusted_issuers_id_key UNIQUE,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      issuer text NOT NULL,
      audience text,
      subject text NOT NULL,
      claims text,
      role text NOT NULL,
      project text,
      environments text NOT NULL,
      branch_claim text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL
    )`,
    "CREATE INDEX trusted_issuers_of_account ON trusted_issuers (account_seq, seq)",
    "CREATE INDEX trusted_issuers_by_issuer ON trusted_issuers (issuer, audience)",
    `ALTER TABLE tokens ADD COLUMN trusted_issuer_seq ${integer} REFERENCES trusted_issuers ON DELETE CASCADE`,
    "ALTER TABLE tokens ADD COLUMN scope text",
    "CREATE INDEX tokens_of_trusted_issuer ON tokens (trusted_issuer_seq)",
    `ALTER TABLE deployment_builds ADD COLUMN is_preview_only ${integer} NOT NULL DEFAULT 0`,
  ],
};
