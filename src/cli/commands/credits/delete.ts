import { argument } from "../../arguments/values.ts";
import { deleteCommand } from "../../connection/remote.ts";
import { findPackId, packHelp } from "../../options/find-pack.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = deleteCommand({
  summary: "Delete a credit pack",
  details: "What was bought stays. Automatic top-ups with the pack buy nothing any more.",
  arguments: { id: argument(packHelp) },
  options: meteringBucketOption,
  examples: [{ command: "tollgate credits delete credits_1000", text: "Asks first." }],
  what: ({ id }) => `the credit pack ${id}`,
  async delete(client, { id, bucket }) {
    const bucketId = await meteringBucket(client, bucket);
    return client.creditPacks(bucketId).delete(await findPackId(client, bucketId, id));
  },
});
