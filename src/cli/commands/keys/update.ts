import { changesOf, clearOption } from "../../arguments/changes.ts";
import { argument, flag, option, time } from "../../arguments/values.ts";
import { remoteCommand, showFields } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";
import { keyRuleOptions, keyRulesOf } from "../../options/key-rule-options.ts";
import { secretFromStdin } from "../../terminal/prompts.ts";

export const command = remoteCommand({
  summary: "Change a key: its description, expiry, rules or value",
  arguments: { consumer: argument("the consumer's name"), id: argument("the key's id") },
  options: {
    ...consumerOptions,
    description: option("a description"),
    expiresOn: option("when the key expires, such as 7d, or now", time),
    ...keyRuleOptions,
    keyStdin: flag("read a new value from standard input; the old one stops working immediately"),
    ...clearOption("description", "expiresOn", "permissions", "allowedIps", "rateLimit", "metadata"),
  },
  examples: [
    {
      command: "tollgate keys update acme key_0QGzNqW81Kx8VhTb3mPcRdZu --expires-on 7d",
      text: "It expires in a week.",
    },
    {
      command: "tollgate keys update acme key_0QGzNqW81Kx8VhTb3mPcRdZu --clear expiresOn",
      text: "It does not expire.",
    },
    { command: "tollgate keys update acme key_0QGzNqW81Kx8VhTb3mPcRdZu --enabled false", text: "It rests." },
  ],
  async call(client, { consumer, id, bucket, ifTag, description, expiresOn, keyStdin, clear, ...rules }, terminal) {
    const key = keyStdin ? await secretFromStdin(terminal, "Key") : undefined;
    const changes = changesOf({ key, description, expiresOn, ...keyRulesOf(rules) }, clear);
    return client.keys(bucket, consumer).update(id, changes, { tag: ifTag });
  },
  show: showFields,
});
