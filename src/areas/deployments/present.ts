import { isProductionBranch } from "../../core/artifact/environments.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { DeploymentRow } from "./store.ts";

/** Returns the API's view of a deployment without its address, which depends on how the server is reached. */
export function presentDeployment(row: DeploymentRow, accountName: string) {
  return {
    name: row.name,
    label: row.branch,
    urlParameter: row.branch,
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
    loggingId: `${accountName}::${row.project}::${row.branch}::${row.code}`,
    accountName,
    projectName: row.project,
    state: stateOf(row),
    message: row.message as "" | "BUILD_FAILED" | "START_FAILED",
    branchName: row.branch,
    ...(row.active_version === null ? {} : { activeVersion: row.active_version }),
    environmentType: isProduction(row) ? ("PRODUCTION" as const) : ("PREVIEW" as const),
  };
}

export function isProduction({ branch, production_branch }: DeploymentRow): boolean {
  return isProductionBranch(branch, production_branch);
}

/** A deployment that serves is started, whatever the result of its last build, which is in the message. */
function stateOf(row: DeploymentRow) {
  if (row.active_version_seq !== null) return "STARTED" as const;
  if (row.is_building === 1) return "BUILDING" as const;
  return row.message === "" ? ("PENDING" as const) : ("ERROR" as const);
}
