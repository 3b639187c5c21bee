import { formatDateTime } from "../../../lib/time/time.ts";
import type { MeteringBucketRow } from "./store.ts";

export function presentMeteringBucket(meteringBucket: Omit<MeteringBucketRow, "seq">, accountName: string) {
  return {
    id: meteringBucket.id,
    ...(meteringBucket.name === null ? {} : { name: meteringBucket.name }),
    accountName,
    ...(meteringBucket.key_bucket === null ? {} : { keyBucket: meteringBucket.key_bucket }),
    ...(meteringBucket.test_clock === null ? {} : { isTest: true, clock: formatDateTime(meteringBucket.test_clock) }),
    createdOn: formatDateTime(meteringBucket.created_on),
    updatedOn: formatDateTime(meteringBucket.updated_on),
  };
}
