import type { Page, Tollgate } from "../../client/index.ts";
import {
  type Arguments,
  type Command,
  type Context,
  defineCommand,
  type Examples,
  type Group,
  type None,
  type Options,
  type Values,
} from "../arguments/command.ts";
import { flag, integer, option } from "../arguments/values.ts";
import { showList } from "../output/show.ts";
import { confirm } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { connectTo, type RemoteValues, reject, remoteCommand, remoteOptions, yesOption } from "./remote.ts";

/** A command that gets its words, such as `keys list`, for its examples. */
type Declared = (words: string) => Command;

/** The commands of a resource. */
export function group({
  name,
  commands,
  ...rest
}: Omit<Group, "commands"> & { name: string; commands: Record<string, Command | Declared> }): Group {
  const named = Object.entries(commands).map(([verb, command]): [string, Command] => [
    verb,
    typeof command === "function" ? command(`${name} ${verb}`) : command,
  ]);
  return { ...rest, commands: Object.fromEntries(named) };
}

interface ResourceDescription<Api, W extends Arguments, I extends Arguments, O extends Options> {
  /** One of them, with the article: "a key bucket". */
  one: string;
  /** The plural, if it is not formed with s. */
  many?: string;
  /** The first arguments of all its commands, such as the customer of grants. */
  within?: W;
  /** The argument that identifies one. */
  id?: I;
  /** The arguments of one in examples: "acme grnt_0QGzNqW81Kx8VhTb3mPcRdZu". */
  sample?: string;
  /** The options of all its commands. */
  options?: O;
  /** The part of the client that its commands call. */
  api(client: Tollgate, values: RemoteValues<W, O>): Api | Promise<Api>;
  /** The id of one, if its argument may also be a name. */
  idOf?(api: Api, given: string): Promise<string>;
}

/** An example that is only a text is that of the command with the sample of the resource. */
interface Shape<P extends Options> {
  summary?: string;
  details?: string;
  options?: P;
  examples: string | Examples;
}

interface Pages<Item> {
  page(): Promise<Page<Item>>;
  all(): Promise<Item[]>;
}
interface Listing<Item> {
  list(query: object): Pages<Item>;
}

type ItemOf<Api> = Api extends { list(options?: never): Pages<infer Item> } ? Item & object : never;
type QueryOf<Api> = Api extends { list(options?: infer Query): unknown } ? Query & object : object;
type OneOf<Api> = Api extends { get(id: string): Promise<infer One> } ? One & object : never;

const pagingOptions = {
  limit: option("the maximum number; 1000 by default, which is the maximum", integer),
  offset: option("the number of items to skip", integer),
  all: flag("all pages"),
};

type Paging = Values<None, Pick<typeof pagingOptions, "limit" | "offset">>;

interface ListDescription<Api, All, X extends Arguments, P extends Options, Item, Query> extends Shape<P> {
  /** Arguments after those of the resource. */
  arguments?: X;
  columns: (keyof Item & string)[];
  /** Maps an item to the fields of its table row, if they differ from the item's own. */
  row?(item: NoInfer<Item>): Partial<Record<keyof NoInfer<Item>, unknown>>;
  /** The plural noun for an empty list, if it is not that of the resource. */
  things?: string;
  /** The query for the options. */
  query?(values: All, api: Api, client: Tollgate): Query | Promise<Query>;
  /** All pages as CSV, one text per page. Adds the option --csv. */
  csv?(api: Api, query: NoInfer<Query> & Paging): AsyncIterable<string>;
}

interface CommandDescription<P extends Options, X extends Arguments, All, Call, Csv, Result> extends Shape<P> {
  summary: string;
  /** Arguments after those of the resource. */
  arguments?: X;
  /** Sends the request. */
  call: Call;
  /** Formats the response for people, by default all its fields; --json prints all of it. */
  show?(response: Result, terminal: Terminal, values: All): void;
  exitCode?(response: Result, values: All): number;
  /** The response as CSV. Adds the option --csv. */
  csv?: Csv;
}

/** Besides its resource, a command may use the rest of the client, the terminal and the environment. */
type Run = Context & { client: Tollgate };

interface DeleteDescription<P extends Options, All, Delete, Result> extends Shape<P> {
  /** What the deletion means, for the prompt: "which stops working immediately". */
  effect?: string | ((values: All) => string | undefined);
  /** What is deleted, if it is not the noun with its arguments. */
  what?(values: All): string;
  /** Sends the request; `api.delete` by default. */
  call?: Delete;
  show?(response: Result, terminal: Terminal): void;
}

