import { argument } from "../arguments/values.ts";
import { remoteCommand } from "../connection/remote.ts";
import { showList } from "../output/show.ts";

export const command = remoteCommand({
  summary: "Find consumers, deployments, plans, subscriptions, keys and domains",
  details:
    "By the prefix of a name, a plan's label, an id, a customerKey or a host, or by the last characters of a key. At most 20.",
  arguments: { text: argument("the prefix, or the last characters of a key") },
  options: {},
  examples: [
    { command: "tollgate search acme", text: "Everything with the prefix acme." },
    { command: "tollgate search 1b2c3d4e", text: "The key with this end." },
  ],
  call: async (client, { text }) => ({ data: await client.search(text) }),
  show({ data }, terminal) {
    if (data.length === 0) terminal.note("Nothing was found.");
    else showList(terminal, data, ["type", "name", "id", "path"]);
  },
});
