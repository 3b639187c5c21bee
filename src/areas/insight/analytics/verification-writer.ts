import { removedAccountSeq } from "../../../core/database/removed-account.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Reads, Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import { CountWriter, type Increments, type Level } from "./count-writer.ts";
import { CountedTable, none, other, SummedRows } from "./counted-table.ts";
import { steps } from "./steps.ts";
import type { VerificationCounter, VerificationMinute } from "./verification-counter.ts";

/** The maximum number of rows by consumer in one bucket, step and time. Beyond it consumers are not distinguished. */
interface RowBounds {
  minute: number;
  longer: number;
}

const defaultBounds: RowBounds = { minute: 2_000, longer: 20_000 };

/** Verifications are stored twice, so that a query without consumers reads few rows. */
export const detail = {
  /** By result. */
  totals: 0,
  /** By consumer and result. */
  consumers: 1,
} as const;

/** The verifications of one result. */
interface ResultCounts {
  count: number;
  observed: number;
}

export const verificationTable = new CountedTable<ResultCounts>({
  name: "verifications",
  key: ["bucket_seq", "step", "detail", "time", "consumer", "result"],
  sums: { count: "amount", observed: "observed" },
  create: () => ({ count: 0, observed: 0 }),
});

/** Writes counts of verifications. */
export class VerificationWriter extends CountWriter<VerificationMinute, ResultCounts> {
  constructor(
    storage: Storage,
    clock: Clock,
    counter: VerificationCounter,
    private readonly bounds: RowBounds = defaultBounds,
  ) {
    super(storage, clock, counter, { name: "verification counts" });
  }

  protected existing = existingBuckets;

  protected async sum(_: WriteTransaction, minutes: VerificationMinute[]): Promise<Increments<ResultCounts>[]> {
    const buckets = Map.groupBy(
      minutes.flatMap((minute) => [...minute.buckets]),
      ([owner]) => owner,
    );
    return [...buckets].flatMap(([owner, some]) => {
      const totals = new SummedRows(verificationTable);
      const consumers = new SummedRows(verificationTable);
      for (const { consumer, results } of some.flatMap(([, keys]) => [...keys.values()]))
        for (const { result, count, observed } of results) {
          totals.add({ result, consumer: none }, { count, observed });
          consumers.add({ result, consumer }, { count, observed });
        }
      const last: Level = { max: Number.POSITIVE_INFINITY };
      const increments = (each: number, sums: SummedRows<ResultCounts>, levels: (step: number) => Level[]) => ({
        owner,
        place: { bucket_seq: owner, detail: each },
        sums,
        levels,
      });
      return [
        increments(detail.totals, totals, () => [last]),
        increments(detail.consumers, consumers, (step) => {
          const max = step === steps["1m"].milliseconds ? this.bounds.minute : this.bounds.longer;
          return [{ max, fold: (key) => ({ ...key, consumer: other }) }, last];
        }),
      ];
    });
  }
}

/** Returns those of the buckets that are not deleted. */
export async function existingBuckets(reads: Reads, seqs: number[]): Promise<Set<number>> {
  const rows = await reads.query
    .selectFrom("key_buckets")
    .select("seq")
    .where("seq", "in", seqs)
    .where("account_seq", "<>", removedAccountSeq)
    .execute();
  return new Set(rows.map(({ seq }) => seq));
}
