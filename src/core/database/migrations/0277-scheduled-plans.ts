import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/** The plans that subscriptions change to at the end of their period. A plan is not deleted as long as it is one. */
export const scheduledPlans: Migration = {
  name: "0277-scheduled-plans",
  statements: ({ integer, withoutRowid }) => [
    `CREATE TABLE scheduled_plans (
      subscription_seq ${integer} NOT NULL REFERENCES subscriptions ON DELETE CASCADE,
      position ${integer} NOT NULL,
      plan_seq ${integer} NOT NULL REFERENCES plans,
      PRIMARY KEY (subscription_seq, position)
    ) ${withoutRowid}`,
    "CREATE INDEX scheduled_plans_by_plan ON scheduled_plans (plan_seq)",
  ],
};
