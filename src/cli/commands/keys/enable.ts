import { defineCommand } from "../../arguments/command.ts";
import { changeManyKeys, manyKeysOptions } from "../../bulk-changes/many-keys.ts";
import { counted } from "../../output/show.ts";
import { UsageError } from "../../process/usage-error.ts";

export const command = defineCommand({
  summary: "Enable many keys that are disabled: they work again immediately",
  details:
    "Of the keys that match, only the disabled ones are changed. Shows how many would be enabled and asks for confirmation. More than 1,000 are a job, which `tollgate jobs show` follows.",
  arguments: {},
  options: manyKeysOptions,
  examples: [
    { command: "tollgate keys enable --where tag.plan=free --dry-run", text: "The keys that would be enabled." },
    { command: "tollgate keys enable --where tag.plan=free", text: "Asks first." },
  ],
  run({ where, ...values }, context) {
    if (where?.enabled === true) throw new UsageError("Keys with enabled=true are already enabled.");
    return changeManyKeys({ ...values, where: where && { ...where, enabled: false } }, context, {
      question: (matched) =>
        `Enable ${counted(matched, "key")}, which ${matched === 1 ? "works" : "work"} again immediately?`,
      done: "Enabled",
      set: { isEnabled: true },
    });
  },
});
