import { listOption, named, tagsOption } from "../../arguments/values.ts";
import { changedConsumers, manyConsumersOptions, selectedConsumers } from "../../bulk-changes/many-consumers.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = remoteCommand({
  summary: "Add tags to many consumers, or remove some",
  details: "All of them or none. More than 1,000 are a job, which `tollgate jobs show` follows.",
  arguments: {},
  options: {
    ...bucketOption,
    ...manyConsumersOptions,
    add: tagsOption("a tag to add, which replaces one of the same name; may be repeated"),
    remove: listOption("the name of a tag to remove; may be repeated", named("TAG")),
  },
  examples: [
    {
      command: "tollgate consumers tag --where tag.plan=silver --add plan=gold --dry-run",
      text: "The consumers that would be changed.",
    },
    { command: "tollgate consumers tag --name acme --name globex --remove beta", text: "By name." },
  ],
  call: (client, { bucket, where, name, dryRun, add, remove }) => {
    if (add === undefined && remove.length === 0) throw new UsageError("Give --add or --remove.");
    const set = { ...(add ? { addTags: add } : {}), ...(remove.length > 0 ? { removeTags: remove } : {}) };
    return client.consumers(bucket).updateMany({ ...selectedConsumers(where, name), set, dryRun });
  },
  ...changedConsumers("Changed"),
});
