import { defineCommand } from "../../arguments/command.ts";
import { flag, jsonObject, listOption, named, option, optionalArgument, tagsOption } from "../../arguments/values.ts";
import { connectTo, remoteOptions } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";
import { showResource } from "../../output/show.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = defineCommand({
  summary: "Create a consumer, or many from a file",
  details: `A file is CSV with the columns name, description, tags.<tag>, metadata (JSON) and managers (addresses, separated by ;), or
JSON: an array of consumers. Running it again creates no duplicates.`,
  arguments: { name: optionalArgument("1 to 128 characters of a-z, 0-9 and -; not needed with --file") },
  options: {
    ...bucketOption,
    adoptCustomer: flag("take over the subscriptions and invoices of a deleted consumer of this name"),
    withKey: flag("also create a key and show its value"),
    description: option("a description"),
    tag: tagsOption("a tag"),
    metadata: option("data that handlers and upstreams get", jsonObject),
    manager: listOption("an e-mail address to invite as a manager", named("EMAIL")),
    file: option("create one for each line of a CSV or JSON file; - for standard input", named("FILE", "file")),
    ...remoteOptions,
  },
  examples: [
    { command: "tollgate consumers create acme --with-key", text: "With a key, whose value is shown." },
    {
      command: `tollgate consumers create acme --tag plan=gold --metadata '{"seats": 12}'`,
      text: "With tags for filters and metadata for handlers.",
    },
    {
      command: "tollgate consumers create --file customers.csv --with-key",
      text: "All consumers of a file, eight at a time.",
    },
  ],
  async run(
    { name, bucket, adoptCustomer, withKey, description, tag, metadata, manager, file, json, ...target },
    context,
  ) {
    const { terminal } = context;
    if (file !== undefined) {
      if (name !== undefined || description !== undefined || tag || metadata || manager.length > 0)
        throw new UsageError("The options of a single consumer cannot be combined with --file.");
      const { createConsumersFromFile } = await import("../../bulk-changes/bulk-consumers.ts");
      return createConsumersFromFile({ file, bucket, withKey, json, target }, context);
    }
    if (name === undefined) throw new UsageError("<name> is missing, or --file");
    const client = await connectTo(target, context);
    const managers = manager.length > 0 ? manager : undefined;
    const consumer = await client
      .consumers(bucket)
      .create({ name, description, tags: tag, metadata, managers }, { withApiKey: withKey, adoptCustomer });
    if (json) {
      terminal.printJson(consumer);
      return undefined;
    }
    const { apiKeys = [], ...rest } = consumer;
    showResource(terminal, withKey ? { ...rest, key: apiKeys[0]?.key } : rest);
    if (withKey) terminal.note(terminal.noteStyle("yellow", "Store the value now: it may not be shown again."));
    return undefined;
  },
});
