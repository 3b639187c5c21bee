import { defineCommand } from "../../arguments/command.ts";
import { changeManyKeys, manyKeysOptions } from "../../bulk-changes/many-keys.ts";
import { counted } from "../../output/show.ts";

export const command = defineCommand({
  summary: "Disable many keys: they stop working immediately, and can be enabled again",
  details:
    "Shows how many would be disabled and asks for confirmation. More than 1,000 are a job, which `tollgate jobs show` follows.",
  arguments: {},
  options: manyKeysOptions,
  examples: [
    { command: "tollgate keys disable --where unused-since=90d --where tag.plan=free", text: "Asks first." },
    { command: "tollgate keys disable --id key_0QGzNqW81Kx8VhTb3mPcRdZu", text: "One key of any consumer." },
  ],
  run(values, context) {
    return changeManyKeys(values, context, {
      question: (matched) =>
        `Disable ${counted(matched, "key")}, which ${matched === 1 ? "stops" : "stop"} working immediately?`,
      done: "Disabled",
      set: { isEnabled: false },
    });
  },
});
