import { type Act, type Actor, allowsDeployment, type DeploymentScope } from "../../../../core/access.ts";
import type { Artifact } from "../../../../core/artifact/artifact.ts";
import type { BuildMessage } from "../../../../core/artifact/build-report.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { existing, invalid, notFound, Problem } from "../../../../core/problems/problem.ts";
import { Body } from "../../../../platform/http1/message/body.ts";
import { findRow } from "../../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { findDeployment, findDeploymentForUpdate, shown } from "../deployments.ts";
import { isProduction } from "../present.ts";
import { type BuildStepName, type BuildSteps, failedStep, newSteps, succeeded } from "../steps.ts";
import * as store from "../store.ts";
import { versionOf } from "../versions/version-contents.ts";
import * as buildStore from "./build-store.ts";
import * as sourceStore from "./source-store.ts";

export type Build = buildStore.BuildOfDeployment;

/** The size of a tool of a route with the handler `mcp`. */
export interface BuiltTool {
  /** The path of that route. */
  path: string;
  name: string;
  bytes: number;
  tokens: number;
}

export function toolsOf({ routes }: Pick<Artifact, "routes">): BuiltTool[] {
  return routes.flatMap(({ path, target }) =>
    "mcp" in target ? target.mcp.tools.map(({ tool: { name }, bytes, tokens }) => ({ path, name, bytes, tokens })) : [],
  );
}

/** The result of a build as returned by the API. */
export interface BuildResult {
  success: boolean;
  durationMs: number;
  artifact?: { sha256: string; bytes: number };
  version?: number;
  routes: number;
  tools?: BuiltTool[];
  warnings: BuildMessage[];
  errors: BuildMessage[];
}

export async function findBuild(reads: Reads, accountSeq: number, project: string, id: string): Promise<Build> {
  const build = await buildStore.findBuild(reads, id);
  if (!build || build.account_seq !== accountSeq || build.project !== project) throw notFound("deployment status");
  return build;
}

/** The actor of changes by a build. */
export function buildActOf(build: Build, now: number): Act {
  const account = { seq: build.account_seq, id: build.account_id, name: build.account_name };
  return { account, actor: "system", now };
}

/** The stored author of a build and of its version. */
export function authorOf({ actor: id, actorType: type = "system", actorName: name }: Act): string {
  return JSON.stringify({ type, id, name } satisfies Actor);
}

/** Queues a build whose source is stored, and replaces all queued builds of the same deployment. */
export async function queueBuild(
  transaction: WriteTransaction,
  act: Act,
  build: Build,
  steps: BuildSteps,
  action: "deployment.uploaded" | "deployment.redeployed" | "deployment.source_promoted",
): Promise<void> {
  const { now } = act;
  for (const older of await buildStore.queuedBuilds(transaction, build.deployment_seq, build.seq)) {
    const ended = failedStep(JSON.parse(older.steps), "unpack", now, "Superseded by a newer upload.");
    await buildStore.updateBuild(transaction, older.id, now, { state: "failed", steps: JSON.stringify(ended) });
  }
  await buildStore.updateBuild(transaction, build.id, now, { state: "queued", steps: JSON.stringify(steps) });
  await store.updateDeployment(transaction, build.deployment_seq, now, { source_seq: build.source_seq });
  const resource = await shown(transaction, act, build.deployment_name, { statusId: build.id });
  recordChange(transaction, act, "deployment.build-queued", { ...resource, action }, { statusId: build.id });
}

/** Ends a build without a version. The current version continues to serve. */
export async function failBuild(
  transaction: WriteTransaction,
  build: Build,
  steps: BuildSteps,
  step: BuildStepName,
  reason: string,
  now: number,
  result?: BuildResult,
): Promise<void> {
  await buildStore.updateBuild(transaction, build.id, now, {
    state: "failed",
    source_seq: build.source_seq,
    worker: null,
    steps: JSON.stringify(failedStep(steps, step, now, reason)),
    result: result ? JSON.stringify(result) : null,
  });
  const message = step === "start" ? "START_FAILED" : "BUILD_FAILED";
  await store.updateDeployment(transaction, build.deployment_seq, now, { message });
  const act = buildActOf(build, now);
  const resource = await shown(transaction, act, build.deployment_name, { statusId: build.id });
  const action = "deployment.failed";
  recordChange(transaction, act, "deployment.build-failed", { ...resource, action }, { statusId: build.id });
}

/** What the access of the caller of a build implies for it. */
export interface BuildLimits {
  /** It must not become production. */
  isPreviewOnly: boolean;
  /** The access is limited to projects or deployments. */
  isLimited: boolean;
  /** The deployments that the caller may read, if they are limited. */
  scope?: DeploymentScope | undefined;
}

