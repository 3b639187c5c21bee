import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, jsonObject, option, tagsOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";

export const command = remoteCommand({
  summary: "Change a consumer",
  arguments: { name: argument("the consumer") },
  options: {
    ...consumerOptions,
    description: option("a description"),
    tag: tagsOption("the tags, which replace all existing ones"),
    metadata: option("data that handlers and upstreams get; replaces the existing data", jsonObject),
    ...clearOption("description", "tags", "metadata"),
  },
  examples: [
    { command: "tollgate consumers update acme --tag plan=silver", text: "This replaces all its tags." },
    { command: "tollgate consumers update acme --clear description", text: "Removes the description." },
  ],
  call: (client, { name, bucket, ifTag, description, tag, metadata, clear }) =>
    client.consumers(bucket).update(name, changesOf({ description, tags: tag, metadata }, clear), { tag: ifTag }),
  show: showFields,
});
