import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** Plans are searched by prefixes of their labels. */
export const planLabels: Migration = {
  name: "0027-plan-labels",
  statements: ({ sortBytewise }) => [
    ...sortBytewise("plans", ["label"]),
    "CREATE INDEX plans_by_label ON plans (bucket_seq, label)",
  ],
};
