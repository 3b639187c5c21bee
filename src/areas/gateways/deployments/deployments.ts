import type { Act } from "../../../core/access.ts";
import { isProductionBranch, productionBranchAfter } from "../../../core/artifact/environments.ts";
import type { ChangedResource } from "../../../core/changes/details.ts";
import { recordChange, recordForFollowers } from "../../../core/changes/record.ts";
import { ensureRemovedAccount } from "../../../core/database/removed-account.ts";
import { existing, Problem } from "../../../core/problems/problem.ts";
import type { Precondition, Revision } from "../../../lib/http/etag.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { deploymentName } from "./naming.ts";
import { isProduction, presentDeployment } from "./present.ts";
import { markDeploymentRemoved } from "./removal-store.ts";
import * as store from "./store.ts";

export type Deployment = store.DeploymentRow;

export {
  deploymentExists as isDeployed,
  findDeployment as findDeploymentIfAny,
  listAccountDeployments,
  listDeployments,
  liveProductionNames,
} from "./store.ts";

/** Returns undefined if there is no such deployment. */
export async function findProject(reads: Reads, accountSeq: number, name: string): Promise<string | undefined> {
  return (await store.findDeployment(reads, accountSeq, name))?.project;
}

/** Returns the project, the branch and the environment of a deployment. Undefined if there is no such deployment. */
export async function findPlace(reads: Reads, accountSeq: number, name: string) {
  const deployment = await store.findDeployment(reads, accountSeq, name);
  if (!deployment) return undefined;
  return { project: deployment.project, branch: deployment.branch, isProduction: isProduction(deployment) };
}

/** The same for a branch, which may have no deployment yet. */
export async function placeOfBranch(reads: Reads, accountSeq: number, branch: { project: string; branch: string }) {
  const productionBranch = await store.findProductionBranch(reads, accountSeq, branch.project);
  return { ...branch, isProduction: isProductionBranch(branch.branch, productionBranch) };
}

export const findDeployment = (reads: Reads, accountSeq: number, name: string): Promise<Deployment> =>
  existing(store.findDeployment(reads, accountSeq, name), "deployment");

export const findDeploymentForUpdate = (transaction: WriteTransaction, accountSeq: number, name: string) =>
  existing(store.findDeploymentForUpdate(transaction, accountSeq, name), "deployment");

/** Locks the deployment. Throws if it is not the one that the caller has read. */
export async function deploymentToChange(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  precondition: Precondition,
): Promise<Deployment> {
  const deployment = await findDeploymentForUpdate(transaction, act.account.seq, name);
  precondition(deploymentRevisionOf(deployment));
  return deployment;
}

export function deploymentRevisionOf({ name, version }: Deployment): Revision {
  return { id: name, version };
}

/**
 * Returns how a build of a branch changes its project's production branch. A preview that declares none does not undo
 * what production declared.
 */
export async function declareProductionBranch(
  transaction: WriteTransaction,
  act: Act,
  { project, branch }: { project: string; branch: string },
  declared: string | undefined,
): Promise<void> {
  const accountSeq = act.account.seq;
  const known = await store.findProductionBranch(transaction, accountSeq, project);
  const productionBranch = productionBranchAfter({ branch, productionBranch: known }, declared);
  if (productionBranch === known) return;
  await store.saveProductionBranch(transaction, accountSeq, project, productionBranch);
  recordForFollowers(transaction, act, "project.updated", project, { productionBranch: productionBranch ?? null });
}

/** The variables of a deployment. Undefined if it was deleted. */
export async function environmentOf(reads: Reads, seq: number) {
  const deployment = await store.findDeploymentBySeq(reads, seq);
  if (!deployment) return undefined;
  const { account_seq: accountSeq, project, branch } = deployment;
  return { accountSeq, project, branch, isProduction: isProduction(deployment) };
}

/** The number of codes to try for a name: a collision between two projects of one name is rare. */
const maxAttempts = 10;

/** Returns the deployment of a branch, which is created with its first upload. */
export async function deploymentOfBranch(
  transaction: WriteTransaction,
  act: Act,
  project: string,
  branch: string,
): Promise<Deployment> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const known = await store.findBranchForUpdate(transaction, act.account.seq, project, branch);
    if (known) return known;
    const { name, code } = deploymentName(act.account.id, project, branch, attempt);
    const isNew = await store.insertDeploymentOnce(transaction, {
      account_seq: act.account.seq,
      name,
      project,
      branch,
      code,
      message: "",
      active_version_seq: null,
      source_seq: null,
      version: 1,
      created_on: act.now,
      updated_on: act.now,
    });
    if (isNew) recordChange(transaction, act, "deployment.created", await shown(transaction, act, name));
  }
  throw new Problem("conflict");
}

/** Deletes a deployment. Its address returns 404 as soon as this is committed. */
export async function deleteDeployment(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  precondition: Precondition,
): Promise<void> {
  const deployment = await deploymentToChange(transaction, act, name, precondition);
  await store.deleteDeployment(transaction, deployment.seq);
  const before = presentDeployment(deployment, act.account.name);
  recordChange(transaction, act, "deployment.deleted", { ...named(name), before });
}

/**
 * They are invisible immediately, and their contents are removed later, see removal.ts: sources and logs of many
 * deployments take minutes.
 */
export async function deleteDeploymentsOf(transaction: WriteTransaction, act: Act): Promise<Record<string, number>> {
  const names = await store.deploymentNames(transaction, act.account.seq);
  if (names.length > 0) {
    await ensureRemovedAccount(transaction, act.now);
    await markDeploymentRemoved(transaction, act.account.seq);
  }
  for (const { name } of names) recordForFollowers(transaction, act, "deployment.deleted", name);
  return { deployments: names.length };
}

/** The resource in changes. */
function named(name: string) {
  return { type: "deployment", id: name, name };
}

/** Returns the deployment after a change, with its derived fields. */
export async function shown(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  more: object = {},
): Promise<ChangedResource> {
  const deployment = await findDeployment(transaction, act.account.seq, name);
  return { ...named(name), after: { ...presentDeployment(deployment, act.account.name), ...more } };
}
