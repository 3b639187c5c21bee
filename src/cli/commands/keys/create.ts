import { defineCommand } from "../../arguments/command.ts";
import { flag, named, option, optionalArgument, time } from "../../arguments/values.ts";
import { connectTo, remoteOptions } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";
import { keyRuleOptions, keyRulesOf } from "../../options/key-rule-options.ts";
import { showResource } from "../../output/show.ts";
import { UsageError } from "../../process/usage-error.ts";
import { secretFromStdin } from "../../terminal/prompts.ts";

export const command = defineCommand({
  summary: "Create a key, or many from a file",
  details: `A key is generated unless --key-stdin supplies a value. Its value is shown.
A file is CSV with the columns consumer, key, description, expiresOn, permissions and allowedIps (both with ; between entries),
or JSON: an array of keys in the format of the API, each with its consumer. All columns are optional; without the column consumer,
<consumer> is required. Lines that have a key or a description are created once, however often the command runs. Lines with neither
are created once if the same file is used again within a day. --again creates all of them again.`,
  arguments: { consumer: optionalArgument("the consumer's name; not needed if the file has it") },
  options: {
    ...consumerOptions,
    description: option("a description"),
    expiresOn: option("when the key expires, such as 90d", time),
    ...keyRuleOptions,
    value: flag("print only the value of the new key, for a script"),
    keyStdin: flag("read the value of the key from standard input"),
    file: option("create one for each line of a CSV or JSON file; - for standard input", named("FILE", "file")),
    again: flag("with --file: create keys also for lines that already have one"),
    ...remoteOptions,
  },
  examples: [
    {
      command: "tollgate keys create acme --description production --expires-on 365d",
      text: "Generates a key and shows its value.",
    },
    { command: "export KEY=$(tollgate keys create acme --value)", text: "In a script." },
    { command: "pass acme/key | tollgate keys create acme --key-stdin", text: "With your own value." },
    {
      command: "tollgate keys create --file keys.csv",
      text: "In chunks of 1,000, with a summary of what was rejected.",
    },
  ],
  async run(
    { consumer, bucket, ifTag, description, expiresOn, value, keyStdin, file, again, json, ...given },
    context,
  ) {
    const { terminal } = context;
    const { enabled, permission, allowedIp, rateLimit, metadata, ...target } = given;
    const rules = keyRulesOf({ enabled, permission, allowedIp, rateLimit, metadata });
    if (file !== undefined) {
      const isAboutOne = [description, expiresOn, ...Object.values(rules)].some((value) => value !== undefined);
      if (value || keyStdin || isAboutOne)
        throw new UsageError("The options of a single key cannot be combined with --file.");
      const { createKeysFromFile } = await import("../../bulk-changes/bulk-keys.ts");
      return createKeysFromFile({ file, bucket, consumer, again, json, target }, context);
    }
    if (consumer === undefined) throw new UsageError("<consumer> is missing: the consumer's name");
    const client = await connectTo(target, context);
    const key = keyStdin ? await secretFromStdin(terminal, "Key") : undefined;
    const made = await client.keys(bucket, consumer).create({ key, description, expiresOn, ...rules }, { tag: ifTag });
    if (json) {
      terminal.printJson(made);
      return undefined;
    }
    if (value) {
      terminal.print(made.key!);
      return undefined;
    }
    showResource(terminal, made);
    terminal.note(terminal.noteStyle("yellow", "Store the value now: it may not be shown again."));
    return undefined;
  },
});
