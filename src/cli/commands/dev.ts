import { defineCommand } from "../arguments/command.ts";
import { option, optionalArgument, port as portNumber } from "../arguments/values.ts";
import { checkProjectFolder } from "../projects/project-name.ts";

export const dev = defineCommand({
  summary: "Run a gateway on this machine, with reload on change and a key that works",
  details: `Starts an empty temporary server. It creates a consumer "developer" with a key in each bucket that the
project's policies name, and a plan for its quotas. Requests and console output are printed as they arrive.`,
  arguments: { folder: optionalArgument("the project; this folder by default", "folder") },
  options: { port: option("the port; any free one by default", portNumber) },
  examples: {
    "tollgate dev": "This folder.",
    "tollgate dev examples/orders --port 8080": "Always at the same port.",
  },
  async run({ folder = ".", port = 0 }, context) {
    await checkProjectFolder(folder);
    const { runDev } = await import("../local-development/dev-session.ts");
    return runDev(folder, port, context);
  },
});
