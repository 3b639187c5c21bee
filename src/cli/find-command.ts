import { didYouMean } from "../lib/text/suggestion.ts";
import type { Command } from "./arguments/command.ts";
import { requestsHelp } from "./arguments/parse.ts";
import { UsageError } from "./process/usage-error.ts";
import { type Group, isGroup, tree } from "./tree.ts";

/** The command that the first words of a command line name, and the remaining words. */
export type Found =
  | { kind: "command"; name: string; command: Command; rest: string[] }
  | { kind: "group"; name: string; group: Group; rest: string[] }
  | { kind: "nothing"; rest: string[] };

export async function findCommand(words: string[]): Promise<Found> {
  const [name, ...rest] = words;
  if (name === undefined || name.startsWith("-")) return { kind: "nothing", rest: words };
  if (!Object.hasOwn(tree, name)) throw unknown(`command "${name}"`, name, Object.keys(tree), "tollgate help");
  const entry = tree[name]!;
  if (!isGroup(entry)) return { kind: "command", name, command: (await entry()).command, rest };

  const [verb, ...others] = rest;
  if (verb === undefined || verb.startsWith("-")) {
    if (entry.default === undefined || requestsHelp(rest)) return { kind: "group", name, group: entry, rest };
    const { command } = await entry.commands[entry.default]!();
    return { kind: "command", name: `${name} ${entry.default}`, command, rest };
  }
  if (!Object.hasOwn(entry.commands, verb))
    throw unknown(`"${verb}" in "${name}"`, verb, Object.keys(entry.commands), `tollgate help ${name}`);
  const { command } = await entry.commands[verb]!();
  return { kind: "command", name: `${name} ${verb}`, command, rest: others };
}

function unknown(what: string, typed: string, known: string[], help: string): UsageError {
  return new UsageError(`There is no ${what}${didYouMean(typed, known) || "."}`, `All commands: ${help}`);
}
