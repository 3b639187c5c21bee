import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, named, oneOf, option, tagsOption } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";

export const command = remoteCommand({
  summary: "Change a key bucket",
  arguments: { name: argument("the bucket") },
  options: {
    onLeak: option("what happens to a key that is reported as leaked", oneOf("mark", "disable")),
    description: option("a description"),
    prefix: option("the prefix of new keys", named("TEXT")),
    tag: tagsOption("the tags, which replace all existing ones"),
    ...clearOption("description", "tags"),
  },
  examples: [
    {
      command: 'tollgate buckets update payments --description "Keys of the payment API"',
      text: "The other settings are not changed.",
    },
    { command: "tollgate buckets update payments --clear tags", text: "Removes all tags." },
  ],
  call: (client, { name, description, prefix, onLeak, tag, clear }) =>
    client.buckets.update(name, changesOf({ description, keyPrefix: prefix, onLeak, tags: tag }, clear)),
  show: showFields,
});
