import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Versions that are built without traffic, and canary releases with the counts of both versions. */
export const canaries: Migration = {
  name: "0060-canaries",
  statements: ({ integer, bytes }) => [
    `ALTER TABLE deployment_builds ADD COLUMN is_staged ${integer} NOT NULL DEFAULT 0`,
    `ALTER TABLE deployment_versions ADD COLUMN is_staged ${integer} NOT NULL DEFAULT 0`,
    `CREATE TABLE deployment_canaries (
      deployment_seq ${integer} PRIMARY KEY REFERENCES deployments ON DELETE CASCADE,
      id text NOT NULL,
      version_seq ${integer} NOT NULL,
      version_number ${integer} NOT NULL,
      live_version_seq ${integer} NOT NULL,
      live_version_number ${integer} NOT NULL,
      weight ${integer} NOT NULL,
      live_weight ${integer} NOT NULL,
      sticky_by text,
      abort text,
      started_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      ended_on ${integer},
      outcome text
    )`,
    `CREATE TABLE canary_counts (
      deployment_seq ${integer} NOT NULL REFERENCES deployments ON DELETE CASCADE,
      is_canary ${integer} NOT NULL,
      second ${integer} NOT NULL,
      requests ${integer} NOT NULL,
      errors ${integer} NOT NULL,
      latency ${bytes},
      PRIMARY KEY (deployment_seq, is_canary, second)
    )`,
  ],
};
