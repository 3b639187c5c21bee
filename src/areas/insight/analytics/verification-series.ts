import type { Reads } from "../../../platform/storage/storage.ts";
import { none } from "./counted-table.ts";
import type { TimeSteps } from "./range.ts";
import { namesOf, type PointKind, readSeries, type Series, selectionOf } from "./series.ts";
import { detail, verificationTable } from "./verification-writer.ts";

interface VerificationQuery {
  accountSeq: number;
  range: TimeSteps;
  by: "bucket" | "consumer" | "result" | undefined;
  /** The number of series in addition to that of all others. */
  limit: number;
  bucketSeq: number | undefined;
  consumer: string | undefined;
  result: string | undefined;
}

interface VerificationCounts {
  verifications: number;
  rejected: number;
  observed: number;
}

const kind: PointKind<VerificationCounts, VerificationCounts> = {
  create: () => ({ verifications: 0, rejected: 0, observed: 0 }),
  add(point, { result, amount, observed }) {
    point.verifications += amount as number;
    if (result !== "valid") point.rejected += amount as number;
    point.observed += observed as number;
  },
  merge(point, from, sign = 1) {
    point.verifications += sign * from.verifications;
    point.rejected += sign * from.rejected;
    point.observed += sign * from.observed;
  },
  show: (point) => point,
  sizeOf: ({ verifications }) => verifications,
  ranked: "amount",
};

const columns = { bucket: "bucket_seq", consumer: "consumer", result: "result" };

export async function readVerifications(
  reads: Reads,
  { accountSeq, range, by, limit, bucketSeq, consumer, result }: VerificationQuery,
): Promise<Series<VerificationCounts>[]> {
  // Buckets are conditions of every query: deleted ones belong to no account.
  const owners = {
    where: "bucket_seq IN (SELECT seq FROM key_buckets WHERE account_seq = ?)",
    parameters: [accountSeq],
  };
  const selection = (each: number) => {
    const equal = { detail: each, bucket_seq: bucketSeq, consumer, result };
    const selected = selectionOf(verificationTable, owners, equal);
    return { ...selected, columns: `${selected.columns}, result` };
  };
  const names = by === "bucket" ? await namesOf(reads, "key_buckets", accountSeq) : undefined;
  const keyOf = (value: number | string) => (names ? (names.get(value as number) ?? null) : String(value));
  return readSeries(reads, {
    kind,
    range,
    limit,
    by: by && [columns[by]],
    fine: selection(by === "consumer" || consumer !== undefined ? detail.consumers : detail.totals),
    total: selection(consumer === undefined ? detail.totals : detail.consumers),
    keyOf: (row) => {
      const value = by ? row[columns[by]]! : none;
      return value === none ? null : keyOf(value);
    },
  });
}
