import { searchedText } from "../../client/searched-text.ts";
import { argument } from "../arguments/values.ts";
import { remoteCommand } from "../connection/remote.ts";
import { showList } from "../output/show.ts";

export const search = remoteCommand({
  summary: "Find consumers, keys, plans, invoices, deployments, commands and more",
  details:
    "By the beginnings of words in names, descriptions, tags and addresses, by parts of names, by ids (also of other systems), domains of mail " +
    "addresses, numbers of invoices and hosts, by the last characters of a key, or by a whole key, of which only the hash is sent. Case and accents " +
    "do not matter. Typos are tolerated if nothing matches without them. At most 20, followed by commands with these words.",
  arguments: { text: argument("words or their beginnings, an id, a number, or a key") },
  examples: {
    "tollgate search acme": "Everything with a word that begins with acme.",
    'tollgate search "north trad"': "Northwind Traders, for example; nortwind finds it too.",
    "tollgate search 1b2c3d4e": "The key that ends with these characters.",
    'tollgate search "roll key"': "The command that rolls a key.",
  },
  call: async (client, { text }, _terminal, { commandsFor }) => ({
    data: await client.search(await searchedText(text)),
    commands: await commandsFor(text),
  }),
  show({ data, commands }, terminal) {
    if (data.length + commands.length === 0) terminal.note("Nothing was found.");
    showList(terminal, data, ["type", "name", "detail", "id", "path"]);
    if (data.length > 0 && commands.length > 0) terminal.note("");
    showList(terminal, commands, ["command", "summary"]);
  },
});
