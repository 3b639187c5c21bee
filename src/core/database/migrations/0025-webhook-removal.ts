import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/**
 * Messages of a deleted account are removed in batches. A foreign key to the account would remove them all in one
 * transaction. SQLite drops a foreign key by copying the table and the tables that reference it.
 */
export const webhookRemoval: Migration = {
  name: "0025-webhook-removal",
  statements: ({ seq, sortedText, integer, bytes, withoutRowid }) => [
    `CREATE TABLE webhook_removals (account_seq ${integer} PRIMARY KEY)`,
    ...(bytes === "bytea"
      ? ["ALTER TABLE webhook_messages DROP CONSTRAINT webhook_messages_account_seq_fkey"]
      : [
          `CREATE TABLE new_messages (
            seq ${seq},
            account_seq ${integer} NOT NULL,
            id text NOT NULL,
            type text NOT NULL,
            body text NOT NULL,
            created_on ${integer} NOT NULL,
            CONSTRAINT webhook_messages_account_seq_id_key UNIQUE (account_seq, id)
          )`,
          `CREATE TABLE new_deliveries (
            seq ${seq},
            id ${sortedText} NOT NULL,
            webhook_seq ${integer} NOT NULL REFERENCES webhooks ON DELETE CASCADE,
            message_seq ${integer} NOT NULL REFERENCES new_messages ON DELETE CASCADE,
            message_id text NOT NULL,
            type text NOT NULL,
            status text NOT NULL,
            attempts ${integer} NOT NULL,
            schedule_step ${integer} NOT NULL,
            due_on ${integer},
            lease text,
            created_on ${integer} NOT NULL,
            finished_on ${integer}
          )`,
          `CREATE TABLE new_attempts (
            delivery_seq ${integer} NOT NULL REFERENCES new_deliveries ON DELETE CASCADE,
            number ${integer} NOT NULL,
            started_on ${integer} NOT NULL,
            duration_ms ${integer} NOT NULL,
            status ${integer},
            error text,
            response text,
            PRIMARY KEY (delivery_seq, number)
          ) ${withoutRowid}`,
          ...["messages", "deliveries", "attempts"].map(
            (name) => `INSERT INTO new_${name} SELECT * FROM webhook_${name}`,
          ),
          // Numbers are not reused, even if the last rows were deleted.
          "DELETE FROM sqlite_sequence WHERE name IN ('new_messages', 'new_deliveries')",
          `INSERT INTO sqlite_sequence (name, seq) SELECT replace(name, 'webhook_', 'new_'), seq FROM sqlite_sequence
            WHERE name IN ('webhook_messages', 'webhook_deliveries')`,
          // Referencing tables first: dropping a table deletes its rows, which would cascade.
          ...["attempts", "deliveries", "messages"].map((name) => `DROP TABLE webhook_${name}`),
          ...["messages", "deliveries", "attempts"].map((name) => `ALTER TABLE new_${name} RENAME TO webhook_${name}`),
          "CREATE INDEX webhook_messages_by_age ON webhook_messages (created_on)",
          "CREATE INDEX webhook_messages_of_account ON webhook_messages (account_seq, created_on)",
          "CREATE UNIQUE INDEX webhook_deliveries_in_order ON webhook_deliveries (webhook_seq, id)",
          "CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_seq, due_on) WHERE due_on IS NOT NULL",
          "CREATE INDEX webhook_deliveries_of_message ON webhook_deliveries (message_seq)",
        ]),
  ],
};
