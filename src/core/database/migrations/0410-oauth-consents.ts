import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Who consented, until the code of the authorization is exchanged. */
export const oauthConsents: Migration = {
  name: "0410-oauth-consents",
  statements: () => ["ALTER TABLE oauth_authorizations ADD COLUMN consent text"],
};
