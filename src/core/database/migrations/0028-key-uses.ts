import type { Migration } from "../../../platform/storage/migration.ts";

/** When keys were last used, many keys a row; see areas/keys/use-store.ts. */
export const keyUses: Migration = {
  name: "0028-key-uses",
  statements: ({ integer, bytes }) => [
    `CREATE TABLE key_uses (
      block ${integer} PRIMARY KEY,
      times ${bytes} NOT NULL
    )`,
  ],
};
