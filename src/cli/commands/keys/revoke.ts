import { defineCommand } from "../../arguments/command.ts";
import { changeManyKeys, manyKeysOptions } from "../../bulk-changes/many-keys.ts";
import { counted } from "../../output/show.ts";

export const command = defineCommand({
  summary: "Delete many keys: they stop working immediately",
  details:
    "Shows how many would be deleted and asks for confirmation. More than 1,000 are a job, which `tollgate jobs show` follows. To be able to undo it, use `tollgate keys disable` instead.",
  arguments: {},
  options: manyKeysOptions,
  examples: [
    { command: "tollgate keys revoke --where unused-since=90d --dry-run", text: "The keys that would be deleted." },
    { command: "tollgate keys revoke --where unused-since=90d --where tag.plan=free", text: "Asks first." },
  ],
  run(values, context) {
    return changeManyKeys(values, context, {
      question: (matched) =>
        `Delete ${counted(matched, "key")}, which ${matched === 1 ? "stops" : "stop"} working immediately?`,
      done: "Deleted",
    });
  },
});
