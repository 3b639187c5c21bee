import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The rules of the newest key that a customer deleted in a portal, which a new key gets. */
export const portalDeletedKeys: Migration = {
  name: "0270-portal-deleted-keys",
  statements: ({ integer }) => [
    `CREATE TABLE portal_deleted_keys (
      consumer_seq ${integer} NOT NULL PRIMARY KEY REFERENCES consumers ON DELETE CASCADE,
      key_id text NOT NULL,
      rules text NOT NULL
    )`,
  ],
};
