import { stringify } from "yaml";
import type { ConfigurationDump, ConfigurationPlan, Tollgate } from "../../client/index.ts";
import { type Context, defineCommand } from "../arguments/command.ts";
import { flag, named, option } from "../arguments/values.ts";
import { applyPlanOptions, planFiles } from "../configuration-files/plan-files.ts";
import { applySummaryOf, planLink, showSteps } from "../configuration-files/show-apply-plan.ts";
import { clientFor, findServer } from "../connection/connect.ts";
import { explain } from "../connection/explain.ts";
import { connectTo, reject, remoteOptions, yesOption } from "../connection/remote.ts";
import { activeDomain, findDomain } from "../output/domains.ts";
import { counted } from "../output/show.ts";
import { exitCodes } from "../process/exit-codes.ts";
import { confirm } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const dump = defineCommand({
  summary: "Print an account's configuration as YAML",
  details: `Key buckets, metering buckets, plans, credit packs, webhooks, domains, variables, portals and exports, by name, and the settings of billing. Secrets are references to environment
variables of the same name. Consumers, keys and subscriptions are not part of it.`,
  options: {
    from: option("the profile to read from, whatever TOLLGATE_URL is set to", named("NAME")),
    ...remoteOptions,
  },
  examples: {
    "tollgate dump > tollgate.yaml": "To begin with: keep it in git.",
    "tollgate dump --from staging | tollgate apply --file - --file production.yaml --profile production":
      "Copies an environment, with the differences of production.",
  },
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

/** As in diff(1): 1 is a difference, so a failure is 2. */
const trouble = 2;

export const diff = defineCommand({
  summary: "Show what an apply would change",
  details:
    "Changes nothing. The exit code is 0 without differences, 1 with differences and 2 after an error, as in diff(1).",
  options: { ...applyPlanOptions, ...remoteOptions },
  examples: {
    "tollgate diff": "What tollgate.yaml would change.",
    "tollgate diff --as shop --prune": "Including what it would delete.",
  },
  async run({ json, file, as, prune, ...target }, context: Context) {
    try {
      const { url } = await findServer(target, context);
      const { plan } = await planFiles(await connectTo(target, context), { file, as, prune }, context);
      if (json) context.terminal.printJson(plan);
      else {
        showSteps(plan, context.terminal);
        if (plan.steps.length === 0) context.terminal.note("There are no differences.");
        else context.terminal.note(`${applySummaryOf(plan)}: ${planLink(url, plan)}`);
      }
      return plan.steps.length === 0 ? 0 : 1;
    } catch (error) {
      const code = explain(error, context, "diff");
      return code === exitCodes.failed ? trouble : code;
    }
  },
});

export const apply = defineCommand({
  summary: "Make an account match a configuration",
  details: `Prints the steps and asks before it applies them, all or none. Kinds of resources that the files do not mention are not
touched. Values of secrets come from the environment variables that the files name.`,
  options: {
    ...applyPlanOptions,
    wait: flag("wait until new domains are proven in DNS, at most 15 minutes each"),
    ...yesOption,
    ...remoteOptions,
  },
  examples: {
    "tollgate apply": "Applies tollgate.yaml, after a look at the steps.",
    "tollgate apply --file base.yaml --file production.yaml --as shop --prune --yes":
      "In CI: an overlay, and deletions of what is no longer there.",
  },
  async run({ json, yes, wait, file, as, prune, ...target }, context: Context) {
    const { terminal } = context;
    const client = await connectTo(target, context);
    const { plan, configuration } = await planFiles(client, { file, as, prune }, context);
    const end = () => (wait ? waitForDomains(client, Object.keys(configuration.domains ?? {}), context) : 0);
    if (plan.steps.length === 0) {
      if (json) terminal.printJson(plan);
      else terminal.print("Nothing to change.");
      return end();
    }
    if (!json) showSteps(plan, terminal);
    if (!yes && !(await confirm(terminal, `Apply ${counted(plan.steps.length, "step")} (${applySummaryOf(plan)})?`)))
      return reject(context);
    const applied = await client.configuration.apply(plan.planId);
    if (json) terminal.printJson(applied);
    else {
      terminal.note(`Applied ${counted(applied.steps.length, "step")}.`);
      await notePortals(client, applied, terminal);
    }
    return end();
  },
});

/** The addresses of portals that are new. */
async function notePortals(client: Tollgate, { steps }: ConfigurationPlan, terminal: Terminal): Promise<void> {
  for (const { name } of steps.filter(({ kind, action }) => kind === "portals" && action === "create"))
    terminal.note(`The portal of ${name}: ${(await client.portal(name).get()).url}`);
}

/** Waits also for domains of an earlier apply. Returns the exit code: 1 if a domain is not proven in time. */
async function waitForDomains(client: Tollgate, hosts: string[], { terminal }: Context): Promise<number> {
  let exitCode = 0;
  for (const host of hosts) {
    const { status } = await activeDomain(client.domains, await findDomain(client.domains, host), terminal);
    terminal.note(`${host}: ${status}`);
    if (status === "pending") exitCode = 1;
  }
  return exitCode;
}
