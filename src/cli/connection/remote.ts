import { type Tollgate, TollgateError, type TollgateOptions } from "../../client/index.ts";
import {
  type Arguments,
  type Command,
  type CommandDescription,
  type Context,
  defineCommand,
  type None,
  type Options,
  type Values,
} from "../arguments/command.ts";
import { flag, named, option } from "../arguments/values.ts";
import { showResource } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { connect } from "./connect.ts";

/** The options that select the server and the account. */
export const targetOptions = {
  profile: option("the profile of the server to call", named("NAME")),
  account: option("the account; required for the operator", named("NAME")),
};

/** The options of every command that calls a server. */
export const remoteOptions = {
  ...targetOptions,
  json: flag("print the API's response as JSON"),
};

/** Whether the option is shared by all commands that call a server; `login --profile` is not. */
export function isSharedOption(name: string, { options }: Command): boolean {
  return name in remoteOptions && Object.keys(remoteOptions).every((shared) => shared in options);
}

export const yesOption = { yes: flag("do not ask for confirmation", "y") };

type Remote = typeof remoteOptions;
export type RemoteValues<A extends Arguments, O extends Options> = Values<A, O & Remote>;

interface RemoteDescription<A extends Arguments, O extends Options, Result>
  extends Omit<CommandDescription<A, O>, "run"> {
  /** Sends the request. */
  call(client: Tollgate, values: RemoteValues<A, O>, terminal: Terminal, context: Context): Promise<Result>;
  /** Formats the response for people, by default all its fields; --json prints all of it. */
  show?(response: Result, terminal: Terminal, values: RemoteValues<A, O>): void;
  exitCode?(response: Result, values: RemoteValues<A, O>): number;
  /** The response as CSV, in chunks. Adds the option --csv. */
  csv?(client: Tollgate, values: RemoteValues<A, O>): Promise<string | AsyncIterable<string>>;
}

const csvOption = { csv: flag("print the response as CSV") };

/** A command that sends one request and shows the response. */
export function remoteCommand<Result extends object, A extends Arguments = None, O extends Options = None>(
  description: RemoteDescription<A, O, Result>,
): Command {
  const { call, show = showFields, exitCode, csv, ...shape } = description;
  return defineCommand({
    ...shape,
    options: { ...shape.options, ...(csv ? csvOption : {}), ...remoteOptions },
    async run(given, context) {
      const values = given as RemoteValues<A, O>;
      const client = await connectTo(values, context);
      if (csv && (given as unknown as Values<None, typeof csvOption>).csv) {
        if (values.json) throw new UsageError("Choose --csv or --json, not both.");
        return printCsv(await csv(client, values), context);
      }
      const response = await call(client, values, context.terminal, context);
      if (values.json) context.terminal.printJson(response);
      else show(response, context.terminal, values);
      return exitCode?.(response, values);
    },
  });
}

async function printCsv(text: string | AsyncIterable<string>, { terminal }: Context): Promise<void> {
  for await (const lines of typeof text === "string" ? [text] : text) terminal.write(lines);
}

/** Undefined if the resource does not exist. */
export function ifFound<Found>(call: Promise<Found>, statuses = [404]): Promise<Found | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof TollgateError && statuses.includes(error.status)) return undefined;
    throw error;
  });
}

export function reject({ terminal }: Context): number {
  terminal.note("Nothing was changed.");
  return 1;
}

/** The default format of a resource. */
export function showFields(response: object, terminal: Terminal): void {
  showResource(terminal, response);
}

/** The option types guarantee it, but TypeScript cannot infer it through the generic types. */
export function connectTo(values: object, context: Context, options?: Partial<TollgateOptions>): Promise<Tollgate> {
  return connect(values as { profile?: string; account?: string }, context, options);
}
