import { argument, flag, oneOf, option } from "../../arguments/values.ts";
import { remoteCommand } from "../../connection/remote.ts";
import { consumerOptions } from "../../options/key-bucket-options.ts";
import { showList, showResource } from "../../output/show.ts";
import type { Terminal } from "../../terminal/terminal.ts";

export const command = remoteCommand({
  summary: "Show a consumer with its keys and managers",
  arguments: { name: argument("the consumer") },
  options: {
    ...consumerOptions,
    keyFormat: option("the format of the keys' values; masked by default", oneOf("none", "masked", "visible")),
    plain: flag("without keys, managers and invites"),
  },
  examples: [
    { command: "tollgate consumers show acme", text: "With its keys, masked." },
    {
      command: "tollgate consumers show acme --key-format visible",
      text: "With the values, if they are retrievable.",
    },
  ],
  call: (client, { name, bucket, ifTag, keyFormat, plain }) =>
    client.consumers(bucket).get(name, {
      tag: ifTag,
      keyFormat,
      includeApiKeys: !plain,
      includeManagers: !plain,
      includeManagerInvites: !plain,
    }),
  show({ apiKeys = [], managers = [], managerInvites = [], ...consumer }, terminal) {
    showResource(terminal, consumer);
    showPart(terminal, "Keys", apiKeys, ["id", "key", "description", "createdOn", "expiresOn"]);
    showPart(terminal, "Managers", managers, ["id", "sub", "email", "createdOn"]);
    showPart(terminal, "Invites", managerInvites, ["id", "email", "createdOn", "expiresOn"]);
  },
});

function showPart<Item extends object>(
  terminal: Terminal,
  name: string,
  items: Item[],
  columns: (keyof Item & string)[],
): void {
  if (items.length === 0) return;
  terminal.print(`\n${terminal.style("bold", name)}`);
  showList(terminal, items, columns);
}
