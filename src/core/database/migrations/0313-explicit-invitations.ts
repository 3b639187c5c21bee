import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Who invited a person, and the accounts in which a session of a person has ended although it is valid in others. */
export const explicitInvitations: Migration = {
  name: "0313-explicit-invitations",
  statements: () => ["ALTER TABLE members ADD COLUMN invited_by text", "ALTER TABLE sessions ADD COLUMN ended_in text"],
};
