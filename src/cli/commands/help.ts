import { defineCommand } from "../arguments/command.ts";
import { optionalArgument } from "../arguments/values.ts";

export const command = defineCommand({
  summary: "Explain a command",
  arguments: {
    command: optionalArgument("the command or group"),
    subcommand: optionalArgument("a command of the group"),
  },
  options: {},
  examples: [
    { command: "tollgate help", text: "All commands." },
    { command: "tollgate help keys create", text: "One command of a group." },
  ],
  async run({ command, subcommand }, { terminal, help }) {
    const words = [command, subcommand].filter((word) => word !== undefined);
    terminal.print(await help(words));
    return undefined;
  },
});
