import { formatDateTime } from "../../lib/time/time.ts";
import type { KeyBucketRow } from "./store.ts";

export function presentKeyBucket(row: KeyBucketRow) {
  return {
    id: row.id,
    name: row.name,
    ...(row.description === null ? {} : { description: row.description }),
    ...(row.tags === null ? {} : { tags: JSON.parse(row.tags) }),
    isRetrievable: row.is_retrievable === 1,
    keyPrefix: row.key_prefix,
    onLeak: row.on_leak as "mark" | "disable",
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
  };
}
