import type { Clock } from "../lib/clock.ts";
import { type Repetition, repeat } from "../lib/repeat.ts";
import type { Storage } from "../storage/storage.ts";
import type { Log } from "../telemetry/log.ts";
import type { Artifact } from "./artifact.ts";
import type { BuildReport } from "./build-report.ts";
import { actOf, type Build, type BuildResult, failBuild } from "./builds.ts";
import type { DeploymentLogSink, LogEntry } from "./live.ts";
import { type Starter, StartFailure } from "./starter.ts";
import { begun, newSteps, type StepName, type Steps, succeeded } from "./steps.ts";
import * as store from "./store.ts";
import { activate, addVersion, discardVersion, type Version } from "./versions.ts";

/** Turns an archive into a report, in a process of its own. */
export type RunBuilder = (archive: AsyncIterable<Uint8Array>, signal: AbortSignal) => Promise<BuildReport>;

export interface BuildQueueOptions {
  storage: Storage;
  clock: Clock;
  runBuilder: RunBuilder;
  starter: Starter;
  logs: DeploymentLogSink;
  log: Log;
}

/** A worker that was not heard of for this long has died. */
const leaseMilliseconds = 60_000;
const renewSeconds = 15;
const pollSeconds = 2;
const mostAtOnce = 2;
const mostAttempts = 3;
const keptStatusMilliseconds = 30 * 24 * 60 * 60 * 1000;
/** No upload takes this long. */
const abandonedMilliseconds = 60 * 60 * 1000;

/** The build has been given to another worker, or its deployment has gone. */
class Abandoned extends Error {}

/**
 * Builds what was uploaded, oldest first, one build of a deployment at a time. The queue is a table: any node may take a
 * build, and one whose node died is taken up again.
 */
export class BuildQueue {
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #polling: Repetition | undefined;
  #taking = false;
  #wakeAgain = false;

  constructor(private readonly options: BuildQueueOptions) {}

  async start(): Promise<void> {
    const { storage } = this.options;
    if (storage.engine === "sqlite") await storage.write((transaction) => store.releaseUnfinished(transaction));
    storage.feed.subscribe((changes) => {
      if (changes.some(({ kind }) => kind === "deployment.build-queued")) this.#wake();
    });
    this.#polling = repeat(
      pollSeconds,
      async () => this.#wake(),
      () => {},
    );
    this.#wake();
  }

  /** Builds under way are given back to the queue. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#polling?.stop();
    await Promise.all(this.#running);
  }

  /** Removes the sources that nobody needs any more, and statuses that nobody asks for. */
  async tidy(): Promise<void> {
    const now = this.options.clock.now();
    await this.options.storage.write(async (transaction) => {
      await store.removeOldBuilds(transaction, now - keptStatusMilliseconds);
      await store.removeUnusedSources(transaction, now - abandonedMilliseconds);
    });
  }

  #wake(): void {
    if (this.#taking) {
      this.#wakeAgain = true;
      return;
    }
    this.#taking = true;
    this.#takeAll()
      .catch((error) => this.options.log.warn("the build queue could not be read and will be tried again", { error }))
      .finally(() => {
        this.#taking = false;
        if (!this.#wakeAgain) return;
        this.#wakeAgain = false;
        this.#wake();
      });
  }

  async #takeAll(): Promise<void> {
    while (this.#running.size < mostAtOnce && !this.#stopping.signal.aborted) {
      const build = await this.#take();
      if (!build) return;
      const run = this.#run(build).finally(() => {
        this.#running.delete(run);
        this.#wake();
      });
      this.#running.add(run);
    }
  }

  #take(): Promise<Build | undefined> {
    const now = this.options.clock.now();
    return this.options.storage.write(async (transaction) => {
      const build = await store.takeNextBuild(transaction, now);
      if (!build) return undefined;
      // Another one for each run: a node that was asleep may find its own build abandoned and take it up again.
      const worker = crypto.randomUUID();
      const attempts = build.attempts + 1;
      await store.updateBuild(transaction, build.id, now, {
        state: "running",
        worker,
        worker_until: now + leaseMilliseconds,
        attempts,
      });
      return { ...build, worker, attempts };
    });
  }

  async #run(build: Build): Promise<void> {
    const { log } = this.options;
    const renewal = repeat(
      renewSeconds,
      () => this.#renew(build),
      () => {},
    );
    try {
      await new BuildRun(this.options, build, this.#stopping.signal).run();
    } catch (error) {
      if (error instanceof Abandoned) return;
      if (!this.#stopping.signal.aborted) log.warn("a build was interrupted and will be tried again", { error });
      await this.#giveBack(build).catch(() => {}); // then its lease runs out
    } finally {
      await renewal.stop();
    }
  }

  async #renew({ id, worker }: Build): Promise<void> {
    const now = this.options.clock.now();
    await this.options.storage.write(async (transaction) => {
      const build = await store.lockBuild(transaction, id);
      if (build?.worker === worker)
        await store.updateBuild(transaction, id, now, { worker_until: now + leaseMilliseconds });
    });
  }

  /** A clean stop is no failed attempt. */
  async #giveBack({ id, worker, attempts }: Build): Promise<void> {
    const isStopping = this.#stopping.signal.aborted;
    await this.options.storage.write(async (transaction) => {
      const build = await store.lockBuild(transaction, id);
      if (build?.state !== "running" || build.worker !== worker) return;
      await store.updateBuild(transaction, id, this.options.clock.now(), {
        state: "queued",
        worker: null,
        attempts: isStopping ? attempts - 1 : attempts,
      });
    });
  }
}

