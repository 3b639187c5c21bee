import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Several deployments on one custom domain, by path prefix. */
export const mounts: Migration = {
  name: "0070-mounts",
  statements: () => ["ALTER TABLE domains ADD COLUMN mounts text"],
};
