import { defineCommand } from "../arguments/command.ts";
import { completionScripts } from "../arguments/completion-scripts.ts";
import { argument, oneOf } from "../arguments/values.ts";

const shells = oneOf("bash", "zsh", "fish");

export const command = defineCommand({
  summary: "Print a completion script for your shell",
  arguments: {
    shell: { ...argument("bash, zsh or fish", shells.completion), read: (given) => shells.parse(given ?? "") },
  },
  options: {},
  examples: [
    { command: `echo 'source <(tollgate completion bash)' >> ~/.bashrc`, text: "bash" },
    { command: `echo 'source <(tollgate completion zsh)' >> ~/.zshrc`, text: "zsh, after compinit" },
    { command: "tollgate completion fish > ~/.config/fish/completions/tollgate.fish", text: "fish" },
  ],
  async run({ shell }, { terminal }) {
    terminal.print(completionScripts[shell]);
    return undefined;
  },
});
