/** The properties of a deployment that select its variables. */
export interface DeploymentEnvironment {
  branch: string;
  isProduction: boolean;
}

/**
 * A branch with one of these names is not that environment. Otherwise a user could get production's secrets by naming a
 * branch.
 */
const reservedEnvironments = ["production", "preview"] as const;

export const allEnvironments: readonly string[] = reservedEnvironments;

/** Whether a variable that is set for these environments applies to this deployment. */
export function appliesTo(environments: readonly string[], { branch, isProduction }: DeploymentEnvironment): boolean {
  if (environments.includes(isProduction ? "production" : "preview")) return true;
  return !allEnvironments.includes(branch) && environments.includes(branch);
}

/** The production branch of projects that declare none. */
export const defaultProductionBranch = "main";

/**
 * Returns the production branch of a project once a build of a branch is live. Undefined if the project declares none.
 */
export function productionBranchAfter(
  build: { branch: string; productionBranch?: string | undefined; isPreviewOnly?: boolean },
  declared: string | undefined,
): string | undefined {
  const { branch, productionBranch: known } = build;
  if (build.isPreviewOnly) return known;
  return declared ?? (branch === known ? undefined : known);
}

export function isProductionBranch(branch: string, productionBranch: string | null | undefined): boolean {
  return branch === (productionBranch ?? defaultProductionBranch);
}
