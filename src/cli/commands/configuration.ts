import { parse, stringify } from "yaml";
import type {
  Configuration,
  ConfigurationDump,
  ConfigurationPlan,
  ConfigurationStep,
  Tollgate,
} from "../../client/index.ts";
import type { Environment } from "../../config/config.ts";
import { isJsonObject } from "../../lib/text/json-object.ts";
import { type Context, defineCommand, type None, type Values } from "../arguments/command.ts";
import { flag, listOption, named, option } from "../arguments/values.ts";
import { clientFor, findServer } from "../connection/connect.ts";
import { explain } from "../connection/explain.ts";
import { connectTo, reject, remoteOptions, yesOption } from "../connection/remote.ts";
import { activeDomain, findDomain } from "../output/domains.ts";
import { counted, printable } from "../output/show.ts";
import { exitCodes } from "../process/exit-codes.ts";
import { yamlErrorText } from "../process/file-errors.ts";
import { UsageError } from "../process/usage-error.ts";
import { textOf } from "../terminal/input-file.ts";
import { confirm } from "../terminal/prompts.ts";
import type { Style, Terminal } from "../terminal/terminal.ts";

const defaultFile = "tollgate.yaml";

const fileOption = {
  file: listOption(
    `the configuration, - for standard input (default: ${defaultFile}); later files overlay earlier ones`,
    named("FILE", "file"),
  ),
};

/** The options of a plan. */
const applyPlanOptions = {
  ...fileOption,
  as: option("mark what is created with this name", named("NAME")),
  prune: flag("also delete what an apply with the same --as created and the file no longer has"),
};