/** One build on its way from the stored archive to live traffic. */
class BuildRun {
  #steps: Steps;
  readonly #started = performance.now();

  constructor(
    private readonly options: BuildQueueOptions,
    private readonly build: Build,
    private readonly signal: AbortSignal,
  ) {
    this.#steps = JSON.parse(build.steps);
  }

  async run(): Promise<void> {
    const { build, options } = this;
    if (build.attempts > mostAttempts) {
      await this.#fail("build", `The build was interrupted ${mostAttempts} times and is not tried again.`);
      return;
    }
    await this.#write(async (transaction, now) => {
      // All over again, if it was interrupted.
      this.#steps = begun({ ...newSteps(), upload: this.#steps.upload }, "unpack", now);
      await store.updateBuild(transaction, build.id, now, { steps: JSON.stringify(this.#steps) });
    });
    this.#tell("info", `Build ${build.id} began.`);
    const report = await options.runBuilder(this.#archive(), this.signal);
    for (const warning of report.warnings) this.#tell("warn", placed(warning));
    this.#addBuilderSteps(report);
    if (report.artifact === undefined) {
      for (const error of report.errors) this.#tell("error", placed(error));
      await this.#fail(report.failedStep ?? "build", summary(report), this.#result(report, undefined));
      return;
    }
    const artifact: Artifact = JSON.parse(report.artifact);
    const version = await this.#write(async (transaction, now) => {
      this.#steps = begun(this.#steps, "start", now);
      await store.updateBuild(transaction, build.id, now, { steps: JSON.stringify(this.#steps) });
      return addVersion(transaction, build, { text: report.artifact!, routes: artifact.routes.length }, now);
    });
    this.#tell("info", `Built version ${version.number}: ${version.routes} routes, ${version.artifact_bytes} bytes.`);
    try {
      await options.starter.prepare({
        deploymentName: build.deployment_name,
        deploymentSeq: build.deployment_seq,
        accountSeq: build.account_seq,
        accountName: build.account_name,
        versionSeq: version.seq,
        artifactHash: version.artifact_hash,
        artifact,
      });
    } catch (error) {
      if (!(error instanceof StartFailure)) throw error;
      this.#tell("error", error.message);
      await this.#write(async (transaction, now) => {
        await discardVersion(transaction, build);
        const mistake = { file: "", line: 0, column: 0, message: error.message };
        const result = this.#result({ ...report, errors: [mistake] }, undefined);
        await failBuild(transaction, build, this.#steps, "start", error.message, now, result);
      });
      return;
    }
    await this.#write(async (transaction, now) => {
      this.#steps = succeeded(this.#steps, "start", now);
      await store.updateBuild(transaction, build.id, now, {
        state: "succeeded",
        worker: null,
        steps: JSON.stringify(this.#steps),
        result: JSON.stringify(this.#result(report, version)),
      });
      const deployment = { seq: build.deployment_seq, name: build.deployment_name };
      await activate(transaction, actOf(build, now), deployment, version);
    });
    this.#tell("info", `Version ${version.number} is live.`);
  }

  async *#archive(): AsyncGenerator<Uint8Array> {
    for (let position = 0; ; position++) {
      const chunk = await store.readChunk(this.options.storage.reads, this.build.source_seq!, position);
      if (!chunk) return;
      yield chunk;
    }
  }

  /** The builder tells how long each of its steps took; they are told one after the other. */
  #addBuilderSteps(report: BuildReport): void {
    let time = Date.parse(this.#steps.unpack.startedOn!);
    for (const name of ["unpack", "validate", "build"] as const) {
      const duration = report.durations[name];
      if (duration === undefined || name === report.failedStep) return;
      this.#steps = begun(this.#steps, name, time);
      time += Math.round(duration);
      this.#steps = succeeded(this.#steps, name, time);
    }
  }

  #result(report: BuildReport, version: Version | undefined): BuildResult {
    return {
      success: version !== undefined,
      durationMs: Math.round(performance.now() - this.#started),
      ...(version ? { artifact: { sha256: version.artifact_hash, bytes: version.artifact_bytes } } : {}),
      routes: version?.routes ?? 0,
      warnings: report.warnings,
      errors: report.errors,
    };
  }

  async #fail(step: StepName, reason: string, result?: BuildResult): Promise<void> {
    await this.#write((transaction, now) => failBuild(transaction, this.build, this.#steps, step, reason, now, result));
  }

  /** Only while the build is still this worker's. */
  #write<Result>(
    work: (transaction: Parameters<Parameters<Storage["write"]>[0]>[0], now: number) => Promise<Result>,
  ): Promise<Result> {
    const now = this.options.clock.now();
    return this.options.storage.write(async (transaction) => {
      const build = await store.lockBuild(transaction, this.build.id);
      if (build?.state !== "running" || build.worker !== this.build.worker) throw new Abandoned();
      return work(transaction, now);
    });
  }

  #tell(level: LogEntry["level"], message: string): void {
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
