import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Changes that were committed together in one row, see platform/storage/feed/change-pack.ts. */
export const packedChanges: Migration = {
  name: "0030-packed-changes",
  statements: ({ bytes, integer }) => [
    // Before the pack: columns after a long value are slow to access.
    `ALTER TABLE changes ADD COLUMN count ${integer} NOT NULL DEFAULT 1`,
    `ALTER TABLE changes ADD COLUMN pack ${bytes}`,
  ],
};
