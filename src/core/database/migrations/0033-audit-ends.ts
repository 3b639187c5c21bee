import type { Migration } from "../../../platform/storage/migrations/migration.ts";

const lastSegment = (column: string) => `(SELECT ${column} FROM audit_segments AS last
  WHERE last.account_seq = audit_chains.account_seq ORDER BY last.number DESC LIMIT 1)`;
const lastNumber = lastSegment("last.number + last.count - 1");

/**
 * Moves the end of a chain to its last segment. Trimming could overwrite a concurrent seal, and from then on no entry
 * of any account could be sealed.
 */
export const auditEnds: Migration = {
  name: "0033-audit-ends",
  statements: ({ bytes }) => {
    const lastHash =
      bytes === "bytea"
        ? "encode(substring(last.hashes FROM octet_length(last.hashes) - 31), 'hex')"
        : "lower(hex(substr(last.hashes, -32)))";
    return [
      `UPDATE audit_chains SET hash = ${lastSegment(lastHash)}, count = ${lastNumber},
        oldest_on = coalesce(oldest_on,
          (SELECT min(latest) FROM audit_segments WHERE audit_segments.account_seq = audit_chains.account_seq))
        WHERE count < ${lastNumber}`,
    ];
  },
};
