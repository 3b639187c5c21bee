import type { BulkConsumersResult, BulkKeysResult } from "../../client/index.ts";
import type { Context } from "../arguments/command.ts";
import { flag, listOption, named } from "../arguments/values.ts";
import { reject } from "../connection/remote.ts";
import { keyWhereOption } from "../options/key-filter-options.ts";
import { whereOption } from "../options/where-option.ts";
import { counted, showList } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import { confirm } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";

type Result = BulkKeysResult | BulkConsumersResult;
type Item = Extract<Result, { matched: number }>["sample"][number];

/** What a command changes many of. */
interface Kind {
  noun: string;
  /** The field that identifies one, and the option that names several. */
  by: "id" | "name";
  /** The table of a preview. */
  columns: string[];
}

export const manyKeys: Kind = { noun: "key", by: "id", columns: ["id", "consumer", "key", "lastUsedOn", "createdOn"] };
export const manyConsumers: Kind = {
  noun: "consumer",
  by: "name",
  columns: ["name", "description", "tags", "createdOn"],
};

/** The options that select keys. */
export const manyKeysOptions = {
  where: keyWhereOption,
  id: listOption("the id of a key, instead of conditions", named("ID")),
  dryRun: flag("only list the keys that match"),
};

const text = (value: string) => value;

/** The options that select consumers. */
export const manyConsumersOptions = {
  where: whereOption({ q: text, "manager-email": text }, "q (the prefix of the name), manager-email"),
  name: listOption("the name of a consumer, instead of conditions", named("NAME")),
  dryRun: flag("only list the consumers that match"),
};

/** The conditions, or the ids or names if there are none. Throws unless exactly one of the options was given. */
export function selected<Where extends object, Name extends "id" | "name">(
  where: Where | undefined,
  by: Name,
  given: string[] | undefined,
) {
  if ((where === undefined) === (given === undefined)) throw new UsageError(`Give either --where or --${by}.`);
  return where ? { where } : ({ [`${by}s`]: given } as { [Field in `${Name}s`]: string[] });
}

interface ManyChange {
  /** The ids or names that were given. */
  given: string[] | undefined;
  dryRun: boolean;
  yes: boolean;
  json: boolean;
  preview(): Promise<Result>;
  send(): Promise<Result>;
  question(matched: number, keys: number): string;
  /** The verb of the summary, as in "Deleted 3 keys". */
  done: string;
}

/** Shows what matches, and changes it after a confirmation. */
export async function changeMany(
  kind: Kind,
  { given, dryRun, yes, json, preview, send, question, done }: ManyChange,
  context: Context,
): Promise<number | undefined> {
  const { terminal } = context;
  const found = await preview();
  const report = (result: Result, show: () => void, missingIn = result) => {
    if (json) terminal.printJson(result);
    else show();
    return reportMissing(missing(kind, missingIn, given), terminal);
  };
  if (dryRun) return report(found, () => showResult(kind, found, done, terminal));
  const { matched, keys = 0 }: { matched: number; keys?: number } = "matched" in found ? found : { matched: 0 };
  if (matched === 0) {
    const results = [...new Set(given)].map((value) => ({ [kind.by]: value, status: "not_found" }));
    return report({ results } as Result, () => terminal.note(`There are no such ${kind.noun}s.`), found);
  }
  if (!yes && !(await confirm(terminal, question(matched, keys)))) return reject(context);
  const result = await send();
  return report(result, () => showResult(kind, result, done, terminal), "jobId" in result ? found : result);
}

/** How a change without a confirmation, or its preview, is reported. */
export const changedConsumers = (done: string) => ({
  show(result: BulkConsumersResult, terminal: Terminal, { name }: { name: string[] | undefined }): void {
    showResult(manyConsumers, result, done, terminal);
    reportMissing(missing(manyConsumers, result, name), terminal);
  },
  exitCode: (result: BulkConsumersResult, { name }: { name: string[] | undefined }) =>
    missing(manyConsumers, result, name).length > 0 ? 1 : 0,
});

function showResult({ noun, columns }: Kind, result: Result, done: string, terminal: Terminal): void {
  if ("jobId" in result)
    terminal.note(`Started the job ${result.jobId}; tollgate jobs show ${result.jobId} shows its progress.`);
  else if ("results" in result) {
    const changed = result.results.filter(({ status }) => status !== "not_found").length;
    terminal.note(`${done} ${counted(changed, noun)}.`);
  } else {
    const rows = result.sample.map((item) => ("consumer" in item ? { ...item, consumer: item.consumer.name } : item));
    showList<Record<string, unknown>>(terminal, rows as Record<string, unknown>[], columns);
    const all = counted(result.matched, noun);
    const shown = rows.length < result.matched ? `${rows.length} of ${all}` : all;
    terminal.note(`${shown}${"keys" in result ? `, with ${counted(result.keys, "key")}` : ""}.`);
  }
}

/** The ids or names that a change or its preview did not find. */
function missing({ by }: Kind, result: Result, given: string[] | undefined): string[] {
  const nameOf = (item: Item | { id: string } | { name: string }) => (item as Record<typeof by, string>)[by];
  if ("results" in result) return result.results.filter(({ status }) => status === "not_found").map(nameOf);
  if (!("matched" in result) || !given) return [];
  const { matched, sample } = result;
  const wanted = [...new Set(given)];
  const found = sample.map(nameOf);
  if (matched === sample.length) return wanted.filter((name) => !found.includes(name));
  // A preview contains only the first few items.
  return matched < wanted.length ? [`${wanted.length - matched} of ${wanted.length}`] : [];
}

/** Returns the exit code. */
function reportMissing(names: string[], terminal: Terminal): number | undefined {
  if (names.length === 0) return undefined;
  terminal.note(`Not found: ${names.join(", ")}`);
  return 1;
}
