import { defineCommand } from "../../arguments/command.ts";
import { argument, option, requiredOption, time } from "../../arguments/values.ts";
import { connectTo, reject, remoteOptions, yesOption } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";
import { showResource } from "../../output/show.ts";
import { confirm } from "../../terminal/prompts.ts";

export const command = defineCommand({
  summary: "Create a new key and set the expiry of the old ones",
  details: `With --key, one key: the new one has its description, permissions, addresses, limit and metadata, and an earlier expiry is kept.
Without it, all keys of the consumer that have no expiry: the new one has the rules of the newest enabled one of them.`,
  arguments: { consumer: argument("the consumer's name") },
  options: {
    ...consumerOptions,
    key: option("the id of the key, to roll only one"),
    expiresOn: requiredOption("when the old keys expire, such as 7d, or now", time),
    ...yesOption,
    ...remoteOptions,
  },
  examples: [
    {
      command: "tollgate keys roll acme --key key_0QGzNqW81Kx8VhTb3mPcRdZu --expires-on 7d",
      text: "One key, which works for another week.",
    },
    { command: "tollgate keys roll acme --expires-on 7d", text: "All keys of the consumer." },
    { command: "tollgate keys roll acme --expires-on now", text: "For leaked keys: they stop working immediately." },
  ],
  async run({ consumer, bucket, ifTag, key: keyId, expiresOn, yes, json, ...target }, context) {
    const { terminal } = context;
    const client = await connectTo(target, context);
    if (keyId !== undefined) {
      const rolled = await client.keys(bucket, consumer).rollOne(keyId, { expiresOn }, { tag: ifTag });
      if (json) terminal.printJson(rolled);
      else showResource(terminal, rolled);
      terminal.note(`Key ${keyId} expires on ${expiresOn}, or at its earlier expiry.`);
      return undefined;
    }
    const { isRetrievable } = await client.buckets.get(bucket);
    const warning = `Bucket ${bucket} does not store values: the value of the new key could not be shown. Roll anyway? (--key shows the new value)`;
    // Rolling all keys returns only the id of the new one.
    if (!isRetrievable && !yes && !(await confirm(terminal, warning))) return reject(context);

    const keys = client.keys(bucket, consumer);
    const id = await keys.roll({ expiresOn }, { tag: ifTag });
    const key = await keys.get(id, { keyFormat: isRetrievable ? "visible" : "masked" });
    if (json) terminal.printJson(key);
    else showResource(terminal, key);
    terminal.note(`The old keys of ${consumer} expire on ${expiresOn}.`);
    return undefined;
  },
});
