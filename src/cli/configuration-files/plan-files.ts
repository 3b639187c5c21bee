import { parse } from "yaml";
import type { Configuration, ConfigurationPlan, Tollgate } from "../../client/index.ts";
import type { Environment } from "../../config/config.ts";
import { isJsonObject } from "../../lib/text/json-object.ts";
import type { Context } from "../arguments/command.ts";
import { flag, listOption, named, option } from "../arguments/values.ts";
import { yamlErrorText } from "../process/file-errors.ts";
import { UsageError } from "../process/usage-error.ts";
import { textOf } from "../terminal/input-file.ts";
import type { Terminal } from "../terminal/terminal.ts";

const defaultFile = "tollgate.yaml";

export const fileOption = {
  file: listOption(
    `the configuration, - for standard input (default: ${defaultFile}); later files overlay earlier ones`,
    named("FILE", "file"),
  ),
};

/** Reads configuration files and merges them in order. The server validates the result. */
export async function readConfiguration(files: string[], terminal: Terminal): Promise<Configuration> {
  let merged: unknown = {};
  for (const file of files.length > 0 ? files : [defaultFile])
    merged = overlaid(merged, await readDocument(file, terminal));
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
export function referredSecrets(
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

/** The options of a plan. */
export const applyPlanOptions = {
  ...fileOption,
  as: option("mark what is created with this name", named("NAME")),
  prune: flag("also delete what an apply with the same --as created and the file no longer has"),
};

interface PlanValues {
  file: string[];
  as: string | undefined;
  prune: boolean;
}

interface PlannedFiles {
  plan: ConfigurationPlan;
  configuration: Configuration;
}

export async function planFiles(
  client: Tollgate,
  { file, as, prune }: PlanValues,
  { environment, terminal }: Context,
): Promise<PlannedFiles> {
  if (prune && as === undefined) throw new UsageError("--prune needs --as: only what that created is deleted.");
  const configuration = await readConfiguration(file, terminal);
  const secrets = referredSecrets(configuration, environment);
  const plan = await client.configuration.plan({ configuration, prune, secrets, ...(as !== undefined && { as }) });
  return { plan, configuration };
}
