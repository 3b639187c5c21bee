import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Deployments with their uploads, builds, versions and logs. */
export const deployments: Migration = {
  name: "0003-deployments",
  statements: ({ seq, reusableSeq, integer, bytes }) => [
    // The name is also a host name, so it is unique over all accounts.
    `CREATE TABLE deployments (
      seq ${seq},
      account_seq ${integer} NOT NULL REFERENCES accounts,
      name text NOT NULL,
      project text NOT NULL,
      branch text NOT NULL,
      code text NOT NULL,
      message text NOT NULL,
      active_version_seq ${integer},
      source_seq ${integer},
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT deployments_name_key UNIQUE (name),
      CONSTRAINT deployments_account_seq_project_branch_key UNIQUE (account_seq, project, branch)
    )`,
    `CREATE TABLE deployment_builds (
      seq ${seq},
      id text NOT NULL,
      deployment_seq ${integer} NOT NULL REFERENCES deployments ON DELETE CASCADE,
      state text NOT NULL,
      upload_hash ${bytes},
      upload_until ${integer} NOT NULL,
      source_seq ${integer},
      steps text NOT NULL,
      result text,
      worker text,
      worker_until ${integer},
      attempts ${integer} NOT NULL,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT deployment_builds_id_key UNIQUE (id)
    )`,
    "CREATE INDEX deployment_builds_by_state ON deployment_builds (state, seq)",
    "CREATE INDEX deployment_builds_of_deployment ON deployment_builds (deployment_seq, state)",
    `CREATE TABLE deployment_sources (
      seq ${seq},
      deployment_seq ${integer} NOT NULL REFERENCES deployments ON DELETE CASCADE,
      created_on ${integer} NOT NULL
    )`,
    "CREATE INDEX deployment_sources_of_deployment ON deployment_sources (deployment_seq)",
    // In chunks, so that no process has to hold an archive in memory.
    `CREATE TABLE deployment_source_chunks (
      source_seq ${integer} NOT NULL REFERENCES deployment_sources ON DELETE CASCADE,
      position ${integer} NOT NULL,
      data ${bytes} NOT NULL,
      PRIMARY KEY (source_seq, position)
    )`,
    `CREATE TABLE deployment_artifacts (
      deployment_seq ${integer} NOT NULL REFERENCES deployments ON DELETE CASCADE,
      hash text NOT NULL,
      data text NOT NULL,
      PRIMARY KEY (deployment_seq, hash)
    )`,
    `CREATE TABLE deployment_versions (
      seq ${seq},
      id text NOT NULL,
      deployment_seq ${integer} NOT NULL REFERENCES deployments ON DELETE CASCADE,
      number ${integer} NOT NULL,
      build_id text NOT NULL,
      artifact_hash text NOT NULL,
      artifact_bytes ${integer} NOT NULL,
      routes ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      CONSTRAINT deployment_versions_deployment_seq_number_key UNIQUE (deployment_seq, number)
    )`,
    // No foreign key: lines are written asynchronously, and their deployment may have been deleted.
    `CREATE TABLE deployment_logs (
      seq ${reusableSeq},
      id text NOT NULL,
      deployment_seq ${integer} NOT NULL,
      time ${integer} NOT NULL,
      kind text NOT NULL,
      entry text NOT NULL
    )`,
    "CREATE INDEX deployment_logs_of_deployment ON deployment_logs (deployment_seq, seq)",
    "CREATE INDEX deployment_logs_by_time ON deployment_logs (time)",
  ],
};
