import type { ConfigurationPlan, Tollgate } from "../../client/index.ts";
import { type Context, defineCommand } from "../arguments/command.ts";
import { flag } from "../arguments/values.ts";
import { applyPlanOptions, planFiles } from "../configuration-files/plan-files.ts";
import { applySummaryOf, showSteps } from "../configuration-files/show-apply-plan.ts";
import { connectTo, reject, remoteOptions, yesOption } from "../connection/remote.ts";
import { activeDomain, findDomain } from "../output/domains.ts";
import { counted } from "../output/show.ts";
import { confirm } from "../terminal/prompts.ts";
import type { Terminal } from "../terminal/terminal.ts";

export const command = defineCommand({
  summary: "Make an account match a configuration",
  details: `Prints the steps and asks before it applies them, all or none. Kinds of resources that the files do not mention are not
touched. Values of secrets come from the environment variables that the files name.`,
  arguments: {},
  options: {
    ...applyPlanOptions,
    wait: flag("wait until new domains are proven in DNS, at most 15 minutes each"),
    ...yesOption,
    ...remoteOptions,
  },
  examples: [
    { command: "tollgate apply", text: "Applies tollgate.yaml, after a look at the steps." },
    {
      command: "tollgate apply --file base.yaml --file production.yaml --as shop --prune --yes",
      text: "In CI: an overlay, and deletions of what is no longer there.",
    },
  ],
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
    const { status } = await activeDomain(client, await findDomain(client, host), terminal);
    terminal.note(`${host}: ${status}`);
    if (status === "pending") exitCode = 1;
  }
  return exitCode;
}
