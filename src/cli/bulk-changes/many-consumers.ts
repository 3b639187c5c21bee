import type { BulkConsumersResult, ConsumerWhere } from "../../client/index.ts";
import { flag, listOption, named } from "../arguments/values.ts";
import { whereOption } from "../options/where-option.ts";
import { counted, showList } from "../output/show.ts";
import { UsageError } from "../process/usage-error.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { missingIn, reportMissing } from "./missing.ts";

const text = (value: string) => value;
const where = whereOption({ q: text, "manager-email": text }, "q (the prefix of the name), manager-email");

/** The options that select consumers. */
export const manyConsumersOptions = {
  where,
  name: listOption("the name of a consumer, instead of conditions", named("NAME")),
  dryRun: flag("only list the consumers that match"),
};

export function selectedConsumers(where: ConsumerWhere | undefined, names: string[]) {
  if ((where === undefined) === (names.length === 0)) throw new UsageError("Give either --where or --name.");
  return where === undefined ? { names } : { where };
}

/** How a change of many consumers is reported. */
export const changedConsumers = (done: string) => ({
  show(result: BulkConsumersResult, terminal: Terminal, { name }: { name: string[] }): void {
    if ("matched" in result) showPreview(result, terminal);
    else terminal.note(bulkSummaryOf(result, done));
    reportMissing(missingConsumers(result, name), terminal);
  },
  exitCode: (result: BulkConsumersResult, { name }: { name: string[] }) =>
    missingConsumers(result, name).length > 0 ? 1 : 0,
});

export function missingConsumers(result: BulkConsumersResult, names: string[]): string[] {
  return missingIn<{ name: string }>(result, names, ({ name }) => name);
}

export function showPreview(preview: BulkConsumersResult, terminal: Terminal): void {
  if (!("matched" in preview)) return;
  showList(terminal, preview.sample, ["name", "description", "tags", "createdOn"]);
  const { length } = preview.sample;
  const all = counted(preview.matched, "consumer");
  terminal.note(`${length < preview.matched ? `${length} of ${all}` : all}, with ${counted(preview.keys, "key")}.`);
}

export function bulkSummaryOf(result: BulkConsumersResult, done: string): string {
  if ("jobId" in result)
    return `Started the job ${result.jobId}; tollgate jobs show ${result.jobId} shows its progress.`;
  const results = "results" in result ? result.results : [];
  return `${done} ${counted(results.filter(({ status }) => status !== "not_found").length, "consumer")}.`;
}