const noLimits: BuildLimits = { isPreviewOnly: false, isLimited: false };

/**
 * Builds the stored source again. Returns the status id. A source that was uploaded for a preview does not become
 * production by this, except if its branch has become the production branch. A source that a caller with limited access
 * uploaded remains limited.
 */
export async function redeploy(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  limits: BuildLimits = noLimits,
): Promise<string> {
  const deployment = await findDeploymentForUpdate(transaction, act.account.seq, name);
  if (deployment.source_seq === null) throw new Problem("no_source");
  const wasPreviewOnly = await buildStore.isOnlyForPreviews(transaction, deployment.source_seq);
  const source = {
    seq: deployment.source_seq,
    text: "The source that was uploaded last.",
    isPreviewOnly: limits.isPreviewOnly || (wasPreviewOnly && !isProduction(deployment)),
    isLimited:
      limits.isLimited ||
      (await findRow(transaction, "deployment_sources", { seq: deployment.source_seq }))?.is_limited === 1,
  };
  return buildStored(transaction, act, deployment, source, "deployment.redeployed");
}

/**
 * Builds the source of the version that is live in another deployment of the project, with the variables of this one.
 * Returns the status id.
 */
export async function promoteBuild(
  transaction: WriteTransaction,
  act: Act,
  name: string,
  from: string,
  limits: BuildLimits = noLimits,
): Promise<string> {
  const target = await findDeploymentForUpdate(transaction, act.account.seq, name);
  const origin = await store.findDeployment(transaction, act.account.seq, from);
  if (!origin || origin.project !== target.project || origin.seq === target.seq)
    throw invalid("/from", "must be another deployment of the same project");
  if (limits.scope && !allowsDeployment(limits.scope, { ...origin, isProduction: isProduction(origin) }))
    throw new Problem("forbidden", { detail: "The token is limited to other deployments than the one in `from`." });
  if (origin.active_version_seq === null) throw new Problem("no_live_version");
  const live = await findRow(transaction, "deployment_versions", { seq: origin.active_version_seq });
  // A copy, because a source is removed with its deployment.
  const seq =
    live && live.source_seq !== null
      ? await sourceStore.copySource(transaction, live.source_seq, { ...target, ...limits }, act.now)
      : undefined;
  if (!live || seq === undefined)
    throw new Problem("no_source", { detail: "The source of the live version is not stored; deploy it again." });
  const source = { seq, text: `The source of version ${live.number} of ${origin.name}.`, ...limits };
  return buildStored(transaction, act, target, source, "deployment.source_promoted");
}

async function buildStored(
  transaction: WriteTransaction,
  act: Act,
  deployment: { seq: number },
  source: BuildLimits & { seq: number; text: string },
  action: "deployment.redeployed" | "deployment.source_promoted",
): Promise<string> {
  const id = crypto.randomUUID();
  const build = {
    id,
    deployment_seq: deployment.seq,
    upload_hash: null,
    upload_until: act.now,
    source_seq: source.seq,
    is_staged: 0,
    author: authorOf(act),
    note: null,
    is_preview_only: source.isPreviewOnly ? 1 : 0,
    is_limited: source.isLimited ? 1 : 0,
    steps: JSON.stringify(newSteps()),
  };
  await buildStore.insertBuild(transaction, build, act.now);
  const inserted = await buildStore.findBuild(transaction, id);
  const steps = succeeded(newSteps(), "upload", act.now, source.text);
  await queueBuild(transaction, act, inserted!, steps, action);
  return id;
}

/** The archive of a version's project, read piece by piece. */
export async function sourceOf(reads: Reads, accountSeq: number, name: string, number: string): Promise<Body> {
  const { seq } = await findDeployment(reads, accountSeq, name);
  const version = await existing(versionOf(reads, seq, number), "version");
  let position = 0;
  const next = async () =>
    version.source_seq === null ? undefined : await sourceStore.readChunk(reads, version.source_seq, position++);
  const first = await next();
  if (!first) throw new Problem("no_source");
  let isPaused = false;
  let isSending = false;
  const pause = () => {
    isPaused = true;
  };
  const send = async () => {
    if (isSending) return;
    isSending = true;
    while (!isPaused) {
      const piece = await next();
      if (!piece) return body.end();
      body.push(Buffer.from(piece));
    }
    isSending = false;
  };
  const resume = () => {
    isPaused = false;
    send().catch((error) => body.fail(error));
  };
  const body = new Body(undefined, { pause, resume, cancel: pause });
  body.push(Buffer.from(first));
  return body;
}
