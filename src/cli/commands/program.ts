import { defineCommand } from "../arguments/command.ts";
import { argument, oneOf, optionalArgument } from "../arguments/values.ts";
import { version as programVersion } from "../process/version.ts";

/**
 * Each script calls the hidden command `tollgate complete`, so completion matches the installed version. A line of its
 * output is a word, a tab and a description; `:file` and `:folder` select the shell's own completion.
 */
const completionScripts = {
  bash: `# Completion of tollgate for bash: source <(tollgate completion bash)
_tollgate() {
  local current="\${COMP_WORDS[COMP_CWORD]}" answer words=()
  answer="$(tollgate complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)"
  COMPREPLY=()
  case "$answer" in
    :file) compopt -o default 2>/dev/null; COMPREPLY=($(compgen -f -- "$current")); return ;;
    :folder) compopt -o default 2>/dev/null; COMPREPLY=($(compgen -d -- "$current")); return ;;
  esac
  while IFS=$'\\t' read -r word _; do words+=("$word"); done <<< "$answer"
  COMPREPLY=($(compgen -W "\${words[*]}" -- "$current"))
}
complete -F _tollgate tollgate`,

  zsh: `#compdef tollgate
# Completion of tollgate for zsh: source <(tollgate completion zsh)
_tollgate() {
  local answer line
  local -a candidates
  answer="$(tollgate complete -- "\${(@)words[2,$CURRENT]}" 2>/dev/null)"
  case "$answer" in
    :file) _files; return ;;
    :folder) _files -/; return ;;
  esac
  for line in "\${(@f)answer}"; do
    [[ -n "$line" ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe tollgate candidates
}
compdef _tollgate tollgate`,

  fish: `# Completion of tollgate for fish: tollgate completion fish > ~/.config/fish/completions/tollgate.fish
function __tollgate_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l answer (tollgate complete -- $words[2..-1] 2>/dev/null)
  switch "$answer"
    case ':file'
      __fish_complete_path (commandline -ct)
    case ':folder'
      __fish_complete_directories (commandline -ct)
    case '*'
      printf '%s\\n' $answer
  end
end
complete -c tollgate -f -a '(__tollgate_complete)'`,
};

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
    terminal.print(completionScripts[shell]);
    return undefined;
  },
});

export const version = defineCommand({
  summary: "Print the version",
  examples: { "tollgate version": "The version of this program; that of a server is in /openapi.json." },
  async run(_values, { terminal }) {
    terminal.print(programVersion);
    return undefined;
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
    return undefined;
  },
});
