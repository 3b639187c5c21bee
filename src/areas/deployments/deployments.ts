import type { Act } from "../../core/access/access.ts";
import { recordChange } from "../../core/changes/record.ts";
import { notFound, Problem } from "../../core/problems/problem.ts";
import type { Precondition, Revision } from "../../lib/etag.ts";
import type { Paging } from "../../lib/paging.ts";
import type { Reads, WriteTransaction } from "../../platform/storage/storage.ts";
import { deploymentName } from "./naming.ts";
import * as store from "./store.ts";

export type Deployment = store.DeploymentRow;

export const listDeployments = (reads: Reads, accountSeq: number, project: string) =>
  store.listDeployments(reads, accountSeq, project);

export const listAccountDeployments = (
  reads: Reads,
  accountSeq: number,
  options: Paging & { project?: string | undefined },
) => store.listAccountDeployments(reads, accountSeq, options);

export async function findDeployment(reads: Reads, accountSeq: number, name: string): Promise<Deployment> {
  return existing(await store.findDeployment(reads, accountSeq, name));
}

export async function findDeploymentForUpdate(
  transaction: WriteTransaction,
  accountSeq: number,
  name: string,
): Promise<Deployment> {
  return existing(await store.findDeploymentForUpdate(transaction, accountSeq, name));
}

function existing(deployment: Deployment | undefined): Deployment {
  if (!deployment) throw notFound("deployment");
  return deployment;
}

export function revisionOf({ name, version }: Deployment): Revision {
  return { id: name, version };
}

const defaultProductionBranch = "main";

export function isProduction({ branch, production_branch }: Deployment): boolean {
  return branch === (production_branch ?? defaultProductionBranch);
}

/**
 * What a build of a branch says of its project's production branch. A preview may say nothing of it without taking back what
 * production says.
 */
export async function declareProductionBranch(
  transaction: WriteTransaction,
  build: { account_seq: number; project: string; branch: string },
  declared: string | undefined,
): Promise<void> {
  const { account_seq: accountSeq, project, branch } = build;
  const known = await store.findProductionBranch(transaction, accountSeq, project);
  if (declared === undefined && branch !== known) return;
  if (declared !== known) await store.saveProductionBranch(transaction, accountSeq, project, declared);
}

/** The codes that a name may end with; two projects of one name with the same code are as rare as that. */
const mostAttempts = 10;

/** The deployment of a branch, made with its first upload. */
export async function deploymentOfBranch(
  transaction: WriteTransaction,
  act: Act,
  project: string,
  branch: string,
): Promise<Deployment> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
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
    if (isNew) recordChange(transaction, act, "deployment.created", name);
  }
  throw new Problem("conflict");
}

export const isDeployed = (reads: Reads, seq: number) => store.deploymentExists(reads, seq);

/** Its address answers 404 as soon as this is committed. */
export async function deleteDeployment(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  precondition: Precondition,
): Promise<void> {
  const deployment = await findDeploymentForUpdate(transaction, act.account.seq, name);
  precondition(revisionOf(deployment));
  await remove(transaction, act, deployment);
}

export async function deleteDeploymentsOf(transaction: WriteTransaction, act: Act): Promise<void> {
  for (const deployment of await store.deploymentsOf(transaction, act.account.seq))
    await remove(transaction, act, deployment);
}

async function remove(transaction: WriteTransaction, act: Act, { seq, name }: { seq: number; name: string }) {
  await store.deleteDeployment(transaction, seq);
  recordChange(transaction, act, "deployment.deleted", name);
}
