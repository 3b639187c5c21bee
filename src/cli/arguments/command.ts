import type { Environment } from "../../config/config.ts";
import type { Terminal } from "../terminal/terminal.ts";

/** What a shell offers in the place of a value. */
export type Completion = readonly string[] | "file" | "folder";

export interface Option<Value = unknown> {
  help: string;
  /** What stands for the value in the help. A flag has none. */
  placeholder?: string;
  short?: string;
  completion?: Completion;
  /** Takes every value that was given, as typed; none where the option was left out. Throws a UsageError. */
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

/** What a command is run with: arguments and options by their names. */
export type Values<A extends Arguments, O extends Options> = Read<A> & Read<O>;

export interface Example {
  command: string;
  /** What comes of it. */
  text: string;
}

export interface Context {
  terminal: Terminal;
  environment: Environment;
  /** The help of a command: its words, or none for all. */
  help(words: string[]): Promise<string>;
}

/**
 * A command as one description: what it takes, what it is for and what it does. Help, completion, usage errors and the
 * reference in docs/cli.md are made from it. Options are named as in code; `expiresOn` is typed `--expires-on`.
 */
export interface CommandDescription<A extends Arguments, O extends Options> {
  /** One line, for lists of commands. */
  summary: string;
  /** What else one must know. */
  details?: string;
  arguments: A;
  options: O;
  examples: Example[];
  /** Returns the exit code; nothing is 0. */
  run(values: Values<A, O>, context: Context): Promise<number | undefined>;
}

export interface Command extends Omit<CommandDescription<Arguments, Options>, "run"> {
  run(values: Record<string, unknown>, context: Context): Promise<number | undefined>;
}

export function defineCommand<A extends Arguments, O extends Options>(description: CommandDescription<A, O>): Command {
  return description as unknown as Command;
}

/** `expiresOn` → `expires-on` */
export function typedName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
