import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Scopes of managers, portal sessions of managers, sign-ups, and requests for access. */
export const portalPeople: Migration = {
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
};
