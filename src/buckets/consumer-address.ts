import type { AccountReference } from "../access/access.ts";
import type { TagFilter } from "./tags.ts";

export const consumersPath = "/v1/accounts/{accountName}/key-buckets/{bucketName}/consumers";
export const consumerPath = `${consumersPath}/{consumerName}` as const;

/** Where a consumer is looked for: by name, and only if it carries the tags that the request names. */
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
