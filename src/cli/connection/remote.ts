import type { List, Page, Tollgate, TollgateOptions } from "../../client/index.ts";
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
import { flag, integer, named, option } from "../arguments/values.ts";
import { showList, showResource } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import { confirm } from "../terminal/prompts.ts";
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

export interface RemoteDescription<A extends Arguments, O extends Options, Result>
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

async function printCsv(text: string | AsyncIterable<string>, { terminal }: Context): Promise<undefined> {
  for await (const lines of typeof text === "string" ? [text] : text) terminal.write(lines);
  return undefined;
}

type Pages<Item> = Pick<List<Item>, "page" | "all">;
type Listed<Item> = (keyof Item & string)[];

export interface ListDescription<A extends Arguments, O extends Options, Item extends object>
  extends Omit<CommandDescription<A, O>, "run"> {
  list(client: Tollgate, values: RemoteValues<A, O & typeof pagingOptions>): Pages<Item> | Promise<Pages<Item>>;
  columns: Listed<Item>;
  /** Maps an item to the fields of its table row, if they differ from the item's own. */
  row?(item: Item): Partial<Record<keyof Item, unknown>>;
  /** The plural noun for an empty list. */
  things: string;
  /** The options that filter the list. */
  filters?: (keyof O & string)[];
  /** All pages as CSV, one text per page. */
  csv?(client: Tollgate, values: RemoteValues<A, O & typeof pagingOptions>): Promise<AsyncIterable<string>>;
}

const pagingOptions = {
  limit: option("the maximum number; 1000 by default, which is the maximum", integer),
  offset: option("the number of items to skip", integer),
  all: flag("all pages"),
};

/** A command that prints a list: its first page, or all pages. */
export function listCommand<Item extends object, A extends Arguments = None, O extends Options = None>(
  description: ListDescription<A, O, Item>,
): Command {
  const { list, columns, row, things, filters = [], csv, ...shape } = description;
  return remoteCommand({
    ...shape,
    options: { ...shape.options, ...pagingOptions },
    ...(csv && {
      csv: async (client: Tollgate, given: RemoteValues<A, O & typeof pagingOptions>) => {
        const pages = await csv(client, given);
        return (given as Values<Arguments, typeof pagingOptions>).all ? pages : firstOf(pages);
      },
    }),
    async call(client, given): Promise<Page<Item>> {
      const { all, offset = 0 } = given as Values<Arguments, typeof pagingOptions>;
      const found = await list(client, given as RemoteValues<A, O & typeof pagingOptions>);
      if (!all) return found.page();
      const data = await found.all();
      return { data, limit: data.length, offset, total: offset + data.length };
    },
    show({ data, offset, total }, terminal, given) {
      showList(
        terminal,
        data.map((item) => ({ ...item, ...row?.(item) })),
        columns,
      );
      const last = offset + data.length;
      const isFiltered = filters.some((name) => (given as Record<string, unknown>)[name] !== undefined);
      if (total === 0) terminal.note(`There are no ${isFiltered ? "such " : ""}${things}.`);
      else if (data.length === 0)
        terminal.note(`There are ${total} ${things}, none of them after the first ${offset}.`);
      else if (data.length < total) {
        const next = last < total ? `, continue with --offset ${last}` : "";
        terminal.note(terminal.noteStyle("dim", `${offset + 1} to ${last} of ${total}; --all shows all${next}.`));
      }
    },
  });
}

async function firstOf(pages: AsyncIterable<string>): Promise<string> {
  for await (const page of pages) return page;
  return "";
}

export interface DeleteDescription<A extends Arguments, O extends Options>
  extends Omit<CommandDescription<A, O>, "run"> {
  /** What would be deleted, as the end of a prompt: "the key key_1, which stops working immediately". */
  what(values: RemoteValues<A, O>): string;
  /** The verb in the prompt and in the result, if it is not "delete". */
  verb?: { prompt: string; done: string };
  delete(client: Tollgate, values: RemoteValues<A, O>): Promise<void>;
}

/** A command that deletes, after a confirmation. */
export function deleteCommand<A extends Arguments = None, O extends Options = None>(
  description: DeleteDescription<A, O>,
): Command {
  const { what, verb = { prompt: "Delete", done: "Deleted" }, delete: remove, ...shape } = description;
  return defineCommand({
    ...shape,
    options: { ...shape.options, ...yesOption, ...remoteOptions },
    async run(given, context) {
      const values = given as Values<A, O & Remote & typeof yesOption>;
      const client = await connectTo(values, context);
      if (!values.yes && !(await confirm(context.terminal, `${verb.prompt} ${what(values)}?`))) return reject(context);
      await remove(client, values);
      context.terminal.note(`${verb.done} ${what(values).split(",")[0]}.`);
      return undefined;
    },
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
