import { argument } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findPackId, packHelp } from "../../options/find-pack.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Show a credit pack",
  arguments: { id: argument(packHelp) },
  options: meteringBucketOption,
  examples: [{ command: "tollgate credits show credits_1000", text: "Its price and what customers get." }],
  async call(client, { id, bucket }) {
    const bucketId = await meteringBucket(client, bucket);
    return client.creditPacks(bucketId).get(await findPackId(client, bucketId, id));
  },
  show: showFields,
});
