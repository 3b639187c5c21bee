import { defineCommand } from "../support/command.ts";
import { Profiles } from "../support/profiles.ts";
import { UsageError } from "../support/usage-error.ts";
import { named, option } from "../support/values.ts";

export const command = defineCommand({
  summary: "Forget a server and its token",
  details: "The token itself goes on working until it is deleted: tollgate tokens delete.",
  arguments: {},
  options: { profile: option("which one; by default the one in use", named("NAME")) },
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
    terminal.note(`Forgot profile ${name}.${next === undefined ? "" : ` Profile ${next} is in use now.`}`);
    return undefined;
  },
});
