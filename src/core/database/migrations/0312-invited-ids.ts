import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** What an account knows of an invited person: an id of its own, and the address as it was written in the invitation. */
export const invitedIds: Migration = {
  name: "0312-invited-ids",
  statements: () => [
    "ALTER TABLE members ADD COLUMN invited_id text",
    "ALTER TABLE members ADD COLUMN invited_email text",
  ],
};
