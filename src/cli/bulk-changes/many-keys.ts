import type { BulkKeysResult, KeyWhere } from "../../client/index.ts";
import type { Context } from "../arguments/command.ts";
import { flag, listOption, named } from "../arguments/values.ts";
import { connectTo, reject, remoteOptions, yesOption } from "../connection/remote.ts";
import { bucketOption } from "../options/key-bucket-options.ts";
import { keyWhereOption } from "../options/key-filter-options.ts";
import { counted, showList } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import { confirm } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { missingIn, reportMissing } from "./missing.ts";

/** The options of commands that change many keys: the selection and --dry-run. */
export const manyKeysOptions = {
  ...bucketOption,
  where: keyWhereOption,
  id: listOption("the id of a key, instead of conditions", named("ID")),
  dryRun: flag("only list the keys that match"),
  ...yesOption,
  ...remoteOptions,
};

interface ManyKeysValues {
  bucket: string;
  where: KeyWhere | undefined;
  id: string[];
  dryRun: boolean;
  yes: boolean;
  json: boolean;
}

interface ManyKeysChange {
  /** The confirmation prompt. */
  question: (matched: number) => string;
  /** The verb of the summary, as in "Deleted 3 keys". */
  done: string;
  /** Absent if the keys are deleted. */
  set?: { isEnabled: boolean };
}

export async function changeManyKeys(
  { bucket, where, id, dryRun, yes, json, ...target }: ManyKeysValues,
  context: Context,
  { question, done, set }: ManyKeysChange,
): Promise<number | undefined> {
  const { terminal } = context;
  if ((where === undefined) === (id.length === 0)) throw new UsageError("Give either --where or --id.");
  const keys = (await connectTo(target, context)).bucketKeys(bucket);
  const meant = where === undefined ? { ids: id } : { where };
  const preview = await keys.delete({ ...meant, dryRun: true });
  const missingOf = (found: BulkKeysResult) => missingIn<{ id: string }>(found, id, (key) => key.id);
  if (dryRun) {
    if (json) terminal.printJson(preview);
    else showPreview(preview, terminal);
    return reportMissing(missingOf(preview), terminal);
  }
  const matched = "matched" in preview ? preview.matched : 0;
  if (matched === 0) {
    if (json) terminal.printJson({ results: [...new Set(id)].map((id) => ({ id, status: "not_found" })) });
    else terminal.note("There are no such keys.");
    return reportMissing(missingOf(preview), terminal);
  }
  if (!yes && !(await confirm(terminal, question(matched)))) return reject(context);
  const result = await (set ? keys.update({ ...meant, set }) : keys.delete(meant));
  if (json) terminal.printJson(result);
  else terminal.note(summaryOf(result, done));
  return reportMissing(missingOf("jobId" in result ? preview : result), terminal);
}

function showPreview(preview: BulkKeysResult, terminal: Terminal): void {
  if (!("matched" in preview)) return;
  showList(
    terminal,
    preview.sample.map((key) => ({ ...key, consumer: key.consumer.name })),
    ["id", "consumer", "key", "lastUsedOn", "createdOn"],
  );
  const { length } = preview.sample;
  terminal.note(length < preview.matched ? `${length} of ${preview.matched} keys.` : `${counted(length, "key")}.`);
}

function summaryOf(result: BulkKeysResult, done: string): string {
  if ("jobId" in result)
    return `Started the job ${result.jobId}; tollgate jobs show ${result.jobId} shows its progress.`;
  const changed = "results" in result ? result.results.filter(({ status }) => status !== "not_found").length : 0;
  return `${done} ${counted(changed, "key")}.`;
}
