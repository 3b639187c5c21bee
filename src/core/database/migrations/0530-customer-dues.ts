import { currenciesWithDigits, maxDigits } from "../../../lib/currencies.ts";
import type { Migration } from "../../../platform/storage/migrations/migration.ts";

/**
 * The sum of the open invoices of each customer that has some, for lists by amount due. All currencies are counted with the
 * same number of digits.
 */
export const customerDues: Migration = {
  name: "0530-customer-dues",
  statements: ({ integer, sortedText, withoutRowid }) => [
    `CREATE TABLE customer_dues (
      bucket_seq ${integer} NOT NULL REFERENCES metering_buckets ON DELETE CASCADE,
      customer_key ${sortedText} NOT NULL,
      due ${integer} NOT NULL,
      PRIMARY KEY (bucket_seq, customer_key)
    ) ${withoutRowid}`,
    "CREATE INDEX customer_dues_in_order ON customer_dues (bucket_seq, due DESC, customer_key)",
    "CREATE INDEX invoices_open ON invoices (bucket_seq, customer_key, seq) WHERE status = 'open'",
    // Longer amounts do not fit. They are counted with the next change of the customer's invoices.
    `INSERT INTO customer_dues (bucket_seq, customer_key, due)
     SELECT bucket_seq, customer_key, SUM(CAST(amount_due AS bigint) * ${factor}) FROM invoices
     WHERE status = 'open' AND corrects_id IS NULL AND amount_due <> '0' AND length(amount_due) <= 10
     GROUP BY bucket_seq, customer_key`,
  ],
};

const cases = [0, 1, 2, 3]
  .map((digits) => ({ codes: currenciesWithDigits(digits), times: 10 ** (maxDigits - digits) }))
  .filter(({ codes }) => codes.length > 0)
  .map(({ codes, times }) => `WHEN currency IN (${codes.map((code) => `'${code}'`).join(", ")}) THEN ${times}`);
const factor = `CASE ${cases.join(" ")} ELSE 1 END`;
