import { defineCommand } from "../arguments/command.ts";
import { version } from "../process/version.ts";

export const command = defineCommand({
  summary: "Print the version",
  arguments: {},
  options: {},
  examples: [
    { command: "tollgate version", text: "The version of this program; that of a server is in /openapi.json." },
  ],
  async run(_values, { terminal }) {
    terminal.print(version);
    return undefined;
  },
});
