import { changesOf, clearOption } from "../../support/changes.ts";
import { consumerOptions } from "../../support/key-bucket-options.ts";
import { secretFromStdin } from "../../support/prompts.ts";
import { remoteCommand, showFields } from "../../support/remote.ts";
import { argument, flag, option, time } from "../../support/values.ts";

export const command = remoteCommand({
  summary: "Change a key's description, expiry or value",
  arguments: { consumer: argument("the consumer's name"), id: argument("the key's id") },
  options: {
    ...consumerOptions,
    description: option("what it is for"),
    expiresOn: option("when it stops working, such as 7d, or now", time),
    keyStdin: flag("read a new value from standard input; the old one stops at once"),
    ...clearOption("description", "expiresOn"),
  },
  examples: [
    { command: "tollgate keys update acme key_0QGzNqW81Kx8VhTb3mPcRdZu --expires-on 7d", text: "It ends in a week." },
    { command: "tollgate keys update acme key_0QGzNqW81Kx8VhTb3mPcRdZu --clear expiresOn", text: "It does not end." },
  ],
  async call(client, { consumer, id, bucket, ifTag, description, expiresOn, keyStdin, clear }) {
    const key = keyStdin ? await secretFromStdin("Key") : undefined;
    const changes = changesOf({ key, description, expiresOn }, clear);
    return client.keys(bucket, consumer).update(id, changes, { tag: ifTag });
  },
  show: showFields,
});
