import type { Environment } from "../config/config.ts";
import type { Context } from "./arguments/command.ts";
import { parseCommandLine, requestsHelp } from "./arguments/parse.ts";
import { findCommand } from "./find-command.ts";
import { exitCodes } from "./process/exit-codes.ts";
import { UsageError } from "./process/usage-error.ts";
import { processStreams, type Streams, Terminal } from "./terminal/terminal.ts";

/** Runs a command line. Returns the exit code. */
export async function run(
  words: string[],
  environment: Environment,
  streams: Streams = processStreams,
): Promise<number> {
  const withoutColour = words.includes("--no-color");
  const terminal = new Terminal(environment, !withoutColour, streams);
  const context: Context = {
    ...{ terminal, environment },
    help: (words) => helpOn(words, "style", terminal),
    commandsFor: async (text) => (await import("./commands-for.ts")).commandsFor(text),
  };
  let commandName: string | undefined;
  let values: Record<string, unknown> = {};
  try {
    if (words[0] === "complete" && words[1] === "--") return await printCandidates(words.slice(2), terminal);
    const found = await findCommand(words.filter((word) => word !== "--no-color"));
    if (found.kind === "command") {
      commandName = found.name;
      if (requestsHelp(found.rest)) return await help(found.name.split(" "), terminal);
      values = parseCommandLine(found.command, found.rest);
      return (await found.command.run(values, context)) ?? 0;
    }
    if (found.kind === "nothing" && (found.rest[0] === "--version" || found.rest[0] === "-v"))
      return await run(["version"], environment, streams);
    if (requestsHelp(found.rest) || found.rest.length === 0) {
      const isRequested = found.rest.length > 0;
      return await help(found.kind === "group" ? [found.name] : [], terminal, isRequested);
    }
    throw new UsageError(`There is no option ${found.rest[0]} here.`, "Options come after the command: tollgate help");
  } catch (error) {
    // Imported late: it loads the whole client, which most commands that end here do not need.
    const { explain } = await import("./connection/explain.ts");
    return explain(error, context, commandName, values);
  }
}

/** Help that was not requested is a usage error. */
async function help(words: string[], terminal: Terminal, isRequested = true): Promise<number> {
  if (isRequested) terminal.print(await helpOn(words, "style", terminal));
  else terminal.note(await helpOn(words, "noteStyle", terminal));
  return isRequested ? exitCodes.success : exitCodes.usage;
}

async function helpOn(words: string[], stream: "style" | "noteStyle", terminal: Terminal): Promise<string> {
  const { helpFor } = await import("./help.ts");
  return helpFor(words, { style: (style, text) => terminal[stream](style, text), width: terminal.readingWidth });
}

/** Called by the scripts of `tollgate completion`. */
async function printCandidates(words: string[], terminal: Terminal): Promise<number> {
  const { complete } = await import("./complete.ts");
  const offer = await complete(words);
  if (typeof offer === "string") terminal.print(`:${offer}`);
  else for (const { word, text } of offer) terminal.print(`${word}\t${text}`);
  return 0;
}
