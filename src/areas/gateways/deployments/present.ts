import { isProductionBranch } from "../../../core/artifact/environments.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { DeploymentRow } from "./store.ts";

/** Returns the API's view of a deployment without its address, which depends on how the server is reached. */
export function presentDeployment(deployment: DeploymentRow, accountName: string) {
  return {
    name: deployment.name,
    label: deployment.branch,
    urlParameter: deployment.branch,
    createdOn: formatDateTime(deployment.created_on),
    updatedOn: formatDateTime(deployment.updated_on),
    loggingId: `${accountName}::${deployment.project}::${deployment.branch}::${deployment.code}`,
    accountName,
    projectName: deployment.project,
    state: stateOf(deployment),
    message: deployment.message as "" | "BUILD_FAILED" | "START_FAILED",
    branchName: deployment.branch,
    ...(deployment.active_version === null ? {} : { activeVersion: deployment.active_version }),
    environmentType: isProduction(deployment) ? ("PRODUCTION" as const) : ("PREVIEW" as const),
  };
}

export function isProduction({ branch, production_branch }: DeploymentRow): boolean {
  return isProductionBranch(branch, production_branch);
}

/** A deployment that serves is started, whatever the result of its last build, which is in the message. */
function stateOf(deployment: DeploymentRow) {
  if (deployment.active_version_seq !== null) return "STARTED" as const;
  if (deployment.is_building === 1) return "BUILDING" as const;
  return deployment.message === "" ? ("PENDING" as const) : ("ERROR" as const);
}
