import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, jsonObject, option, tagsOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { consumerOptions } from "../../keys/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Change a consumer",
  arguments: { name: argument("the consumer") },
  options: {
    ...consumerOptions,
    description: option("who it is"),
    tag: tagsOption("the tags, in the place of all old ones"),
    metadata: option("what handlers see of it, in the place of the old", jsonObject),
    ...clearOption("description", "tags", "metadata"),
  },
  examples: [
    { command: "tollgate consumers update acme --tag plan=silver", text: "Its only tag from now on." },
    { command: "tollgate consumers update acme --clear description", text: "Removes the description." },
  ],
  call: (client, { name, bucket, ifTag, description, tag, metadata, clear }) =>
    client.consumers(bucket).update(name, changesOf({ description, tags: tag, metadata }, clear), { tag: ifTag }),
  show: showFields,
});
