import { argument } from "../arguments/values.ts";
import { remoteCommand } from "../connection/remote.ts";
import { showList } from "../output/show.ts";

export const command = remoteCommand({
  summary: "Find consumers, deployments, plans, subscriptions, keys and domains",
  details: "By how a name, a plan's label, an id, a customerKey or a host begins, or by how a key ends. At most 20.",
  arguments: { text: argument("how it begins") },
  options: {},
  examples: [
    { command: "tollgate search acme", text: "All that begins with acme." },
    { command: "tollgate search 1b2c3d4e", text: "The key that ends so." },
  ],
  call: async (client, { text }) => ({ data: await client.search(text) }),
  show({ data }, terminal) {
    if (data.length === 0) terminal.note("Nothing was found.");
    else showList(terminal, data, ["type", "name", "id", "path"]);
  },
});
