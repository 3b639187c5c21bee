import { formatDateTime } from "../../lib/time/time.ts";
import type { MeteringBucketRow } from "./store.ts";

export function presentMeteringBucket(row: Omit<MeteringBucketRow, "seq">, accountName: string) {
  return {
    id: row.id,
    ...(row.name === null ? {} : { name: row.name }),
    accountName,
    ...(row.test_clock === null ? {} : { isTest: true, clock: formatDateTime(row.test_clock) }),
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}
