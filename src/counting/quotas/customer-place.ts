/**
 * The address of a customer's quota. Frequent callers keep it, because building its key costs more than the look-up.
 */
export interface CustomerPlace {
  readonly accountSeq: number;
  /** The id or the name of the bucket. */
  readonly bucketId: string;
  readonly customerKey: string;
  readonly key: string;
}

export function customerPlace(accountSeq: number, bucketId: string, customerKey: string): CustomerPlace {
  return { accountSeq, bucketId, customerKey, key: `${accountSeq} ${bucketId} ${customerKey}` };
}
