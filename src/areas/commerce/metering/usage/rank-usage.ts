import { removedAccountSeq } from "../../../../core/database/removed-account.ts";
import { sortInSlices } from "../../../../lib/tasks/sort-in-slices.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import type { Storage } from "../../../../platform/storage/storage.ts";
import { subscriptionList, timeIn } from "../../metering-buckets/metering-buckets.ts";
import * as store from "./ranking-store.ts";
import { ranksOfBucket } from "./usage-ranks.ts";

/** Buckets with more subscriptions have a stored ranking. Others are ranked for each request, in less than 100 ms. */
const largeBucket = 2_000;
const bucketsAtOnce = 500;
const minimumPauseMilliseconds = 60_000;
/** A ranking may take a twentieth of the time. */
const pauseFactor = 20;
const leaseMilliseconds = 10 * 60_000;
const extendMilliseconds = 60_000;
const blocksAtOnce = 20;

interface Options {
  storage: Storage;
  clock: Clock;
  largerThan?: number;
  signal?: AbortSignal;
}

/**
 * Ranks the subscriptions of large buckets by the used share of their quotas. Measured with a million subscriptions: see
 * bench/benchmarks/search.ts. A lease makes one node do so.
 */
export async function rankUsage({ storage, clock, largerThan = largeBucket, signal }: Options): Promise<void> {
  for (let after = 0; !signal?.aborted; ) {
    const buckets = await store.bucketsAfter(storage.reads, after, bucketsAtOnce, subscriptionList, removedAccountSeq);
    for (const bucket of buckets) {
      if (signal?.aborted) return;
      if (bucket.subscriptions <= largerThan) {
        if (bucket.is_ranked === 1) await storage.write((transaction) => store.removeRanking(transaction, bucket.seq));
      } else if (isDue(bucket, clock.now())) await rankBucket({ storage, clock, signal }, bucket);
    }
    if (buckets.length < bucketsAtOnce) return;
    after = buckets.at(-1)!.seq;
  }
}

/** A test bucket is also due if its clock was moved. */
function isDue({ next_on, test_clock, bucket_clock }: store.RankedBucket, now: number): boolean {
  return next_on === null || next_on <= now || test_clock !== bucket_clock;
}

async function rankBucket(
  { storage, clock, signal }: { storage: Storage; clock: Clock; signal: AbortSignal | undefined },
  bucket: store.RankedBucket,
): Promise<void> {
  const began = performance.now();
  const now = clock.now();
  // Two rankings of a bucket differ in their time.
  const rankedOn = Math.max(now, (bucket.ranked_on ?? 0) + 1);
  const lease = new Lease(storage, clock, bucket.seq);
  if (!(await lease.claim(now))) return;
  const found: { seq: number; share: number }[] = [];
  for await (const { seq, share } of ranksOfBucket(storage.reads, bucket, {}, timeIn(bucket, now))) {
    found.push({ seq, share: Math.round(share * 1_000_000) });
    if (signal?.aborted || !(await lease.isHeld())) return;
  }
  const ranks = await sortInSlices(found, (one, other) => other.share - one.share || one.seq - other.seq);
  const perWrite = store.blockSize * blocksAtOnce;
  for (let from = 0; from < ranks.length; from += perWrite) {
    if (signal?.aborted || !(await lease.isHeld())) return;
    await storage.write(async (transaction) => {
      for (let first = from; first < Math.min(from + perWrite, ranks.length); first += store.blockSize) {
        const some = ranks.slice(first, first + store.blockSize);
        const block = { seqs: some.map(({ seq }) => seq), shares: some.map(({ share }) => share) };
        await store.insertBlock(transaction, { bucketSeq: bucket.seq, rankedOn }, first / store.blockSize, block);
      }
    });
  }
  const pause = Math.max(minimumPauseMilliseconds, pauseFactor * (performance.now() - began));
  const nextOn = clock.now() + Math.ceil(pause);
  await storage.write((transaction) =>
    store.publish(
      transaction,
      { bucketSeq: bucket.seq, rankedOn, size: ranks.length },
      { bucketClock: bucket.test_clock, nextOn, lease: lease.until },
    ),
  );
}

/** The right to rank a bucket, which must be extended. */
class Lease {
  until = 0;

  constructor(
    private readonly storage: Storage,
    private readonly clock: Clock,
    private readonly bucketSeq: number,
  ) {}

  claim(now: number): Promise<boolean> {
    this.until = now + leaseMilliseconds;
    return this.storage.write((transaction) => store.claim(transaction, this.bucketSeq, now, this.until));
  }

  /** Extends it now and then. Returns false if it was lost. */
  async isHeld(): Promise<boolean> {
    const now = this.clock.now();
    if (this.until - now > leaseMilliseconds - extendMilliseconds) return true;
    const [before, until] = [this.until, now + leaseMilliseconds];
    this.until = until;
    return this.storage.write((transaction) => store.extend(transaction, this.bucketSeq, before, until));
  }
}
