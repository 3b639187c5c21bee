import { changesOf } from "../../arguments/changes.ts";
import { argument, boolean, integer, option } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { findPackId, packHelp } from "../../options/find-pack.ts";
import { meteringBucket, meteringBucketOption } from "../../options/metering-bucket-option.ts";

export const command = remoteCommand({
  summary: "Change the label of a credit pack, and whether customers see it",
  details: "Price and grant cannot be changed: create another pack.",
  arguments: { id: argument(packHelp) },
  options: {
    ...meteringBucketOption,
    label: option("the display name"),
    public: option("whether customers see it in the portal", boolean),
    position: option("lower ones are listed first", integer),
  },
  examples: [{ command: "tollgate credits update credits_1000 --public false", text: "It is no longer offered." }],
  async call(client, { id, bucket, label, position, ...options }) {
    const bucketId = await meteringBucket(client, bucket);
    const changes = changesOf({ label, position, isPublic: options.public }, []);
    return client.creditPacks(bucketId).update(await findPackId(client, bucketId, id), changes);
  },
  show: showFields,
});
