import { defineCommand } from "../../support/command.ts";
import { changeManyKeys, manyKeysOptions } from "../../support/many-keys.ts";
import { counted } from "../../support/show.ts";
import { flag } from "../../support/values.ts";

export const command = defineCommand({
  summary: "Delete or disable many keys: they stop working at once",
  details:
    "Shows how many would be revoked and asks for confirmation. More than 1,000 are a job, which `tollgate jobs show` follows.",
  arguments: {},
  options: {
    ...manyKeysOptions,
    disable: flag("disable them instead, so that they can be enabled again"),
  },
  examples: [
    { command: "tollgate keys revoke --where unused-since=90d --dry-run", text: "What would go." },
    { command: "tollgate keys revoke --where unused-since=90d --where tag.plan=free --disable", text: "Asks first." },
  ],
  run({ disable, ...values }, context) {
    const question = (matched: number) =>
      `${disable ? "Disable" : "Delete"} ${counted(matched, "key")}, which ${matched === 1 ? "stops" : "stop"} working at once?`;
    const change = disable ? { done: "Disabled", set: { isEnabled: false } } : { done: "Deleted" };
    return changeManyKeys(values, context, { question, ...change });
  },
});
