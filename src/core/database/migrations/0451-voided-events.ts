import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/**
 * When an event was taken back, and the last event that was stored when usage was marked: it tells on which side of the
 * mark an event of the same time is.
 */
export const voidedEvents: Migration = {
  name: "0451-voided-events",
  statements: ({ integer }) => [
    `ALTER TABLE usage_events ADD COLUMN voided_on ${integer}`,
    `ALTER TABLE segment_marks ADD COLUMN last_event ${integer}`,
  ],
};
