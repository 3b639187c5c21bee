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

interface Example {
  command: string;
  /** The parsed result. */
  text: string;
}

export interface Context {
  terminal: Terminal;
  environment: Environment;
  /** Prints the help of a command, given its words, or of all commands without words. */
  help(words: string[]): Promise<string>;
  /** Commands with words that begin with these. */
  commandsFor(text: string): Promise<{ command: string; summary: string }[]>;
}

/**
 * The description of a command: its arguments, its purpose and its implementation. Help, completion, usage errors and
 * the reference in docs/cli.md are generated from it. Options have their names in code: `expiresOn` is typed
 * `--expires-on`.
 */
export interface CommandDescription<A extends Arguments, O extends Options> {
  /** One line, for lists of commands. */
  summary: string;
  /** More details, printed below the summary. */
  details?: string;
  arguments: A;
  options: O;
  examples: Example[];
  /** Returns the exit code; undefined means 0. */
  run(values: Values<A, O>, context: Context): Promise<number | undefined>;
}

export interface Command extends Omit<CommandDescription<Arguments, Options>, "run"> {
  run(values: Record<string, unknown>, context: Context): Promise<number | undefined>;
}

export function defineCommand<A extends Arguments, O extends Options>(description: CommandDescription<A, O>): Command {
  return description as unknown as Command;
}

/** `expiresOn` → `expires-on` */
export function optionName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
