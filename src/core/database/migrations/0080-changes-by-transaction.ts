import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** A reader that is far behind finds its first unread change in the index alone. */
export const changesByTransaction: Migration = {
  name: "0080-changes-by-transaction",
  statements: ({ changeNumbersByTransaction }) => changeNumbersByTransaction,
};
