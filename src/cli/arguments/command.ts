import type { Environment } from "../../config/config.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** What the shell completes for a value. */
export type Completion = readonly string[] | "file" | "folder";

export interface Option<Value = unknown> {
  help: string;
  /** The placeholder of the value in the help. A flag has none. */
  placeholder?: string;
  short?: string;
  completion?: Completion;
  /** Parses all values of the option as typed; the array is empty if the option is absent. Throws a UsageError. */
  read(given: string[]): Value;
}

export interface Argument<Value = unknown> {
  help: string;
  isOptional: boolean;
  completion?: Completion;
  read(given: string | undefined): Value;
}

export type Arguments = Record<string, Argument>;
export type Options = Record<string, Option>;

type Read<Described> = {
  [Name in keyof Described]: Described[Name] extends { read(given: never): infer Value } ? Value : never;
};

/** The parsed arguments and options, by name. */
export type Values<A extends Arguments, O extends Options> = Read<A> & Read<O>;

/** Command lines and what each does. */
export type Examples = Record<string, string>;

/** The arguments or options of a command without any. */
export type None = Record<never, never>;

export interface Context {
  terminal: Terminal;
  environment: Environment;
  /** The address of the server, once the command has selected one. */
  server?: string;
  /** Prints the help of a command, given its words, or of all commands without words. */
  help(words: string[]): Promise<string>;
  /** Commands with words that begin with these. */
  commandsFor(text: string): Promise<{ command: string; summary: string }[]>;
}

/** The exit code of a command. */
// biome-ignore lint/suspicious/noConfusingVoidType: a command that returns nothing ends with 0.
export type ExitCode = number | void;

/** A command: help, completion, usage errors and the reference in docs/cli.md are generated from it. */
export interface Command {
  /** One line, for lists of commands. */
  summary: string;
  /** More details, printed below the summary. */
  details?: string | undefined;
  arguments: Arguments;
  /** By their names in code: `expiresOn` is typed `--expires-on`. */
  options: Options;
  examples: Examples;
  run(values: Record<string, unknown>, context: Context): Promise<ExitCode>;
}

/** The commands of a resource, by verb. */
export interface Group {
  summary: string;
  /** The verb that the group's name alone runs. */
  default?: string;
  commands: Record<string, Command>;
  /** Other words for the verbs, which are accepted and not listed. */
  aliases?: Record<string, string>;
}

/** What a command is made from, with the types of its arguments and options. */
export interface CommandDescription<A extends Arguments, O extends Options>
  extends Pick<Command, "summary" | "details" | "examples"> {
  arguments?: A;
  options?: O;
  run(values: Values<A, O>, context: Context): Promise<ExitCode>;
}

export function defineCommand<A extends Arguments = None, O extends Options = None>(
  description: CommandDescription<A, O>,
): Command {
  const { arguments: given = {}, options = {}, ...rest } = description as unknown as Command;
  return { ...rest, arguments: given, options };
}

/** `expiresOn` → `expires-on` */
export function optionName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
