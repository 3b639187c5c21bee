import { hash } from "node:crypto";
import type { Act } from "../../../../core/access.ts";
import type { Artifact } from "../../../../core/artifact/artifact.ts";
import type { BuildReport } from "../../../../core/artifact/build-report.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { invalid, notFound, Problem } from "../../../../core/problems/problem.ts";
import { newId } from "../../../../lib/ids.ts";
import type { Paging } from "../../../../lib/paging.ts";
import { findRow, pageOfRows } from "../../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { type Deployment, findDeployment, findDeploymentForUpdate, shown } from "../deployments.ts";
import * as store from "../store.ts";
import { addSite } from "./sites.ts";
import { type Starter, StartFailure } from "./starter.ts";
import * as versionStore from "./version-store.ts";

export type Version = versionStore.VersionRow;

/** The number of versions to which a rollback is possible. */
export const keptVersions = 20;

export const listVersions = (reads: Reads, deployment: Deployment, paging: Paging) =>
  pageOfRows(reads, "deployment_versions", { deployment_seq: deployment.seq }, paging);

/** The part of a version that a gateway serves. Undefined if the deployment was deleted in the meantime. */
export async function readArtifact(
  reads: Reads,
  deploymentSeq: number,
  artifactHash: string,
): Promise<Artifact | undefined> {
  const text = await versionStore.readArtifact(reads, deploymentSeq, artifactHash);
  return text === undefined ? undefined : servedArtifact(JSON.parse(text));
}

/** Without the document, which may be large and which no gateway keeps in memory. */
export const servedArtifact = ({ document, ...artifact }: Artifact): Artifact => artifact;

interface VersionBuild {
  id: string;
  deployment_seq: number;
  source_seq: number | null;
  author: string;
  note?: string | null;
}

/** Stores the result of a build, which does not serve yet. An interrupted build that is claimed again replaces it. */
export async function addVersion(
  transaction: WriteTransaction,
  build: VersionBuild,
  artifact: { text: string; routes: number; site?: BuildReport["site"] },
  now: number,
): Promise<Version> {
  await discardVersion(transaction, build);
  const artifactHash = hash("sha256", artifact.text, "hex");
  const number = (await versionStore.lastVersionNumber(transaction, build.deployment_seq)) + 1;
  await transaction.insertNew(
    "deployment_artifacts",
    [{ deployment_seq: build.deployment_seq, hash: artifactHash, data: artifact.text }],
    ["deployment_seq", "hash"],
  );
  if (artifact.site) await addSite(transaction, build.deployment_seq, artifactHash, artifact.site);
  const row = {
    id: newId("vrsn", now),
    deployment_seq: build.deployment_seq,
    number,
    build_id: build.id,
    source_seq: build.source_seq,
    artifact_hash: artifactHash,
    artifact_bytes: Buffer.byteLength(artifact.text),
    routes: artifact.routes,
    created_on: now,
    author: build.author,
    note: build.note ?? null,
  };
  return { seq: await transaction.insert("deployment_versions", row), ...row, is_staged: 0 };
}

/** Keeps a version without traffic, for a canary release. Returns false if no version is live: then it must be. */
export async function stageVersion(
  transaction: WriteTransaction,
  act: Act,
  deployment: { seq: number; name: string },
  version: Version,
): Promise<boolean> {
  const { active_version_seq: active } = await findDeploymentForUpdate(transaction, act.account.seq, deployment.name);
  if (active === null) return false;
  await transaction.update("deployment_versions", version.seq, { is_staged: 1 });
  await store.updateDeployment(transaction, deployment.seq, act.now, { message: "" });
  await versionStore.removeOldVersions(transaction, deployment.seq, active, keptVersions);
  const resource = await shown(transaction, act, deployment.name, { version: version.number });
  recordChange(transaction, act, "deployment.built", resource, { versionSeq: version.seq });
  return true;
}

/** Removes a version that never served: a rollback to it is not possible. */
export function discardVersion(transaction: WriteTransaction, build: VersionBuild): Promise<void> {
  return versionStore.removeVersionOfBuild(transaction, build.deployment_seq, build.id);
}

/** Activates a version on every node, as soon as the node has seen the change. Ends a canary release. */
export async function activateVersion(
  transaction: WriteTransaction,
  act: Act,
  deployment: { seq: number; name: string },
  version: Version,
  action: "deployment.succeeded" | "deployment.rolled_back" | "deployment.promoted",
): Promise<void> {
  await store.updateDeployment(transaction, deployment.seq, act.now, { active_version_seq: version.seq, message: "" });
  await versionStore.replaceCanary(transaction, deployment.seq, act.now);
  if (version.is_staged === 1) await transaction.update("deployment_versions", version.seq, { is_staged: 0 });
  await versionStore.removeOldVersions(transaction, deployment.seq, version.seq, keptVersions);
  const resource = await shown(transaction, act, deployment.name, { version: version.number });
  recordChange(
    transaction,
    act,
    "deployment.activated",
    { ...resource, action },
    {
      deploymentSeq: deployment.seq,
      accountName: act.account.name,
      versionSeq: version.seq,
      versionNumber: version.number,
      artifactHash: version.artifact_hash,
    },
  );
}

/** Returns the version to roll back to: the one of that number, or the one before the current. */
async function versionToReturnTo(reads: Reads, deployment: Deployment, number: number | undefined): Promise<Version> {
  if (number !== undefined) {
    const version = await findRow(reads, "deployment_versions", { deployment_seq: deployment.seq, number });
    if (!version) throw invalid("/version", "is not a version of this deployment");
    return version;
  }
  const active = deployment.active_version_seq;
  const version = active === null ? undefined : await versionStore.versionBefore(reads, deployment.seq, active);
  if (!version) throw new Problem("no_earlier_version");
  return version;
}

/** Prepares the version that a rollback is about to activate, so that the swap itself takes no time. */
export async function prepareRollback(
  reads: Reads,
  starter: Starter,
  account: { seq: number; name: string },
  name: string,
  number: number | undefined,
): Promise<void> {
  const deployment = await findDeployment(reads, account.seq, name);
  await prepareVersion(reads, starter, account, deployment, await versionToReturnTo(reads, deployment, number));
}

/** Starts a version that is about to get traffic. Throws `version_does_not_start`. */
export async function prepareVersion(
  reads: Reads,
  starter: Starter,
  account: { seq: number; name: string },
  deployment: Deployment,
  version: Version,
): Promise<void> {
  const artifact = await readArtifact(reads, deployment.seq, version.artifact_hash);
  if (!artifact) throw notFound("deployment");
  try {
    await starter.prepare({
      deploymentName: deployment.name,
      deploymentSeq: deployment.seq,
      accountSeq: account.seq,
      accountName: account.name,
      versionSeq: version.seq,
      versionNumber: version.number,
      artifactHash: version.artifact_hash,
      artifact,
    });
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    throw new Problem("version_does_not_start", {
      detail: `Version ${version.number} does not start: ${error.message}`,
    });
  }
}

export async function rollBack(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  number: number | undefined,
): Promise<Deployment> {
  const deployment = await findDeploymentForUpdate(transaction, act.account.seq, name);
  const version = await versionToReturnTo(transaction, deployment, number);
  await activateVersion(transaction, act, deployment, version, "deployment.rolled_back");
  return findDeployment(transaction, act.account.seq, name);
}
