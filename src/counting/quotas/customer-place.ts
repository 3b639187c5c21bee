/**
 * The address of a customer's quota. Frequent callers keep it, because building its key costs more than the look-up.
 */
export interface CustomerPlace {
  readonly accountSeq: number;
  /** The id or the name of the bucket. */
  readonly bucketId: string;
  readonly customerKey: string;
  /** The name of the consumer's key bucket. Undefined if no consumer asks. It is not a part of the key. */
  readonly keyBucket: string | undefined;
  readonly key: string;
}

export function customerPlace(
  accountSeq: number,
  bucketId: string,
  customerKey: string,
  keyBucket?: string,
): CustomerPlace {
  return { accountSeq, bucketId, customerKey, keyBucket, key: `${accountSeq} ${bucketId} ${customerKey}` };
}

/** Whether the consumer of a key bucket is no customer of a metering bucket, by its name alone. */
export function isOfOtherBucket(
  customersKeyBucket: string | null | undefined,
  keyBucket: string | undefined,
): customersKeyBucket is string {
  return customersKeyBucket != null && keyBucket !== undefined && keyBucket !== customersKeyBucket;
}
