import type { Migration } from "../../../platform/storage/migrations/migration.ts";

export const migrations0095: Migration[] = [
  /** People, their roles in accounts, and their sessions. */
  {
    name: "0095-people",
    statements: ({ seq, bytes, integer, withoutRowid }) => [
      `CREATE TABLE people (
      seq ${seq},
      id text NOT NULL CONSTRAINT people_id_key UNIQUE,
      email text NOT NULL,
      email_key text CONSTRAINT people_email_key_key UNIQUE,
      issuer text,
      subject text,
      signed_in_on ${integer},
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT people_issuer_subject_key UNIQUE (issuer, subject)
    )`,
      `CREATE TABLE members (
      seq ${seq},
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      person_seq ${integer} NOT NULL REFERENCES people ON DELETE CASCADE,
      name text,
      role text NOT NULL,
      projects text,
      state text NOT NULL,
      source text NOT NULL,
      invitation_hash ${bytes} CONSTRAINT members_invitation_hash_key UNIQUE,
      expires_on ${integer},
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT members_account_seq_person_seq_key UNIQUE (account_seq, person_seq)
    )`,
      "CREATE INDEX members_of_person ON members (person_seq)",
      // A removed member is not readmitted by a claim until an invitation deletes the row.
      `CREATE TABLE removed_members (
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      person_seq ${integer} NOT NULL REFERENCES people ON DELETE CASCADE,
      removed_on ${integer} NOT NULL,
      PRIMARY KEY (account_seq, person_seq)
    ) ${withoutRowid}`,
      "CREATE INDEX removed_members_of_person ON removed_members (person_seq)",
      "ALTER TABLE tokens ADD COLUMN created_by text",
      `ALTER TABLE sessions ADD COLUMN person_seq ${integer} REFERENCES people ON DELETE CASCADE`,
      "ALTER TABLE sessions ADD COLUMN method text NOT NULL DEFAULT 'token'",
      "ALTER TABLE sessions ADD COLUMN ip text",
      "CREATE INDEX sessions_person ON sessions (person_seq)",
    ],
  },
  /** Mail to send, and sign-ins by mail. Neither contains a secret: links and codes are created when a mail is sent. */
  {
    name: "0096-mail",
    statements: ({ seq, bytes, integer }) => [
      `CREATE TABLE mails (
      seq ${seq},
      id text NOT NULL CONSTRAINT mails_id_key UNIQUE,
      account_seq ${integer} REFERENCES accounts ON DELETE CASCADE,
      person_seq ${integer} REFERENCES people ON DELETE CASCADE,
      kind text NOT NULL,
      recipient text NOT NULL,
      subject_id text NOT NULL,
      state text NOT NULL,
      attempts ${integer} NOT NULL,
      due_on ${integer} NOT NULL,
      lease text,
      last_error text,
      created_on ${integer} NOT NULL,
      expires_on ${integer},
      ended_on ${integer}
    )`,
      "CREATE INDEX mails_due ON mails (state, due_on)",
      "CREATE INDEX mails_of_account ON mails (account_seq, seq)",
      "CREATE INDEX mails_of_person ON mails (person_seq, seq)",
      `CREATE TABLE sign_ins (
      seq ${seq},
      id text NOT NULL CONSTRAINT sign_ins_id_key UNIQUE,
      audience text NOT NULL,
      email_key text NOT NULL,
      address_group text NOT NULL,
      browser_hash ${bytes} NOT NULL CONSTRAINT sign_ins_browser_hash_key UNIQUE,
      link_hash ${bytes} CONSTRAINT sign_ins_link_hash_key UNIQUE,
      code_hash ${bytes},
      attempts ${integer} NOT NULL,
      used_on ${integer},
      created_on ${integer} NOT NULL,
      expires_on ${integer} NOT NULL
    )`,
      "CREATE INDEX sign_ins_of_mailbox ON sign_ins (audience, email_key, created_on)",
      "CREATE INDEX sign_ins_of_address ON sign_ins (address_group, created_on)",
      "CREATE INDEX sign_ins_by_end ON sign_ins (expires_on)",
    ],
  },
  /** Names of webhooks, by which a configuration file identifies them. */
  {
    name: "0100-webhook-names",
    statements: () => [
      "ALTER TABLE webhooks ADD COLUMN name text",
      "CREATE UNIQUE INDEX webhooks_account_seq_name_key ON webhooks (account_seq, name)",
    ],
  },
  /** Plans of configuration changes, and what applies created. */
  {
    name: "0101-configuration",
    statements: ({ seq, integer, bytes, withoutRowid }) => [
      `CREATE TABLE configuration_plans (
      seq ${seq},
      id text NOT NULL,
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      created_by text NOT NULL,
      owner text,
      is_pruning ${integer} NOT NULL,
      steps text NOT NULL,
      inputs ${bytes},
      applied_on ${integer},
      expires_on ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      CONSTRAINT configuration_plans_account_seq_id_key UNIQUE (account_seq, id)
    )`,
      `CREATE TABLE configuration_marks (
      account_seq ${integer} NOT NULL REFERENCES accounts ON DELETE CASCADE,
      resource_id text NOT NULL,
      owner text NOT NULL,
      PRIMARY KEY (account_seq, resource_id)
    ) ${withoutRowid}`,
    ],
  },
  /** The source of each version, so that it can be built for another deployment. Null for versions of earlier releases. */
  {
    name: "0102-version-sources",
    statements: ({ integer }) => [
      `ALTER TABLE deployment_versions ADD COLUMN source_seq ${integer}`,
      `UPDATE deployment_versions SET source_seq =
      (SELECT source_seq FROM deployment_builds WHERE deployment_builds.id = deployment_versions.build_id)`,
    ],
  },
  /** Reports of leaked keys, and what a bucket does about them. */
  {
    name: "0103-leaked-keys",
    statements: () => [
      "ALTER TABLE key_buckets ADD COLUMN on_leak text NOT NULL DEFAULT 'mark'",
      "ALTER TABLE api_keys ADD COLUMN leak text",
    ],
  },
  /** The reference and the guides of each artifact. Artifacts of earlier releases have none. */
  {
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
  },
  /** Scopes of managers, portal sessions of managers, sign-ups, and requests for access. */
  {
    name: "0125-portal-people",
    statements: ({ seq, bytes, integer }) => [
      "ALTER TABLE managers ADD COLUMN scopes text",
      `ALTER TABLE managers ADD COLUMN version ${integer} NOT NULL DEFAULT 1`,
      "ALTER TABLE manager_invites ADD COLUMN scopes text",
      // Removing a manager ends their sessions.
      `ALTER TABLE portal_sessions ADD COLUMN manager_seq ${integer} REFERENCES managers ON DELETE CASCADE`,
      "ALTER TABLE portal_sessions ADD COLUMN mailbox text",
      "CREATE INDEX portal_sessions_by_manager ON portal_sessions (manager_seq)",
      `CREATE TABLE portal_proofs (
      seq ${seq},
      hash ${bytes} NOT NULL CONSTRAINT portal_proofs_hash_key UNIQUE,
      portal_seq ${integer} NOT NULL REFERENCES portals ON DELETE CASCADE,
      mailbox text NOT NULL,
      expires_on ${integer} NOT NULL
    )`,
      "CREATE INDEX portal_proofs_by_portal ON portal_proofs (portal_seq)",
      "CREATE INDEX portal_proofs_by_expiry ON portal_proofs (expires_on)",
      `CREATE TABLE portal_sign_ups (
      seq ${seq},
      portal_seq ${integer} NOT NULL REFERENCES portals ON DELETE CASCADE,
      consumer_seq ${integer} NOT NULL CONSTRAINT portal_sign_ups_consumer_seq_key UNIQUE
        REFERENCES consumers ON DELETE CASCADE,
      email text NOT NULL,
      label text,
      created_on ${integer} NOT NULL
    )`,
      "CREATE INDEX portal_sign_ups_by_portal ON portal_sign_ups (portal_seq, seq)",
      `CREATE TABLE portal_access_requests (
      seq ${seq},
      id text NOT NULL CONSTRAINT portal_access_requests_id_key UNIQUE,
      portal_seq ${integer} NOT NULL REFERENCES portals ON DELETE CASCADE,
      mailbox text NOT NULL,
      label text,
      note text,
      state text NOT NULL,
      consumer_name text,
      version ${integer} NOT NULL,
      created_on ${integer} NOT NULL,
      updated_on ${integer} NOT NULL,
      CONSTRAINT portal_access_requests_portal_seq_mailbox_key UNIQUE (portal_seq, mailbox)
    )`,
      "CREATE INDEX portal_access_requests_in_order ON portal_access_requests (portal_seq, state, seq)",
    ],
  },
];
