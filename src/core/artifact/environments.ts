/** Which deployment of a project, as far as its variables depend on it. */
export interface DeploymentEnvironment {
  branch: string;
  isProduction: boolean;
}

/** A branch of one of these names does not count as that environment: nobody gets production's secrets by naming a branch. */
const reservedEnvironments = ["production", "preview"] as const;

export const allEnvironments: readonly string[] = reservedEnvironments;

/** Whether a variable that is set for these environments is set for this deployment. */
export function appliesTo(environments: readonly string[], { branch, isProduction }: DeploymentEnvironment): boolean {
  if (environments.includes(isProduction ? "production" : "preview")) return true;
  return !allEnvironments.includes(branch) && environments.includes(branch);
}

/** The production branch of projects that name none. */
export const defaultProductionBranch = "main";

/** A project's production branch once a build of a branch is live. Undefined: the project names none. */
export function productionBranchAfter(
  build: { branch: string; productionBranch?: string | undefined },
  declared: string | undefined,
): string | undefined {
  const { branch, productionBranch: known } = build;
  return declared ?? (branch === known ? undefined : known);
}

export function isProductionBranch(branch: string, productionBranch: string | null | undefined): boolean {
  return branch === (productionBranch ?? defaultProductionBranch);
}
