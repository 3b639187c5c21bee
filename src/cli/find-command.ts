import { didYouMean } from "../lib/text/suggestion.ts";
import type { Command, Group } from "./arguments/command.ts";
import { requestsHelp } from "./arguments/parse.ts";
import { UsageError } from "./process/usage-error.ts";
import { allCommands, isGroup, load, names } from "./tree.ts";

/** The command that the first words of a command line name, and the remaining words. */
export type Found =
  | { kind: "command"; name: string; command: Command; rest: string[] }
  | { kind: "group"; name: string; group: Group; rest: string[] }
  | { kind: "nothing"; rest: string[] };

export async function findCommand(words: string[]): Promise<Found> {
  const [name, ...rest] = words;
  if (name === undefined || name.startsWith("-")) return { kind: "nothing", rest: words };
  const entry = await load(name);
  if (!entry) {
    // A verb without its group, such as `logs`.
    const verbs = (await allCommands()).filter((each) => each.name.endsWith(` ${name}`)).map((each) => each.name);
    if (verbs.length > 0 && verbs.length <= 3)
      throw new UsageError(`There is no command "${name}".`, verbs.map((each) => `tollgate ${each}`).join(", "));
    throw unknown(`command "${name}"`, name, names, "tollgate help");
  }
  if (!isGroup(entry)) return { kind: "command", name, command: entry, rest };

  const { commands, aliases = {} } = entry;
  const [typed, ...others] = rest;
  if (typed === undefined || typed.startsWith("-")) {
    if (entry.default === undefined || requestsHelp(rest)) return { kind: "group", name, group: entry, rest };
    return { kind: "command", name: `${name} ${entry.default}`, command: commands[entry.default]!, rest };
  }
  const verb = Object.hasOwn(aliases, typed) ? aliases[typed]! : typed;
  if (!Object.hasOwn(commands, verb))
    throw unknown(`"${verb}" in "${name}"`, verb, Object.keys(commands), `tollgate help ${name}`);
  return { kind: "command", name: `${name} ${verb}`, command: commands[verb]!, rest: others };
}

function unknown(what: string, typed: string, known: string[], help: string): UsageError {
  return new UsageError(`There is no ${what}${didYouMean(typed, known) || "."}`, `All commands: ${help}`);
}
