import type { AccountReference } from "../../../core/access.ts";
import type { Change } from "../../../platform/storage/change.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { KeyBucket } from "../key-buckets/key-buckets.ts";

export const consumersPath = "/v1/accounts/{accountName}/key-buckets/{bucketName}/consumers";
export const consumerPath = `${consumersPath}/{consumerName}` as const;

export type TagFilter = { name: string; value: string }[];

/** Addresses a consumer by name. It matches only if it has the tags of the request. */
export interface ConsumerAddress {
  accountSeq: number;
  bucketName: string;
  consumerName: string;
  tags: TagFilter;
}

interface AddressedRequest {
  account: AccountReference;
  params: { bucketName: string; consumerName: string };
  tags: TagFilter;
}

export function addressOf({ account, params, tags }: AddressedRequest): ConsumerAddress {
  return { accountSeq: account.seq, bucketName: params.bucketName, consumerName: params.consumerName, tags };
}

/** The part of a consumer that its keys and managers depend on. */
export interface ConsumerReference {
  seq: number;
  id: string;
  name: string;
  bucket_seq: number;
  tags: string | null;
}

/** The consumer in changes. */
export function namedConsumer({ id, name }: { id: string; name: string }) {
  return { type: "consumer", id, name };
}

/**
 * Finds the consumer that a request addresses. It is passed to keys and managers, which cannot import consumers because
 * consumers import them. Throws a 404 if the consumer does not exist.
 */
export interface ConsumerFinder {
  find(reads: Reads, address: ConsumerAddress): Promise<{ bucket: KeyBucket; consumer: ConsumerReference }>;
  /** For lists: returns undefined in a bucket that does not exist, where every list is empty. */
  findIfBucketExists(reads: Reads, address: ConsumerAddress): Promise<ConsumerReference | undefined>;
  findForUpdate(
    transaction: WriteTransaction,
    address: ConsumerAddress,
  ): Promise<{ bucket: KeyBucket; consumer: ConsumerReference }>;
}

/** What is known of a changed consumer is used while storage is unavailable, unless it may be suspended now. */
export function outdateConsumer(
  cache: { evictGroup(id: string): void; outdateGroup(id: string): void },
  { subject, data }: Change<"consumer.updated">,
): void {
  if (data?.isSuspended === false) cache.outdateGroup(subject);
  else cache.evictGroup(subject);
}
