import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The page on which a sign-in by mail was started, which its link opens. */
export const signInPaths: Migration = {
  name: "0411-sign-in-paths",
  statements: () => ["ALTER TABLE sign_ins ADD COLUMN path text"],
};
