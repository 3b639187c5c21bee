import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Domains are searched by prefixes of both columns. Such ranges require text that sorts byte by byte. */
export const sortedDomains: Migration = {
  name: "0029-sorted-domains",
  statements: ({ sortBytewise }) => sortBytewise("domains", ["id", "host"]),
};
