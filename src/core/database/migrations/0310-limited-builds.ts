import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/**
 * The issuers whose tokens may name consumers of a bucket, and which builds, sources and variables come from callers with
 * limited access. Earlier builds with a token for previews count as limited.
 */
export const limitedBuilds: Migration = {
  name: "0310-limited-builds",
  statements: ({ integer }) => [
    "ALTER TABLE key_buckets ADD COLUMN token_issuers text",
    ...["deployment_builds", "deployment_sources", "project_variables"].map(
      (table) => `ALTER TABLE ${table} ADD COLUMN is_limited ${integer} NOT NULL DEFAULT 0`,
    ),
    "UPDATE deployment_builds SET is_limited = 1 WHERE is_preview_only = 1",
    `UPDATE deployment_sources SET is_limited = 1 WHERE seq IN (
      SELECT source_seq FROM deployment_builds WHERE is_limited = 1 AND source_seq IS NOT NULL
    )`,
    `UPDATE deployment_artifacts SET data = '{"isLimited":true,' || substr(data, 2)
      WHERE EXISTS (${versionsOfArtifact("= 1")}) AND NOT EXISTS (${versionsOfArtifact("= 0")})`,
  ],
};

function versionsOfArtifact(isLimited: string): string {
  return `SELECT 1 FROM deployment_versions JOIN deployment_builds ON deployment_builds.id = deployment_versions.build_id
    WHERE deployment_versions.deployment_seq = deployment_artifacts.deployment_seq
      AND deployment_versions.artifact_hash = deployment_artifacts.hash AND deployment_builds.is_limited ${isLimited}`;
}
