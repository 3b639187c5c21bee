import { defineCommand } from "../../arguments/command.ts";
import { argument, requiredOption, time } from "../../arguments/values.ts";
import { connectTo, reject, remoteOptions, yesOption } from "../../connection/remote.ts";
import { consumerOptions } from "../../keys/key-bucket-options.ts";
import { showThing } from "../../output/show.ts";
import { confirm } from "../../terminal/prompts.ts";

export const command = defineCommand({
  summary: "Make a new key, and let the old ones end",
  details:
    "Keys that have no expiry get one; the others stay as they are. The new key has none of their permissions, addresses and limits.",
  arguments: { consumer: argument("the consumer's name") },
  options: {
    ...consumerOptions,
    expiresOn: requiredOption("when the old keys stop working, such as 7d, or now", time),
    ...yesOption,
    ...remoteOptions,
  },
  examples: [
    { command: "tollgate keys roll acme --expires-on 7d", text: "A week to change over." },
    { command: "tollgate keys roll acme --expires-on now", text: "The old ones leaked: they stop at once." },
  ],
  async run({ consumer, bucket, ifTag, expiresOn, yes, json, ...target }, context) {
    const { terminal } = context;
    const client = await connectTo(target, context);
    const { isRetrievable } = await client.buckets.get(bucket);
    const warning = `Bucket ${bucket} keeps no values: nobody could ever read the new key. Roll all the same?`;
    // `keys create` shows the value of what it makes; roll returns no more than an id.
    if (!isRetrievable && !yes && !(await confirm(terminal, warning))) return reject(context);

    const keys = client.keys(bucket, consumer);
    const id = await keys.roll({ expiresOn }, { tag: ifTag });
    const key = await keys.get(id, { keyFormat: isRetrievable ? "visible" : "masked" });
    if (json) terminal.printJson(key);
    else showThing(terminal, key);
    terminal.note(`The old keys of ${consumer} end on ${expiresOn}.`);
    return undefined;
  },
});