export const dump = defineCommand({
  summary: "Print an account's configuration as YAML",
  details: `Key buckets, metering buckets, plans, credit packs, webhooks, domains, variables, portals and exports, by name, and the settings of billing. Secrets are references to environment
variables of the same name. Consumers, keys and subscriptions are not part of it.`,
  options: {
    from: option("the profile to read from, whatever TOLLGATE_URL is set to", named("NAME")),
    ...remoteOptions,
  },
  examples: {
    "tollgate dump > tollgate.yaml": "Keep the file in git.",
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
      const code = await explain(error, context, "diff");
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

const marks: Record<ConfigurationStep["action"], [mark: string, style: Style]> = {
  create: ["+", "green"],
  update: ["~", "yellow"],
  delete: ["-", "red"],
};

const maxCustomers = 10;

/** One block per step: what changes, and what else there is to know. */
function showSteps({ steps }: ConfigurationPlan, terminal: Terminal): void {
  for (const step of steps) {
    const [mark, style] = marks[step.action];
    terminal.print(`${mark} ${step.kind} ${printable(placeOf(step))}`, style);
    for (const line of changedFields(step)) terminal.print(`    ${printable(line)}`);
    for (const note of notesOf(step)) terminal.print(`    ${terminal.style("dim", `(${printable(note)})`)}`);
  }
}

/** `2 to create, 1 to update` */
function applySummaryOf({ steps }: ConfigurationPlan): string {
  const counts = (["create", "update", "delete"] as const).map(
    (action) => [steps.filter((step) => step.action === action).length, action] as const,
  );
  return counts
    .filter(([count]) => count > 0)
    .map(([count, action]) => `${count} to ${action}`)
    .join(", ");
}

/** The page of the console that shows the plan. */
function planLink(url: string, { planId }: ConfigurationPlan): string {
  return `${url}/console/configuration/${planId}`;
}

function placeOf({ parent, name }: ConfigurationStep): string {
  return parent === undefined ? name : `${parent} ${name}`;
}

function changedFields({ action, before = {}, after = {} }: ConfigurationStep): string[] {
  if (action === "delete") return [];
  const old = leavesOf(before);
  const now = leavesOf(after);
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((path) => {
    const [from, to] = [old.get(path), now.get(path)];
    if (from === to) return [];
    if (action === "create") return [`${path}: ${to}`];
    return [`${path}: ${from ?? "(none)"} → ${to ?? "(none)"}`];
  });
}

/** `meters.requests.max` → `1000` */
function leavesOf(value: unknown, path = ""): Map<string, string> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return new Map([[path, JSON.stringify(value)]]);
  const members = Object.entries(value);
  if (members.length === 0 && path !== "") return new Map([[path, "{}"]]);
  return new Map(members.flatMap(([name, member]) => [...leavesOf(member, path === "" ? name : `${path}.${name}`)]));
}

function notesOf({ notes = [], affectedSubscriptions: affected }: ConfigurationStep): string[] {
  if (!affected) return notes;
  const customers = affected.data.slice(0, maxCustomers).map(({ customerKey }) => customerKey);
  const more = affected.total > customers.length ? ", …" : "";
  return [...notes, `Lower limits for ${counted(affected.total, "subscription")}: ${customers.join(", ")}${more}`];
}

/** Reads configuration files and merges them in order. The server validates the result. */
async function readConfiguration(files: string[] | undefined, terminal: Terminal): Promise<Configuration> {
  let merged: unknown = {};
  for (const file of files ?? [defaultFile]) merged = overlaid(merged, await readDocument(file, terminal));
  return merged as Configuration;
}

async function readDocument(file: string, terminal: Terminal): Promise<object> {
  const hint = file === defaultFile ? "`tollgate dump` writes one; --file names another." : undefined;
  const text = await textOf(file, terminal, hint);
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    throw new UsageError(`${file} is neither YAML nor JSON: ${yamlErrorText(error)}`);
  }
  if (!isJsonObject(document))
    throw new UsageError(`${file} must be an object with \`version\` and kinds of resources.`);
  return document;
}

/**
 * Members of objects are merged, null removes a member, and everything else is replaced. A null that removes nothing
 * stays, and the server rejects it: `main:` without a value is more likely a typo than a deletion.
 */
export function overlaid(base: unknown, overlay: unknown): unknown {
  if (!isJsonObject(base) || !isJsonObject(overlay)) return overlay;
  const merged = new Map(Object.entries(base));
  for (const [name, value] of Object.entries(overlay)) {
    if (value === null && merged.has(name)) merged.delete(name);
    else merged.set(name, overlaid(merged.get(name), value));
  }
  return Object.fromEntries(merged);
}

/** The values of the environment variables that secrets refer to. The server names those that are missing. */
function referredSecrets(
  { variables = {}, portals = {}, exports = {} }: Configuration,
  environment: Environment,
): Record<string, string> {
  const members = (value: unknown): unknown[] => (isJsonObject(value) ? Object.values(value) : []);
  const references = [
    ...members(variables)
      .flatMap(members)
      .map((entry) => isJsonObject(entry) && entry.valueFrom),
    ...members(portals).map((entry) => isJsonObject(entry) && isJsonObject(entry.oidc) && entry.oidc.clientSecretFrom),
    ...members(exports).map(
      (entry) =>
        isJsonObject(entry) &&
        isJsonObject(entry.to) &&
        isJsonObject(entry.to.credential) &&
        entry.to.credential.secretAccessKeyFrom,
    ),
  ];
  const secrets: Record<string, string> = {};
  for (const reference of references) {
    const name = isJsonObject(reference) ? reference.env : undefined;
    const value = typeof name === "string" ? environment[name] : undefined;
    if (value !== undefined) secrets[name as string] = value;
  }
  return secrets;
}

async function planFiles(
  client: Tollgate,
  { file, as, prune }: Values<None, typeof applyPlanOptions>,
  { environment, terminal }: Context,
) {
  if (prune && as === undefined) throw new UsageError("--prune needs --as: only what that created is deleted.");
  const configuration = await readConfiguration(file, terminal);
  const secrets = referredSecrets(configuration, environment);
  const plan = await client.configuration.plan({ configuration, prune, secrets, ...(as !== undefined && { as }) });
  return { plan, configuration };
}
