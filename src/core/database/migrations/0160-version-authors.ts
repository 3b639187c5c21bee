import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The author and the note of a version. Null for versions of earlier releases. */
export const versionAuthors: Migration = {
  name: "0160-version-authors",
  statements: () =>
    ["deployment_builds", "deployment_versions"].flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN author text`,
      `ALTER TABLE ${table} ADD COLUMN note text`,
    ]),
};
