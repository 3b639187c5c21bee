import type { Act } from "../../../core/access.ts";
import { foldedPath, type Mount } from "../../../core/hosts/mount-table.ts";
import type { FieldError } from "../../../core/problems/problem.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { findDeploymentIfAny } from "../deployments/deployments.ts";

/** The deployments of a request body: one for all paths, or mounts. */
export interface DeploymentsInput {
  deploymentName?: string | undefined;
  mounts?: Mount[] | null | undefined;
}

/** The columns of the deployments. */
interface Stored {
  deployment_name: string;
  mounts: string | null;
}

/**
 * Returns what to store. Fields that are missing keep the values of `current`; `deploymentName` alone replaces all
 * mounts. Adds to `errors` if the input is invalid.
 */
export async function storedDeployments(
  reads: Reads,
  act: Act,
  { deploymentName, mounts }: DeploymentsInput,
  errors: FieldError[],
  current?: Stored,
): Promise<Stored | undefined> {
  const before = errors.length;
  const isUnknown = async (name: string) => !(await findDeploymentIfAny(reads, act.account.seq, name));
  if (mounts && deploymentName !== undefined)
    errors.push({ pointer: "/deploymentName", detail: "must not be given with mounts: add a mount at / instead" });
  else if (!mounts && deploymentName === undefined && !current)
    errors.push({ pointer: "/deploymentName", detail: "is required, unless there are mounts" });
  else if (deploymentName !== undefined && (await isUnknown(deploymentName)))
    errors.push({ pointer: "/deploymentName", detail: mustExist });
  const paths = new Set<string>();
  for (const [index, { path, deploymentName }] of (mounts ?? []).entries()) {
    const folded = foldedPath(path);
    if (paths.has(folded))
      errors.push({ pointer: `/mounts/${index}/path`, detail: "is the path of another mount, ignoring case" });
    paths.add(folded);
    if (await isUnknown(deploymentName)) errors.push({ pointer: `/mounts/${index}/deploymentName`, detail: mustExist });
  }
  if (errors.length > before) return undefined;
  if (mounts) return { deployment_name: mainMount(mounts).deploymentName, mounts: JSON.stringify(mounts) };
  if (deploymentName !== undefined) return { deployment_name: deploymentName, mounts: null };
  return mounts === null ? { deployment_name: current!.deployment_name, mounts: null } : current;
}

/** The mounts of a domain. Undefined if one deployment serves all paths. */
export function mountsOf({ mounts }: Pick<Stored, "mounts">): Mount[] | undefined {
  return mounts === null ? undefined : (JSON.parse(mounts) as Mount[]);
}

/** The fields of a domain by which the gateway routes. */
export function routedDomain(row: Stored & { host: string }) {
  return { host: row.host, deploymentName: row.deployment_name, mounts: mountsOf(row) ?? null };
}

const mustExist = "must be the name of a deployment of the account";

/** The deployment whose host is the target of the CNAME record. */
function mainMount(mounts: Mount[]): Mount {
  return mounts.find(({ path }) => path === "/") ?? mounts[0]!;
}
