import type { BulkKeysResult } from "../../../client/index.ts";
import { defineCommand } from "../../support/command.ts";
import { bucketOption } from "../../support/key-bucket-options.ts";
import { keyWhereOption } from "../../support/key-filter.ts";
import { confirm } from "../../support/prompts.ts";
import { connectTo, reject, remoteOptions, yesOption } from "../../support/remote.ts";
import { showList } from "../../support/show.ts";
import type { Terminal } from "../../support/terminal.ts";
import { UsageError } from "../../support/usage-error.ts";
import { flag, listOption, named } from "../../support/values.ts";

export const command = defineCommand({
  summary: "Delete or disable many keys: they stop working at once",
  details:
    "Shows how many would be revoked and asks for confirmation. More than 1,000 are a job, which `tollgate jobs show` follows.",
  arguments: {},
  options: {
    ...bucketOption,
    where: keyWhereOption,
    id: listOption("the id of a key, instead of conditions", named("ID")),
    disable: flag("disable them instead, so that they can be enabled again"),
    dryRun: flag("only list which keys it would be"),
    ...yesOption,
    ...remoteOptions,
  },
  examples: [
    { command: "tollgate keys revoke --where unused-since=90d --dry-run", text: "What would go." },
    { command: "tollgate keys revoke --where unused-since=90d --where tag.plan=free --disable", text: "Asks first." },
  ],
  async run({ bucket, where, id, disable, dryRun, yes, json, ...target }, context) {
    const { terminal } = context;
    if ((where === undefined) === (id.length === 0)) throw new UsageError("Give either --where or --id.");
    const keys = (await connectTo(target, context)).bucketKeys(bucket);
    const meant = where === undefined ? { ids: id } : { where };
    const preview = await keys.delete({ ...meant, dryRun: true });
    const matched = "matched" in preview ? preview.matched : 0;
    if (dryRun) {
      if (json) terminal.printJson(preview);
      else showPreview(preview, terminal);
      return undefined;
    }
    const verb = disable ? "Disable" : "Delete";
    if (!yes && !(await confirm(terminal, `${verb} ${matched} keys, which stop working at once?`)))
      return reject(context);
    const result = await (disable ? keys.update({ ...meant, set: { isEnabled: false } }) : keys.delete(meant));
    if (json) terminal.printJson(result);
    else terminal.note(summaryOf(result, disable));
    return undefined;
  },
});

function showPreview(preview: BulkKeysResult, terminal: Terminal): void {
  if (!("matched" in preview)) return;
  showList(
    terminal,
    preview.sample.map((key) => ({ ...key, consumer: key.consumer.name })),
    ["id", "consumer", "key", "lastUsedOn", "createdOn"],
  );
  const { length } = preview.sample;
  terminal.note(length < preview.matched ? `${length} of ${preview.matched} keys.` : `${length} keys.`);
}

function summaryOf(result: BulkKeysResult, disable: boolean): string {
  if ("jobId" in result)
    return `Started the job ${result.jobId}; tollgate jobs show ${result.jobId} shows its progress.`;
  const done = "results" in result ? result.results.filter(({ status }) => status !== "not_found").length : 0;
  return `${disable ? "Disabled" : "Deleted"} ${done} keys.`;
}
