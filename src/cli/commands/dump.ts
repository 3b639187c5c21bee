import { stringify } from "yaml";
import type { ConfigurationDump } from "../../client/index.ts";
import { defineCommand } from "../arguments/command.ts";
import { named, option } from "../arguments/values.ts";
import { clientFor, findServer } from "../connection/connect.ts";
import { remoteOptions } from "../connection/remote.ts";
import { counted } from "../output/show.ts";

export const command = defineCommand({
  summary: "Print an account's configuration as YAML",
  details: `Key buckets, metering buckets, plans, credit packs, webhooks, domains, variables, portals and exports, by name, and the settings of billing. Secrets are references to environment
variables of the same name. Consumers, keys and subscriptions are not part of it.`,
  arguments: {},
  options: {
    from: option("the profile to read from, whatever TOLLGATE_URL is set to", named("NAME")),
    ...remoteOptions,
  },
  examples: [
    { command: "tollgate dump > tollgate.yaml", text: "To begin with: keep it in git." },
    {
      command: "tollgate dump --from staging | tollgate apply --file - --file production.yaml --profile production",
      text: "Copies an environment, with the differences of production.",
    },
  ],
  async run({ from, json, ...target }, context) {
    const { terminal } = context;
    const { TOLLGATE_URL: _, TOLLGATE_TOKEN: __, ...profilesOnly } = context.environment;
    const server =
      from === undefined
        ? await findServer(target, context)
        : await findServer({ ...target, profile: from }, { ...context, environment: profilesOnly });
    const dump = await clientFor(server, { account: target.account }).configuration.get();
    if (json) terminal.printJson(dump.configuration);
    else {
      terminal.print(`# yaml-language-server: $schema=${server.url}/schemas/configuration.json`);
      terminal.write(stringify(dump.configuration, { lineWidth: 0 }));
    }
    for (const note of notesOn(dump)) terminal.note(note);
    return undefined;
  },
});

const nameCommands: Record<string, [noun: string, command: string]> = {
  webhooks: ["webhook", "tollgate webhooks update ID --name NAME"],
  meteringBuckets: ["metering bucket", "tollgate metering update ID --name NAME"],
};

function notesOn({ unnamed }: ConfigurationDump): string[] {
  return Object.entries(unnamed).map(([kind, count]) => {
    const [noun, command] = nameCommands[kind] ?? [kind, "a name"];
    return `Left out: ${counted(count, noun)} without a name. To include it: ${command}`;
  });
}
