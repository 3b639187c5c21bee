import type { Database } from "./engines.ts";
import { readSql } from "./run-sql.ts";

/** The requests of a bucket beyond allowances: those that meter grants cover, and those that were billed. */
export async function countedUnits(database: Database, bucket: string): Promise<{ covered: bigint; billed: bigint }> {
  const ofBucket = `JOIN subscriptions ON subscriptions.seq = subscription_seq
    JOIN metering_buckets ON metering_buckets.seq = subscriptions.bucket_seq
    WHERE metering_buckets.id = '${bucket.split("/").at(-1)}'`;
  const uses = await readSql<{ covered: string }>(
    database,
    `SELECT covered FROM credit_uses ${ofBucket} AND meter = 'requests'`,
  );
  const segments = await readSql<{ billed: string }>(database, `SELECT billed FROM billing_segments ${ofBucket}`);
  const sum = (amounts: string[]) => amounts.reduce((all, amount) => all + BigInt(amount), 0n) / 1_000_000_000n;
  const requests = segments.flatMap(
    ({ billed }) => (JSON.parse(billed) as Record<string, { units: string }>).requests ?? [],
  );
  return { covered: sum(uses.map(({ covered }) => covered)), billed: sum(requests.map(({ units }) => units)) };
}
