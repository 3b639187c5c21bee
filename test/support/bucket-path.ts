import { account } from "./server-settings.ts";

let count = 0;

/** The path of a key bucket that no other test uses. It does not exist yet. */
export function newBucketPath(accountName = account): string {
  count += 1;
  return `/v1/accounts/${accountName}/key-buckets/bucket-${count}`;
}
