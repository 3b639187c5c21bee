import { type Command, optionName } from "./arguments/command.ts";
import { isSharedOption, remoteOptions } from "./connection/remote.ts";
import { optionText, usage } from "./help.ts";
import { allCommands } from "./tree.ts";

/** Every command as Markdown, from the same descriptions as the help. */
export async function reference(): Promise<string> {
  const shared = Object.entries(remoteOptions).map(
    ([name, option]) => `- \`${optionText(name, option)}\`: ${option.help}`,
  );
  const parts = (await allCommands()).map(({ name, command }) => section(name, command));
  return [`Commands that call a server (marked \u2601) also take:\n\n${shared.join("\n")}`, ...parts].join("\n\n");
}

function section(name: string, command: Command): string {
  const { summary, details, examples } = command;
  const asksServer = isSharedOption("json", command);
  const given = Object.entries(command.arguments).map(
    ([argument, { help }]) => `- \`${optionName(argument)}\`: ${help}`,
  );
  const options = Object.entries(command.options)
    .filter(([option]) => !isSharedOption(option, command))
    .map(([option, described]) => `- \`${optionText(option, described)}\`: ${described.help}`);
  const lines = Object.entries(examples).map(([line, text]) => `# ${text}\n${line}`);
  return [
    `### ${name}${asksServer ? " \u2601" : ""}`,
    `\`${usage(name, command)}\``,
    `${summary}.${details ? ` ${details.replaceAll("\n", " ")}` : ""}`,
    ...(given.length + options.length > 0 ? [[...given, ...options].join("\n")] : []),
    `\`\`\`sh\n${lines.join("\n")}\n\`\`\``,
  ].join("\n\n");
}
