import { defineCommand } from "../arguments/command.ts";
import { argument, oneOf, optionalArgument } from "../arguments/values.ts";
import bash from "../completion/tollgate.bash" with { type: "text" };
import fish from "../completion/tollgate.fish" with { type: "text" };
import zsh from "../completion/tollgate.zsh" with { type: "text" };
import { version as programVersion } from "../process/version.ts";

/**
 * Each script calls the hidden command `tollgate complete`, so completion matches the installed version. A line of its
 * output is a word, a tab and a description; `:file` and `:folder` select the shell's own completion.
 */
const completionScripts = { bash, zsh, fish };

const shells = oneOf("bash", "zsh", "fish");

export const completion = defineCommand({
  summary: "Print a completion script for your shell",
  arguments: {
    shell: { ...argument("bash, zsh or fish", shells.completion), read: (given?: string) => shells.parse(given ?? "") },
  },
  examples: {
    "echo 'source <(tollgate completion bash)' >> ~/.bashrc": "bash",
    "echo 'source <(tollgate completion zsh)' >> ~/.zshrc": "zsh, after compinit",
    "tollgate completion fish > ~/.config/fish/completions/tollgate.fish": "fish",
  },
  async run({ shell }, { terminal }) {
    terminal.write(completionScripts[shell]);
  },
});

export const version = defineCommand({
  summary: "Print the version",
  examples: { "tollgate version": "The version of this program; that of a server is in /openapi.json." },
  async run(_values, { terminal }) {
    terminal.print(programVersion);
  },
});

export const help = defineCommand({
  summary: "Explain a command",
  arguments: {
    command: optionalArgument("the command or group"),
    subcommand: optionalArgument("a command of the group"),
  },
  examples: {
    "tollgate help": "All commands.",
    "tollgate help keys create": "One command of a group.",
  },
  async run({ command, subcommand }, { terminal, help }) {
    const words = [command, subcommand].filter((word) => word !== undefined);
    terminal.print(await help(words));
  },
});
