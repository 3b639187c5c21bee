import { defineCommand } from "../arguments/command.ts";
import { optionalArgument } from "../arguments/values.ts";

export const command = defineCommand({
  summary: "Explain a command",
  arguments: {
    command: optionalArgument("what to explain"),
    subcommand: optionalArgument("and which of its commands"),
  },
  options: {},
  examples: [
    { command: "tollgate help", text: "All commands." },
    { command: "tollgate help keys create", text: "One of them." },
  ],
  async run({ command, subcommand }, { terminal, help }) {
    const words = [command, subcommand].filter((word) => word !== undefined);
    terminal.print(await help(words));
    return undefined;
  },
});
