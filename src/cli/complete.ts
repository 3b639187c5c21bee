import { type Completion, type Option, optionName } from "./arguments/command.ts";
import { type Found, findCommand } from "./find-command.ts";
import { isGroup, load, names } from "./tree.ts";

interface Candidate {
  word: string;
  text: string;
}

/** The completions of a command line, or a request for the shell's own files or folders. */
type Offer = Candidate[] | "file" | "folder";

/** `words` are the words after `tollgate`; the last one is incomplete and may be empty. */
export async function complete(words: string[]): Promise<Offer> {
  const finished = words.slice(0, -1);
  const typed = words.at(-1) ?? "";
  if (finished[0] === "help") return completeNames(finished.slice(1));
  const found = await known(finished);
  if (!found) return [];
  if (found.kind !== "command") return completeNames(finished);
  const { command, rest } = found;

  const options = new Map(Object.entries(command.options).map(([name, option]) => [`--${optionName(name)}`, option]));
  const before = options.get(rest.at(-1) ?? "");
  if (before?.placeholder !== undefined) return offer(before.completion);
  if (typed.startsWith("-")) return optionsToOffer(options);
  const position = rest.filter((word, index) => !word.startsWith("-") && !takesNext(options, rest[index - 1])).length;
  const argument = Object.values(command.arguments)[position];
  return argument ? offer(argument.completion) : optionsToOffer(options);
}

async function completeNames(finished: string[]): Promise<Candidate[]> {
  const [name, ...more] = finished;
  if (name === undefined) return Promise.all(names.map(async (word) => ({ word, text: (await load(word))!.summary })));
  const entry = await load(name);
  if (!entry || !isGroup(entry) || more.length > 0) return [];
  return Object.entries(entry.commands).map(([word, { summary }]) => ({ word, text: summary }));
}

async function known(words: string[]): Promise<Found | undefined> {
  try {
    return await findCommand(words);
  } catch {
    return undefined;
  }
}

function offer(completion: Completion | undefined): Offer {
  if (typeof completion === "string") return completion;
  return (completion ?? []).map((word) => ({ word, text: "" }));
}

function optionsToOffer(options: Map<string, Option>): Candidate[] {
  const help = { word: "--help", text: "show help with examples" };
  return [...[...options].map(([word, { help: text }]) => ({ word, text })), help];
}

function takesNext(options: Map<string, Option>, word: string | undefined): boolean {
  return word !== undefined && options.get(word)?.placeholder !== undefined;
}
