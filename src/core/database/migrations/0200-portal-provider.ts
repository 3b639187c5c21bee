import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The identity providers of portals, and the managers who sign in with them. */
export const portalProvider: Migration = {
  name: "0200-portal-provider",
  statements: ({ bytes }) => [
    `ALTER TABLE portals ADD COLUMN client_secret ${bytes}`,
    "ALTER TABLE managers ADD COLUMN issuer text",
    "CREATE INDEX managers_by_sub ON managers (bucket_seq, sub)",
    "ALTER TABLE portal_sessions ADD COLUMN issuer text",
    "ALTER TABLE portal_proofs ADD COLUMN issuer text",
    "ALTER TABLE portal_proofs ADD COLUMN subject text",
  ],
};
