import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, named, option, tagsOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Change a key bucket",
  arguments: { name: argument("the bucket") },
  options: {
    description: option("what it is for"),
    prefix: option("what new keys begin with", named("TEXT")),
    tag: tagsOption("the tags, in the place of all old ones"),
    ...clearOption("description", "tags"),
  },
  examples: [
    {
      command: 'tollgate buckets update payments --description "Keys of the payment API"',
      text: "The other settings are not changed.",
    },
    { command: "tollgate buckets update payments --clear tags", text: "Removes all tags." },
  ],
  call: (client, { name, description, prefix, tag, clear }) =>
    client.buckets.update(name, changesOf({ description, keyPrefix: prefix, tags: tag }, clear)),
  show: showFields,
});
