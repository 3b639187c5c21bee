import type { Tollgate } from "../../client/index.ts";
import { named, optionOr, tagFilterOption } from "../arguments/values.ts";

/** The documents call the first key bucket so. It begins to exist with its first consumer. */
export const defaultBucket = "main";

/** Selects the key bucket. */
export const bucketOption = { bucket: optionOr("the key bucket", defaultBucket, named("NAME")) };

/** Options of commands about one consumer. */
export const consumerOptions = {
  ...bucketOption,
  ifTag: tagFilterOption("only if the consumer has this tag; otherwise it is not found"),
};

/** Throws if there is no such key bucket: its lists are empty, which would hide a typo or keys in another bucket. */
export async function requireKeyBucket(client: Tollgate, bucket: string): Promise<void> {
  await client.buckets.get(bucket);
}
