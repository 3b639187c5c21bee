import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The reference and the guides of each artifact. Artifacts of earlier releases have none. */
export const deploymentSites: Migration = {
  name: "0120-deployment-sites",
  statements: ({ integer, bytes }) => [
    `CREATE TABLE deployment_sites (
      deployment_seq ${integer} NOT NULL,
      artifact_hash text NOT NULL,
      contents ${bytes} NOT NULL,
      pack ${bytes} NOT NULL,
      PRIMARY KEY (deployment_seq, artifact_hash),
      FOREIGN KEY (deployment_seq, artifact_hash) REFERENCES deployment_artifacts ON DELETE CASCADE
    )`,
  ],
};
