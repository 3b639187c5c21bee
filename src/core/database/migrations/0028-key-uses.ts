import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** When keys were last used, many keys per row; see areas/keys/uses/use-store.ts. */
export const keyUses: Migration = {
  name: "0028-key-uses",
  statements: ({ integer, bytes }) => [
    `CREATE TABLE key_uses (
      block ${integer} PRIMARY KEY,
      times ${bytes} NOT NULL
    )`,
  ],
};
