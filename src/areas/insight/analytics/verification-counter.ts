import type { Verdict } from "../../api-keys/keys/verification/verifier.ts";
import { type CountedMinute, Minutes } from "./count-writer.ts";
import { none, other } from "./counted-table.ts";
import type { verificationResults } from "./verification-schema.ts";

type VerificationResult = (typeof verificationResults)[number];

/** A result, and the key if there is one. */
interface CountedVerdict extends Pick<Verdict, "known"> {
  readonly rejection?: Exclude<VerificationResult, "valid"> | undefined;
  /** Of a valid key: the rejection that the caller observes. */
  readonly observed?: object | undefined;
}

/** The verifications with one result. */
interface ResultCount {
  readonly result: VerificationResult;
  count: number;
  /** Those with an observed rejection. */
  observed: number;
}

/** The verifications of one key, or of all that have no row of their own. */
export interface CountedKey {
  readonly consumer: string;
  /** A list, because there are few. */
  readonly results: ResultCount[];
}

export interface VerificationMinute extends CountedMinute {
  /** By the `seq` of the bucket, then by the `seq` of the key. */
  readonly buckets: Map<number, Map<number, CountedKey>>;
}

interface VerificationBounds {
  /** The maximum number of keys of one bucket between two writes. Beyond it consumers are not distinguished. */
  keysOfBucket: number;
  /** The maximum number of keys of all buckets, including unconfirmed ones. */
  keys: number;
  /** See Minutes. */
  minutes: number;
}

const defaultBounds: VerificationBounds = { keysOfBucket: 20_000, keys: 100_000, minutes: 120 };

/** No key has these numbers: `seq` begins at 1. */
const noKey = 0;
const otherKeys = -1;

/**
 * Counts verifications in memory, by minute, until they are written. By the number of the key, because reading the name
 * of its consumer takes ten times as long: it is read at the first verification of a key since the last write.
 */
export class VerificationCounter {
  readonly minutes: Minutes<VerificationMinute>;

  constructor(private readonly bounds: VerificationBounds = defaultBounds) {
    this.minutes = new Minutes(bounds.minutes, (time) => ({ time, size: 0, buckets: new Map() }));
  }

  /** Must be called before the next await, like the verdict is used. */
  count(bucketSeq: number, verdict: CountedVerdict, now: number): void {
    const minute = this.minutes.at(now);
    const key = verdict.known;
    const keySeq = key === undefined ? noKey : key.seq;
    const counted = minute.buckets.get(bucketSeq)?.get(keySeq) ?? this.#open(minute, bucketSeq, keySeq, verdict);
    const result = verdict.rejection ?? "valid";
    let found = counted.results.find((each) => each.result === result);
    if (!found) {
      found = { result, count: 0, observed: 0 };
      counted.results.push(found);
    }
    found.count += 1;
    if (verdict.observed) found.observed += 1;
  }

  #open(minute: VerificationMinute, bucketSeq: number, keySeq: number, { known }: CountedVerdict): CountedKey {
    const keys = minute.buckets.get(bucketSeq) ?? new Map<number, CountedKey>();
    minute.buckets.set(bucketSeq, keys);
    const isFull = keys.size >= this.bounds.keysOfBucket || this.minutes.size >= this.bounds.keys;
    const place = isFull && keySeq !== noKey ? otherKeys : keySeq;
    const found = keys.get(place);
    if (found) return found;
    const consumer = place === otherKeys ? other : (known?.identity.user.sub ?? none);
    const counted: CountedKey = { consumer, results: [] };
    keys.set(place, counted);
    this.minutes.grow(minute);
    return counted;
  }
}