/**
 * Declares the commands of a resource: what they share is described once. The types of values follow from the
 * descriptions; TypeScript cannot follow them through the generic functions, hence the casts.
 */
export function resource<Api, W extends Arguments = None, I extends Arguments = None, O extends Options = None>(
  described: ResourceDescription<Api, W, I, O>,
) {
  const { one, many = `${one.replace(/^an? /, "")}s`, within, id, sample = "", options, api, idOf } = described;
  const noun = one.replace(/^an? /, "");
  const idName = Object.keys(id ?? {})[0];
  const words = sample.split(" ");
  const parents = words.slice(0, Object.keys(within ?? {}).length).join(" ");

  const givenId = (values: object): string => (values as Record<string, string>)[idName!]!;
  const apiFor = (client: Tollgate, values: object) => api(client, values as RemoteValues<W, O>);
  const idFor = async (called: Api, values: object): Promise<string> =>
    idOf ? idOf(called, givenId(values)) : givenId(values);

  function shapeOf<P extends Options>({ examples, options: own, ...shape }: Shape<P>, line: string, last: string) {
    const command = ["tollgate", line, last].filter(Boolean).join(" ");
    return {
      ...shape,
      examples: typeof examples === "string" ? { [command]: examples } : examples,
      options: { ...options, ...own } as O & P,
    };
  }

  /** Lists them: the first page, or all pages. */
  function list<X extends Arguments = None, P extends Options = None>(
    description: ListDescription<Api, RemoteValues<W & X, O & P>, X, P, ItemOf<Api>, QueryOf<Api>>,
  ): Declared {
    return listOf({ ...description, read: (called, query) => (called as Listing<ItemOf<Api>>).list(query) });
  }

  /** A list that is not `api.list`. */
  function listOf<Item extends object, Query extends object, X extends Arguments = None, P extends Options = None>({
    arguments: more,
    columns,
    row,
    things = many,
    query,
    read,
    csv,
    ...shape
  }: ListDescription<Api, RemoteValues<W & X, O & P>, X, P, Item, Query> & {
    read(api: Api, query: NoInfer<Query> & Paging, client: Tollgate): Pages<Item> | Promise<Pages<Item>>;
  }): Declared {
    const filters = Object.entries(shape.options ?? {}).filter(
      ([name, { placeholder }]) => placeholder && name !== "sort",
    );
    const asked = async (client: Tollgate, values: object) => {
      const called = await apiFor(client, values);
      const { limit, offset } = values as Paging;
      const own = await query?.(values as RemoteValues<W & X, O & P>, called, client);
      return [called, { ...own, limit, offset } as Query & Paging] as const;
    };
    return (line) => {
      const { options: common, ...rest } = shapeOf(shape, line, parents);
      return remoteCommand({
        summary: `List ${many}`,
        ...rest,
        arguments: { ...within, ...more },
        options: { ...common, ...pagingOptions } as typeof pagingOptions,
        ...(csv && {
          csv: async (client: Tollgate, values: Values<None, typeof pagingOptions>) => {
            const pages = csv(...(await asked(client, values)));
            return values.all ? pages : firstOf(pages);
          },
        }),
        async call(client, values): Promise<Page<Item>> {
          const found = await read(...(await asked(client, values)), client);
          if (!values.all) return found.page();
          const data = await found.all();
          const { offset = 0 } = values;
          return { data, limit: data.length, offset, total: offset + data.length };
        },
        show({ data, offset, total }, terminal, values) {
          showList(
            terminal,
            data.map((item) => ({ ...item, ...row?.(item) })),
            columns,
          );
          const isFiltered = filters.some(([name]) => (values as Record<string, unknown>)[name] !== undefined);
          if (total === 0) terminal.note(`There are no ${isFiltered ? "such " : ""}${things}.`);
          else notePage(terminal, { first: offset, count: data.length, total, things });
        },
      });
    };
  }

  /** A command about all of them. */
  function command<Result extends object, X extends Arguments = None, P extends Options = None>(
    description: CommandDescription<
      P,
      X,
      RemoteValues<W & X, O & P>,
      (api: Api, values: RemoteValues<W & X, O & P>, run: Run) => Promise<Result>,
      (api: Api, values: RemoteValues<W & X, O & P>) => Promise<string>,
      Result
    >,
  ): Declared {
    const { call, csv, show, exitCode, arguments: more, ...shape } = description;
    type All = RemoteValues<W & X, O & P>;
    return (line) =>
      remoteCommand<Result>({
        ...shapeOf(shape, line, parents),
        summary: description.summary,
        arguments: { ...within, ...more },
        call: async (client, values, _terminal, context) =>
          call(await apiFor(client, values), values as unknown as All, { ...context, client }),
        ...(csv && {
          csv: async (client: Tollgate, values: object) => csv(await apiFor(client, values), values as All),
        }),
        ...(show && { show: (response, terminal, values) => show(response, terminal, values as unknown as All) }),
        ...(exitCode && { exitCode: (response, values) => exitCode(response, values as unknown as All) }),
      });
  }

  /** A command about one of them. */
  function action<Result extends object, X extends Arguments = None, P extends Options = None>(
    description: CommandDescription<
      P,
      X,
      RemoteValues<W & I & X, O & P>,
      (api: Api, id: string, values: RemoteValues<W & I & X, O & P>, run: Run) => Promise<Result>,
      (api: Api, id: string, values: RemoteValues<W & I & X, O & P>) => Promise<string>,
      Result
    >,
  ): Declared {
    const { call, csv, arguments: more, examples, ...rest } = description;
    type All = RemoteValues<W & I & X, O & P>;
    return (line) =>
      command({
        ...rest,
        examples: shapeOf({ examples }, line, sample).examples,
        arguments: { ...id, ...more } as I & X,
        call: async (called, values, run) => call(called, await idFor(called, values), values as unknown as All, run),
        ...(csv && {
          csv: async (called: Api, values: object) => csv(called, await idFor(called, values), values as All),
        }),
      } as Parameters<typeof command<Result, I & X, P>>[0])(line);
  }

  /** Shows one with all its fields. */
  function show<P extends Options = None>({
    summary = `Show ${one}`,
    ...rest
  }: Shape<P> & {
    show?(response: OneOf<Api>, terminal: Terminal, values: RemoteValues<W & I, O & P>): void;
  }): Declared {
    return action<OneOf<Api>, None, P>({
      summary,
      ...(rest as object as { examples: string }),
      call: (called, given) => (called as { get(id: string): Promise<OneOf<Api>> }).get(given),
    });
  }

  /** Deletes one, after a confirmation. */
  function remove<Result = void, P extends Options = None>({
    effect,
    what: phrase,
    call = (called, given) => (called as { delete(id: string): Promise<Result> }).delete(given),
    show: report,
    ...shape
  }: DeleteDescription<
    P,
    RemoteValues<W & I, O & P>,
    (api: Api, id: string, values: RemoteValues<W & I, O & P>) => Promise<Result>,
    Result
  >): Declared {
    type All = RemoteValues<W & I, O & P>;
    const whatOf = (values: All) => {
      const [parent] = Object.keys(within ?? {}).map((name) => (values as Record<string, unknown>)[name]);
      return phrase?.(values) ?? `the ${noun} ${givenId(values)}${parent === undefined ? "" : ` of ${parent}`}`;
    };
    const question = (values: All) =>
      [`Delete ${whatOf(values)}`, typeof effect === "function" ? effect(values) : effect].filter(Boolean).join(", ");
    return (line) => {
      const { options: common, ...rest } = shapeOf(shape, line, sample);
      return defineCommand({
        summary: `Delete ${one}`,
        ...rest,
        arguments: { ...within, ...id },
        options: { ...common, ...yesOption, ...remoteOptions },
        async run(given, context) {
          const { yes, json } = given as Values<None, typeof yesOption & typeof remoteOptions>;
          const values = given as unknown as All;
          const { terminal } = context;
          const client = await connectTo(given, context);
          if (!yes && !(await confirm(terminal, `${question(values)}?`))) return reject(context);
          const called = await apiFor(client, given);
          const result = await call(called, idName === undefined ? "" : await idFor(called, given), values);
          if (json && result !== undefined) terminal.printJson(result);
          else {
            terminal.note(`Deleted ${whatOf(values)}.`);
            report?.(result, terminal);
          }
        },
      });
    };
  }

  return { list, listOf, show, delete: remove, command, action };
}

/** What a list that was printed leaves out. */
function notePage(
  terminal: Terminal,
  { first, count, total, things }: { first: number; count: number; total: number; things: string },
): void {
  const last = first + count;
  if (count === 0) terminal.note(`There are ${total} ${things}, none of them after the first ${first}.`);
  else if (count < total) {
    const next = last < total ? `, continue with --offset ${last}` : "";
    terminal.note(`${first + 1} to ${last} of ${total}; --all shows all${next}.`, "dim");
  }
}

async function firstOf(pages: AsyncIterable<string>): Promise<string> {
  for await (const page of pages) return page;
  return "";
}
