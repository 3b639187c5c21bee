import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The source of each version, so that it can be built for another deployment. Null for versions of earlier releases. */
export const versionSources: Migration = {
  name: "0102-version-sources",
  statements: ({ integer }) => [
    `ALTER TABLE deployment_versions ADD COLUMN source_seq ${integer}`,
    `UPDATE deployment_versions SET source_seq =
      (SELECT source_seq FROM deployment_builds WHERE deployment_builds.id = deployment_versions.build_id)`,
  ],
};
