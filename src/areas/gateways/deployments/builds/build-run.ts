import type { Artifact } from "../../../../core/artifact/artifact.ts";
import type { BuildMessage, BuildReport, SecretPlace, SecretUse } from "../../../../core/artifact/build-report.ts";
import type { BuildVariables } from "../../../../core/artifact/build-variables.ts";
import { isProductionBranch, productionBranchAfter } from "../../../../core/artifact/environments.ts";
import type { Clock } from "../../../../lib/time/clock.ts";
import { lockRow } from "../../../../platform/storage/rows.ts";
import type { Reads, Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import { findKeyBucketIfAny } from "../../../api-keys/key-buckets/key-buckets.ts";
import { listsIssuer, type TokenMapping } from "../../../api-keys/key-buckets/token-issuers.ts";
import { buildVariablesOf } from "../../variables/variables.ts";
import { declareProductionBranch } from "../deployments.ts";
import type { DeploymentLogSink, LogEntry } from "../logs/log-sink.ts";
import { type BuildStepName, type BuildSteps, begunStep, newSteps, succeeded } from "../steps.ts";
import * as store from "../store.ts";
import { type Starter, StartFailure } from "../versions/starter.ts";
import {
  activateVersion,
  addVersion,
  discardVersion,
  servedArtifact,
  stageVersion,
  type Version,
} from "../versions/versions.ts";
import * as buildStore from "./build-store.ts";
import { type Build, type BuildResult, type BuiltTool, buildActOf, failBuild, toolsOf } from "./builds.ts";
import * as sourceStore from "./source-store.ts";

/** The same maximum as in a build. */
const maxErrors = 100;

/**
 * Returns why a version does not start, with the position in the project. Routes that share an upstream or a policy
 * share its error.
 */
function startErrors({ faults }: StartFailure, places: readonly SecretPlace[] = []): BuildMessage[] {
  const placeOfUse = new Map(places.map(({ file, line, column, ...use }) => [useKey(use), { file, line, column }]));
  const errors = new Map<string, BuildMessage>();
  for (const { message, use } of faults) {
    const place = (use && placeOfUse.get(useKey(use))) ?? { file: "", line: 0, column: 0 };
    const error = { ...place, message };
    errors.set(JSON.stringify(error), error);
    if (errors.size === maxErrors) break;
  }
  return [...errors.values()];
}

function useKey(use: SecretUse): string {
  if ("provider" in use) return `provider ${use.provider}`;
  return "upstream" in use ? `upstream ${use.upstream}` : `policy ${use.policy}`;
}

/** Builds an archive, in a separate process on real servers, and returns the report. */
export type RunBuilder = (
  archive: AsyncIterable<Uint8Array>,
  variables: BuildVariables,
  signal: AbortSignal,
) => Promise<BuildReport>;

export interface BuildRunOptions {
  storage: Storage;
  clock: Clock;
  runBuilder: RunBuilder;
  starter: Starter;
  logs: DeploymentLogSink;
}

const maxAttempts = 3;

/** Another worker has claimed the build, or its deployment was deleted. */
export class BuildAbandoned extends Error {}

/** Runs one build from the stored archive to live traffic. */
export class BuildRun {
  #steps: BuildSteps;
  readonly #started = performance.now();

  constructor(
    private readonly options: BuildRunOptions,
    private readonly build: Build,
    private readonly signal: AbortSignal,
  ) {
    this.#steps = JSON.parse(build.steps);
  }

  async run(): Promise<void> {
    const { build, options } = this;
    if (build.attempts > maxAttempts) {
      await this.#fail("build", `The build was interrupted ${maxAttempts} times and is not retried.`);
      return;
    }
    await this.#write(async (transaction, now) => {
      // An interrupted build starts from the beginning.
      this.#steps = begunStep({ ...newSteps(), upload: this.#steps.upload }, "unpack", now);
      await buildStore.updateBuild(transaction, build.id, now, { steps: JSON.stringify(this.#steps) });
    });
    this.#log("info", `Build ${build.id} began.`);
    const variables = await this.#variables();
    if (build.is_preview_only === 1 && isProductionBranch(build.branch, variables.productionBranch)) {
      await this.#fail("build", "The upload was for a preview, and its branch is the production branch.");
      return;
    }
    const report = await options.runBuilder(this.#archive(), variables, this.signal);
    for (const warning of report.warnings) this.#log("warn", placed(warning));
    this.#addBuilderSteps(report);
    if (report.artifact === undefined) {
      for (const error of report.errors) this.#log("error", placed(error));
      await this.#fail(report.failedStep ?? "build", summary(report), this.#result(report, undefined));
      return;
    }
    const artifact = servedArtifact(JSON.parse(report.artifact));
    const errors = await limitedMappingErrors(options.storage.reads, build.account_seq, artifact);
    if (errors.length > 0) {
      for (const error of errors) this.#log("error", placed(error));
      const failed = { ...report, errors };
      await this.#fail("build", summary(failed), this.#result(failed, undefined));
      return;
    }
    const version = await this.#write(async (transaction, now) => {
      this.#steps = begunStep(this.#steps, "start", now);
      await buildStore.updateBuild(transaction, build.id, now, { steps: JSON.stringify(this.#steps) });
      const built = { text: report.artifact!, routes: artifact.routes.length, site: report.site };
      return addVersion(transaction, build, built, now);
    });
    this.#log(
      "info",
      `Built version ${version.number}: ${version.routes} ${version.routes === 1 ? "route" : "routes"}, ${version.artifact_bytes} bytes.`,
    );
    const tools = toolsOf(artifact);
    for (const { path, name, bytes, tokens } of tools)
      this.#log("info", `The tool ${name} of ${path}: ${bytes} bytes, about ${tokens} tokens.`);
    try {
      await options.starter.prepare({
        deploymentName: build.deployment_name,
        deploymentSeq: build.deployment_seq,
        accountSeq: build.account_seq,
        accountName: build.account_name,
        versionSeq: version.seq,
        versionNumber: version.number,
        artifactHash: version.artifact_hash,
        artifact,
        willBeProduction: isProductionBranch(build.branch, productionBranchAfter(variables, artifact.productionBranch)),
      });
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      const failed: BuildReport = { ...report, errors: startErrors(error, report.secretPlaces) };
      for (const startError of failed.errors) this.#log("error", placed(startError));
      await this.#write(async (transaction, now) => {
        await discardVersion(transaction, build);
        const result = this.#result(failed, undefined);
        await failBuild(transaction, build, this.#steps, "start", summary(failed), now, result);
      });
      return;
    }
    const isLive = await this.#write(async (transaction, now) => {
      this.#steps = succeeded(this.#steps, "start", now);
      await buildStore.updateBuild(transaction, build.id, now, {
        state: "succeeded",
        worker: null,
        steps: JSON.stringify(this.#steps),
        result: JSON.stringify(this.#result(report, version, tools)),
      });
      const deployment = { seq: build.deployment_seq, name: build.deployment_name };
      const act = buildActOf(build, now);
      if (build.is_staged === 1 && (await stageVersion(transaction, act, deployment, version))) return false;
      await activateVersion(transaction, act, deployment, version, "deployment.succeeded");
      if (build.is_preview_only === 0)
        await declareProductionBranch(transaction, act, build, artifact.productionBranch);
      return true;
    });
    this.#log("info", `Version ${version.number} is ${isLive ? "live" : "built, without traffic"}.`);
  }

  async #variables(): Promise<BuildVariables> {
    const { reads } = this.options.storage;
    const { account_seq: accountSeq, project, branch } = this.build;
    return {
      branch,
      productionBranch: await store.findProductionBranch(reads, accountSeq, project),
      ...(this.build.is_preview_only === 1 && { isPreviewOnly: true }),
      ...(this.build.is_limited === 1 && { isLimited: true }),
      variables: await buildVariablesOf(reads, accountSeq, project),
    };
  }

  async *#archive(): AsyncGenerator<Uint8Array> {
    for (let position = 0; ; position++) {
      const chunk = await sourceStore.readChunk(this.options.storage.reads, this.build.source_seq!, position);
      if (!chunk) return;
      yield chunk;
    }
  }

  /** The builder returns the duration of each step, which are reported one after the other. */
  #addBuilderSteps(report: BuildReport): void {
    let time = Date.parse(this.#steps.unpack.startedOn!);
    for (const name of ["unpack", "validate", "build"] as const) {
      const duration = report.durations[name];
      if (duration === undefined || name === report.failedStep) return;
      this.#steps = begunStep(this.#steps, name, time);
      time += Math.round(duration);
      this.#steps = succeeded(this.#steps, name, time);
    }
  }

  #result(report: BuildReport, version: Version | undefined, tools: BuiltTool[] = []): BuildResult {
    return {
      success: version !== undefined,
      durationMs: Math.round(performance.now() - this.#started),
      ...(version && { artifact: { sha256: version.artifact_hash, bytes: version.artifact_bytes } }),
      // A version without traffic is referred to by its number.
      ...(version && this.build.is_staged === 1 && { version: version.number }),
      routes: version?.routes ?? 0,
      ...(tools.length > 0 && { tools }),
      warnings: report.warnings,
      errors: report.errors,
    };
  }

  async #fail(step: BuildStepName, reason: string, result?: BuildResult): Promise<void> {
    await this.#write((transaction, now) => failBuild(transaction, this.build, this.#steps, step, reason, now, result));
  }

  /** Only while this worker has the lease of the build. */
  #write<Result>(work: (transaction: WriteTransaction, now: number) => Promise<Result>): Promise<Result> {
    const now = this.options.clock.now();
    return this.options.storage.write(async (transaction) => {
      const build = await lockRow(transaction, "deployment_builds", { id: this.build.id });
      if (build?.state !== "running" || build.worker !== this.build.worker) throw new BuildAbandoned();
      return work(transaction, now);
    });
  }

  #log(level: LogEntry["level"], message: string): void {
    this.options.logs.add(this.build.deployment_seq, {
      time: this.options.clock.now(),
      kind: "build",
      level,
      message,
    });
  }
}

