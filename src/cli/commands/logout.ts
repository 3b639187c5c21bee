import { defineCommand } from "../arguments/command.ts";
import { named, option } from "../arguments/values.ts";
import { Profiles } from "../connection/profiles.ts";
import { UsageError } from "../process/usage-error.ts";

export const command = defineCommand({
  summary: "Remove the saved address and token of a server",
  details: "The token itself keeps working until it is deleted: tollgate tokens delete.",
  arguments: {},
  options: { profile: option("the profile; by default the one in use", named("NAME")) },
  examples: [
    { command: "tollgate logout", text: "The profile in use." },
    { command: "tollgate logout --profile staging", text: "That one." },
  ],
  async run({ profile }, { terminal, environment }) {
    const kept = new Profiles(environment);
    const { current, profiles } = await kept.read();
    const name = profile ?? current;
    if (name === undefined || !profiles[name])
      throw new UsageError(name === undefined ? "You are not logged in." : `There is no profile "${name}".`);
    await kept.remove(name);
    const { current: next } = await kept.read();
    terminal.note(`Removed profile ${name}.${next === undefined ? "" : ` The current profile is now ${next}.`}`);
    return undefined;
  },
});
