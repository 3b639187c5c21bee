import type { Migration } from "../../../platform/storage/migrations/migration.ts";

type Expression = (text: string) => string;
const fromHex = (bytes: string): Expression =>
  bytes === "bytea" ? (text) => `decode(${text}, 'hex')` : (text) => `unhex(${text})`;
const fromText = (bytes: string): Expression =>
  bytes === "bytea" ? (text) => `convert_to(${text}, 'UTF8')` : (text) => `CAST(${text} AS blob)`;

/** The sealed part of the audit log in segments of many entries. Before, each entry was a row with four indexes. */
export const auditSegments: Migration = {
  name: "0024-audit-segments",
  statements: ({ bytes, integer, sortedText, withoutRowid }) => [
    "ALTER TABLE changes ADD COLUMN state text",
    "ALTER TABLE changes ADD COLUMN topics text",
    // No reference to the account: its log is kept after its deletion until it expires.
    `CREATE TABLE audit_segments (
      account_seq ${integer} NOT NULL,
      number ${integer} NOT NULL,
      count ${integer} NOT NULL,
      lowest_id ${sortedText} NOT NULL,
      highest_id ${sortedText} NOT NULL,
      earliest ${integer} NOT NULL,
      latest ${integer} NOT NULL,
      hashes ${bytes} NOT NULL,
      entries ${bytes} NOT NULL,
      PRIMARY KEY (account_seq, number)
    )`,
    "CREATE UNIQUE INDEX audit_segments_by_id ON audit_segments (account_seq, highest_id)",
    `CREATE TABLE audit_topics (
      account_seq ${integer} NOT NULL,
      topic ${sortedText} NOT NULL,
      number ${integer} NOT NULL,
      PRIMARY KEY (account_seq, topic, number)
    ) ${withoutRowid}`,
    `INSERT INTO audit_segments (account_seq, number, count, lowest_id, highest_id, earliest, latest, hashes, entries)
      SELECT account_seq, number, 1, id, id, time, time, ${fromHex(bytes)(`coalesce(
        (SELECT earlier.hash FROM audit_entries AS earlier
          WHERE earlier.account_seq = audit_entries.account_seq AND earlier.number = audit_entries.number - 1),
        (SELECT anchor_hash FROM audit_chains WHERE audit_chains.account_seq = audit_entries.account_seq)
      ) || hash`)}, ${fromText(bytes)("entry")} FROM audit_entries`,
    `INSERT INTO audit_topics (account_seq, topic, number)
      SELECT account_seq, resource, number FROM audit_entries
      UNION SELECT account_seq, parent, number FROM audit_entries WHERE parent IS NOT NULL`,
    "DROP TABLE audit_entries",
  ],
};