function placed({ file, line, column, message }: BuildReport["errors"][number]): string {
  return file === "" ? message : `${file}:${line}:${column}: ${message}`;
}

function summary({ errors }: BuildReport): string {
  const first = errors[0];
  if (!first) return "The build failed.";
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  return `${placed(first)}${more}`;
}

/**
 * The errors of policies that would map tokens to consumers although a caller with limited access chose their options and
 * the key bucket does not list the issuer. The gateway rejects such tokens too, because the list may change.
 */
export async function limitedMappingErrors(
  reads: Reads,
  accountSeq: number,
  { isLimited, limitedPolicies = [], policies }: Artifact,
): Promise<BuildMessage[]> {
  const errors: BuildMessage[] = [];
  for (const [name, { type, options }] of Object.entries(policies)) {
    const mapping = type === "jwt" ? (options as TokenMapping) : {};
    const { mapToConsumer } = mapping;
    if (!mapToConsumer || !(isLimited || limitedPolicies.includes(name))) continue;
    if (listsIssuer(await findKeyBucketIfAny(reads, accountSeq, mapToConsumer.bucket), mapping)) continue;
    const why = isLimited
      ? "your role is limited"
      : "a variable in its options was set by a caller whose role is limited";
    const message =
      `the policy "${name}" maps tokens to consumers of the key bucket "${mapToConsumer.bucket}", and ${why}: an editor of the ` +
      `account has to add the issuer and the claim "${mapToConsumer.claim}" to the bucket's "tokenIssuers"`;
    errors.push({ file: "tollgate.json", line: 1, column: 1, message });
  }
  return errors;
}
