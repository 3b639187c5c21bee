import { formatDateTime } from "../../../lib/time/time.ts";
import type { KeyBucketRow } from "./store.ts";
import { tokenIssuersOf } from "./token-issuers.ts";

export function presentKeyBucket(keyBucket: KeyBucketRow) {
  return {
    id: keyBucket.id,
    name: keyBucket.name,
    ...(keyBucket.description === null ? {} : { description: keyBucket.description }),
    ...(keyBucket.tags === null ? {} : { tags: JSON.parse(keyBucket.tags) }),
    isRetrievable: keyBucket.is_retrievable === 1,
    keyPrefix: keyBucket.key_prefix,
    onLeak: keyBucket.on_leak as "mark" | "disable",
    tokenIssuers: tokenIssuersOf(keyBucket),
    createdOn: formatDateTime(keyBucket.created_on),
    updatedOn: formatDateTime(keyBucket.updated_on),
  };
}
