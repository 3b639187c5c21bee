import { defineCommand } from "../arguments/command.ts";
import { clientFor, findServer } from "../connection/connect.ts";
import { remoteOptions } from "../connection/remote.ts";
import { showResource } from "../output/show.ts";

export const command = defineCommand({
  summary: "Show the account and the role of your token",
  arguments: {},
  options: remoteOptions,
  examples: [
    { command: "tollgate whoami", text: "The server, the account and the role of your token." },
    { command: "tollgate whoami --json", text: "For programs." },
  ],
  async run({ json, ...target }, context) {
    const { source, ...server } = await findServer(target, context);
    const identity = await clientFor(server, { account: target.account }).whoAmI();
    if (json) context.terminal.printJson(identity);
    else showResource(context.terminal, { ...identity, server: server.url, from: source });
    return undefined;
  },
});
