import type { Configuration, ConfigurationPlan, Tollgate } from "../../client/index.ts";
import type { Context } from "../arguments/command.ts";
import { flag, named, option } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";
import { fileOption, readConfiguration, referredSecrets } from "./configuration-file.ts";

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
