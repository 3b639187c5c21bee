import type { AccountReference, Act } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { invalid, Problem } from "../../../../core/problems/problem.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import { newId } from "../../../../lib/ids.ts";
import { NamedWrite } from "../../../../platform/storage/named-write.ts";
import { findRow, updateRows } from "../../../../platform/storage/rows.ts";
import type { Reads, Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import {
  type Deployment,
  declareProductionBranch,
  deploymentToChange,
  findDeployment,
  findDeploymentForUpdate,
  shown,
} from "../deployments.ts";
import { updateDeployment } from "../store.ts";
import { type LiveCanary, liveCanaryOf, type StickyBy } from "../versions/live.ts";
import type { Starter } from "../versions/starter.ts";
import type { VersionRow } from "../versions/version-store.ts";
import { activateVersion, prepareVersion, readArtifact } from "../versions/versions.ts";
import { type AbortRule, exceedsAbortRule, firstSecond, type WindowCounts } from "./abort-rule.ts";
import * as store from "./store.ts";

export type Canary = store.CanaryRow;

/** How a canary release ended. `replaced`: by a deployment, a rollback or another release. */
export type CanaryOutcome = "promoted" | "aborted" | "stopped" | "replaced";

/** How requests are divided between the live version and another one. */
interface TrafficSplit {
  splits: { versionNumber: number; weight: number }[];
  stickyBy?: StickyBy | undefined;
  abort?: AbortRule | undefined;
}

/** The canary release that serves. */
async function runningCanary(
  reads: Reads,
  deployment: Pick<Deployment, "seq" | "active_version_seq">,
): Promise<Canary | undefined> {
  const canary = await findRow(reads, "deployment_canaries", { deployment_seq: deployment.seq });
  return canary?.ended_on === null ? canary : undefined;
}

/** The versions of a split: the live one and another one. Throws if they are not. */
async function versionsOf(reads: Reads, deployment: Deployment, { splits }: Pick<TrafficSplit, "splits">) {
  if (deployment.active_version_seq === null) throw new Problem("no_live_version");
  const live = (await findRow(reads, "deployment_versions", { seq: deployment.active_version_seq }))!;
  const at = splits.findIndex(({ versionNumber }) => versionNumber !== live.number);
  if (!splits.some(({ versionNumber }) => versionNumber === live.number))
    throw invalid("/splits", `must include version ${live.number}, which is live`);
  if (at === -1) throw invalid("/splits/1/versionNumber", "must be another version than the live one");
  const canary = await findRow(reads, "deployment_versions", {
    deployment_seq: deployment.seq,
    number: splits[at]!.versionNumber,
  });
  if (!canary) throw invalid(`/splits/${at}/versionNumber`, "is not a version of this deployment");
  return { live, canary };
}

/** Starts the version that is about to get traffic, unless it is the canary already. */
export async function prepareSplit(
  reads: Reads,
  starter: Starter,
  account: AccountReference,
  name: string,
  split: TrafficSplit,
): Promise<void> {
  const deployment = await findDeployment(reads, account.seq, name);
  const { canary } = await versionsOf(reads, deployment, split);
  if ((await runningCanary(reads, deployment))?.version_seq === canary.seq) return;
  await prepareVersion(reads, starter, account, deployment, canary);
}

/** Starts the canary's version for all traffic, in case it does not run on this node. */
export async function preparePromotion(
  reads: Reads,
  starter: Starter,
  account: AccountReference,
  name: string,
): Promise<void> {
  const { deployment, canary } = await existingCanary(reads, account.seq, name);
  const version = await findRow(reads, "deployment_versions", { seq: canary.version_seq });
  if (version) await prepareVersion(reads, starter, account, deployment, version);
}

/** The deployment and its running canary release. Throws `no_canary`. */
async function existingCanary(reads: Reads, accountSeq: number, name: string) {
  const deployment = await findDeployment(reads, accountSeq, name);
  const canary = await runningCanary(reads, deployment);
  if (!canary) throw new Problem("no_canary");
  return { deployment, canary };
}

/** The version of the canary release that a test selects. */
export async function testedVersion(reads: Reads, accountSeq: number, name: string, versionNumber: number) {
  const { deployment, canary } = await existingCanary(reads, accountSeq, name);
  const numbers = [canary.live_version_number, canary.version_number];
  const at = numbers.indexOf(versionNumber);
  if (at === -1) throw invalid("/versionNumber", `must be ${numbers.join(" or ")}: only these versions serve`);
  return { deploymentSeq: deployment.seq, versionSeq: at === 0 ? canary.live_version_seq : canary.version_seq };
}

/** Divides requests between two versions. A release of the same version continues with its counts. */
export async function splitTraffic(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  split: TrafficSplit,
  precondition: Precondition,
): Promise<Deployment> {
  const deployment = await deploymentToChange(transaction, act, name, precondition);
  const { live, canary: version } = await versionsOf(transaction, deployment, split);
  const known = await runningCanary(transaction, deployment);
  const weightOf = ({ number }: VersionRow) =>
    split.splits.find(({ versionNumber }) => versionNumber === number)!.weight;
  const values = {
    weight: weightOf(version),
    live_weight: weightOf(live),
    sticky_by: split.stickyBy ?? null,
    abort: split.abort ? JSON.stringify(split.abort) : null,
    updated_on: act.now,
  };
  const canary: Canary =
    known?.version_seq === version.seq
      ? { ...known, ...values }
      : {
          deployment_seq: deployment.seq,
          id: newId("cnry", act.now),
          version_seq: version.seq,
          version_number: version.number,
          live_version_seq: live.seq,
          live_version_number: live.number,
          ...values,
          started_on: act.now,
          ended_on: null,
          outcome: null,
        };
  if (known?.id === canary.id)
    await updateRows(transaction, "deployment_canaries", { deployment_seq: deployment.seq }, values);
  else await store.insertCanary(transaction, canary);
  await changed(transaction, act, deployment, {
    action: "deployment.traffic_split",
    live,
    before: known && splitOf(known),
    canary,
    liveCanary: liveCanaryOf({ ...canary, artifact_hash: version.artifact_hash }),
  });
  return findDeploymentForUpdate(transaction, act.account.seq, name);
}

/** Returns all traffic to the live version. */
export async function stopCanary(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  precondition: Precondition,
): Promise<void> {
  const deployment = await deploymentToChange(transaction, act, name, precondition);
  const canary = await runningCanary(transaction, deployment);
  if (canary) await endCanary(transaction, act, deployment, canary, "stopped");
}

/** Makes the canary the live version. */
export async function promoteCanary(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  precondition: Precondition,
  isPreviewOnly = false,
): Promise<Deployment> {
  const deployment = await deploymentToChange(transaction, act, name, precondition);
  const canary = await runningCanary(transaction, deployment);
  if (!canary) throw new Problem("no_canary");
  const version = (await findRow(transaction, "deployment_versions", { seq: canary.version_seq }))!;
  await updateRows(
    transaction,
    "deployment_canaries",
    { deployment_seq: deployment.seq },
    { ended_on: act.now, outcome: "promoted" },
  );
  await activateVersion(transaction, act, deployment, version, "deployment.promoted");
  if (isPreviewOnly) return findDeploymentForUpdate(transaction, act.account.seq, name);
  const artifact = await readArtifact(transaction, deployment.seq, version.artifact_hash);
  await declareProductionBranch(transaction, act, deployment, artifact?.productionBranch);
  return findDeploymentForUpdate(transaction, act.account.seq, name);
}

/**
 * Aborts the release if its rule requires it. The deployment is locked and the counts are read again, so that only one
 * of several nodes aborts it.
 */
export async function abortIfDue(
  storage: Storage,
  { deploymentSeq, canaryId }: { deploymentSeq: number; canaryId: string },
  now: number,
): Promise<boolean> {
  if (!(await isAbortDue(storage.reads, deploymentSeq, canaryId, now))) return false;
  return storage.write(canaryAbort.with({ deploymentSeq, canaryId, now }));
}

/** Returns false if the release has ended, or its rule no longer says so. */
export const canaryAbort = new NamedWrite<{ deploymentSeq: number; canaryId: string; now: number }, boolean>(
  "abort of a canary release",
  async (transaction, { deploymentSeq, canaryId, now }) => {
    const found = await store.findDeploymentOfCanary(transaction, deploymentSeq);
    if (!found) return false;
    const account = { seq: found.account_seq, id: found.account_id, name: found.account_name };
    const deployment = await findDeploymentForUpdate(transaction, account.seq, found.name);
    const window = await isAbortDue(transaction, deploymentSeq, canaryId, now);
    const canary = await runningCanary(transaction, deployment);
    if (!window || !canary) return false;
    await endCanary(transaction, { account, actor: "system", now }, deployment, canary, "aborted", window);
    return true;
  },
);

/** Returns the counts that make the abort due. */
async function isAbortDue(reads: Reads, deploymentSeq: number, canaryId: string, now: number) {
  const canary = await findRow(reads, "deployment_canaries", { deployment_seq: deploymentSeq });
  if (canary?.id !== canaryId || canary.ended_on !== null || canary.abort === null) return undefined;
  const window = await store.windowCounts(reads, deploymentSeq, 1, firstSecond(now));
  return exceedsAbortRule(JSON.parse(canary.abort), window) ? window : undefined;
}

async function endCanary(
  transaction: WriteTransaction,
  act: Act,
  deployment: Deployment,
  canary: Canary,
  outcome: "stopped" | "aborted",
  window?: WindowCounts,
): Promise<void> {
  const live = (await findRow(transaction, "deployment_versions", { seq: canary.live_version_seq }))!;
  await updateRows(
    transaction,
    "deployment_canaries",
    { deployment_seq: deployment.seq },
    { ended_on: act.now, outcome },
  );
  await changed(transaction, act, deployment, {
    action: outcome === "aborted" ? "deployment.canary_aborted" : "deployment.canary_stopped",
    live,
    before: splitOf(canary),
    canary: { ...canary, ended_on: act.now, outcome },
    liveCanary: undefined,
    window,
  });
}

interface TrafficChange {
  action: string;
  live: VersionRow;
  /** The split before the change. */
  before: TrafficSplit | undefined;
  canary: Canary;
  liveCanary: LiveCanary | undefined;
  /** The counts that made an abort due. */
  window?: WindowCounts | undefined;
}

async function changed(
  transaction: WriteTransaction,
  act: Act,
  deployment: Deployment,
  { action, live, before, canary, liveCanary, window }: TrafficChange,
): Promise<void> {
  await updateDeployment(transaction, deployment.seq, act.now);
  const resource = await shown(transaction, act, deployment.name);
  const { version_number: versionNumber, live_version_number: liveVersionNumber } = canary;
  recordChange(
    transaction,
    act,
    "deployment.traffic-changed",
    {
      ...resource,
      action,
      before: { traffic: before ?? null },
      after: { traffic: liveCanary ? splitOf(canary) : null, ...(window && { canaryCounts: window }) },
      event: {
        ...resource.after,
        canary: {
          versionNumber,
          liveVersionNumber,
          ...(window && { ...window, errorShare: window.errors / window.requests }),
          ...(canary.abort !== null && { abort: JSON.parse(canary.abort) }),
        },
      },
    },
    {
      deploymentSeq: deployment.seq,
      accountName: act.account.name,
      versionSeq: live.seq,
      versionNumber: live.number,
      artifactHash: live.artifact_hash,
      canary: liveCanary ?? null,
    },
  );
}

/** The split as it was set, the live version first. */
export function splitOf(canary: Canary): TrafficSplit {
  return {
    splits: [
      { versionNumber: canary.live_version_number, weight: canary.live_weight },
      { versionNumber: canary.version_number, weight: canary.weight },
    ],
    ...(canary.sticky_by !== null && { stickyBy: canary.sticky_by as StickyBy }),
    ...(canary.abort !== null && { abort: JSON.parse(canary.abort) as AbortRule }),
  };
}
