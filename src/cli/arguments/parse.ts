import { parseArgs } from "node:util";
import { didYouMean } from "../../lib/text/suggestion.ts";
import { UsageError } from "../process/usage-error.ts";
import { type Command, type Option, optionName } from "./command.ts";

type Token = ReturnType<typeof tokensOf>[number];

/** The parsed values of a command line, or all its usage errors. */
export function parseCommandLine(command: Command, words: string[]): Record<string, unknown> {
  const byTypedName = new Map(Object.entries(command.options).map(([name, option]) => [optionName(name), option]));
  const tokens = tokensOf(words, byTypedName);
  const given = Map.groupBy(tokens.filter(isOption), ({ name }) => name);
  const positionals = tokens.flatMap((token) => (token.kind === "positional" ? token.value : []));

  for (const token of tokens) if (isOption(token)) checkOption(token, byTypedName);
  return {
    ...readArguments(command, positionals),
    ...Object.fromEntries(
      Object.entries(command.options).map(([name, option]) => {
        const values = (given.get(optionName(name)) ?? []).map(({ value }) => value ?? "");
        return [name, naming(`--${optionName(name)}`, () => option.read(values))];
      }),
    ),
  };
}

export function requestsHelp(words: string[]): boolean {
  const end = words.indexOf("--");
  return words.slice(0, end < 0 ? undefined : end).some((word) => word === "--help" || word === "-h");
}

/** Not strict: the errors of `parseArgs` do not suggest a correction. */
function tokensOf(words: string[], options: Map<string, Option>) {
  const config = Object.fromEntries(
    [...options].map(([name, { placeholder, short }]) => [
      name,
      { type: placeholder === undefined ? "boolean" : "string", multiple: true, ...(short && { short }) } as const,
    ]),
  );
  return parseArgs({ args: words, options: config, strict: false, allowPositionals: true, tokens: true }).tokens;
}

function isOption(token: Token): token is Extract<Token, { kind: "option" }> {
  return token.kind === "option";
}

function checkOption(
  { name, rawName, value, inlineValue }: Extract<Token, { kind: "option" }>,
  options: Map<string, Option>,
): void {
  const option = options.get(name);
  if (!option) {
    const variable = isSetting(name, options) ? `TOLLGATE_${name.toUpperCase().replaceAll("-", "_")}` : undefined;
    const hint = variable && `It is set in the environment: ${variable}=… tollgate …`;
    throw new UsageError(`There is no option ${rawName}${suggestedFor(name, options) || "."}`, hint);
  }
  if (option.placeholder === undefined && inlineValue) throw new UsageError(`${rawName} takes no value.`);
  if (option.placeholder === undefined) return;
  if (value === undefined) throw new UsageError(`${rawName} needs a value: ${rawName} ${option.placeholder}`);
  // In `--description --json` the value is probably missing. `--since -1h` is a value.
  if (!inlineValue && /^-\D/.test(value))
    throw new UsageError(`${rawName} needs a value; one that begins with a dash is written ${rawName}=${value}`);
}

/** Settings that are often tried as options: of a server, and of commands that call one. */
function isSetting(name: string, options: Map<string, Option>): boolean {
  return ["host", "port", "data-dir", ...(options.has("json") ? ["url", "token"] : [])].includes(name);
}

/** For `-f`, the only option that begins so: every short name is close to a letter. */
function suggestedFor(name: string, options: Map<string, Option>): string {
  if (name.length > 1) return didYouMean(name, options.keys()).replace(/"(.*)"/, "--$1");
  const beginning = [...options.keys()].filter((known) => known.startsWith(name));
  return beginning.length === 1 ? `; did you mean --${beginning[0]}?` : "";
}

function readArguments(command: Command, positionals: string[]): Record<string, unknown> {
  const described = Object.entries(command.arguments);
  if (positionals.length > described.length) {
    const extra = positionals[described.length]!;
    const taken = described.map(([name]) => `<${optionName(name)}>`).join(" ") || "none";
    throw new UsageError(
      `"${extra}" is an unexpected argument: the command takes ${taken}.`,
      "file" in command.options && /[./]/.test(extra)
        ? `A file is named with --file ${extra}`
        : "Put texts with spaces in quotes, and see its options with --help.",
    );
  }
  return Object.fromEntries(
    described.map(([name, argument], index) => {
      const value = positionals[index];
      if (value === undefined && !argument.isOptional)
        throw new UsageError(`<${optionName(name)}> is missing: ${argument.help}`);
      return [name, naming(`<${optionName(name)}>`, () => argument.read(value))];
    }),
  );
}

/** A value's parser does not know the name of the option: it is added here. */
export function naming<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(`${name} ${error.message}`, error.hint);
    throw error;
  }
}
