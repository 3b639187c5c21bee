import { defineCommand } from "../../arguments/command.ts";
import {
  bulkSummaryOf,
  manyConsumersOptions,
  missingConsumers,
  selectedConsumers,
  showPreview,
} from "../../bulk-changes/many-consumers.ts";
import { reportMissing } from "../../bulk-changes/missing.ts";
import { connectTo, reject, remoteOptions, yesOption } from "../../connection/remote.ts";
import { bucketOption } from "../../options/key-bucket-options.ts";
import { counted } from "../../output/show.ts";
import { confirm } from "../../terminal/prompts.ts";

export const command = defineCommand({
  summary: "Delete many consumers: their keys stop working immediately",
  details:
    "Shows how many would be deleted and asks for confirmation. More than 1,000 are a job, which `tollgate jobs show` follows.",
  arguments: {},
  options: { ...bucketOption, ...manyConsumersOptions, ...yesOption, ...remoteOptions },
  examples: [
    {
      command: "tollgate consumers purge --where tag.plan=trial --dry-run",
      text: "The consumers that would be deleted.",
    },
    { command: "tollgate consumers purge --where tag.plan=trial --where q=test-", text: "Asks first." },
  ],
  async run({ bucket, where, name, dryRun, yes, json, ...target }, context) {
    const { terminal } = context;
    const meant = selectedConsumers(where, name);
    const consumers = (await connectTo(target, context)).consumers(bucket);
    const preview = await consumers.deleteMany({ ...meant, dryRun: true });
    if (dryRun) {
      if (json) terminal.printJson(preview);
      else showPreview(preview, terminal);
      return reportMissing(missingConsumers(preview, name), terminal);
    }
    const { matched, keys } = "matched" in preview ? preview : { matched: 0, keys: 0 };
    if (matched === 0) {
      if (json) terminal.printJson({ results: [...new Set(name)].map((name) => ({ name, status: "not_found" })) });
      else terminal.note("There are no such consumers.");
      return reportMissing(missingConsumers(preview, name), terminal);
    }
    const question = `Delete ${counted(matched, "consumer")} with ${counted(keys, "key")}, which ${keys === 1 ? "stops" : "stop"} working immediately?`;
    if (!yes && !(await confirm(terminal, question))) return reject(context);
    const result = await consumers.deleteMany(meant);
    if (json) terminal.printJson(result);
    else terminal.note(bulkSummaryOf(result, "Deleted"));
    return reportMissing(missingConsumers("jobId" in result ? preview : result, name), terminal);
  },
});
