import { TaskRunner } from "../../../../lib/tasks/task-runner.ts";
import { removeRows } from "../../../../platform/storage/removal.ts";
import { lockRow } from "../../../../platform/storage/rows.ts";
import type { Log } from "../../../../platform/telemetry/log.ts";
import { BuildAbandoned, BuildRun, type BuildRunOptions } from "./build-run.ts";
import * as buildStore from "./build-store.ts";
import type { Build } from "./builds.ts";
import { buildLeaseMilliseconds, keepLease } from "./lease.ts";
import { isUnusedSource } from "./source-store.ts";

interface BuildQueueOptions extends BuildRunOptions {
  log: Log;
}

const pollSeconds = 2;
const maxConcurrent = 2;
const keptStatusMilliseconds = 30 * 24 * 60 * 60 * 1000;
/** Longer than any upload takes. */
const abandonedMilliseconds = 60 * 60 * 1000;
/** Each source has up to 50 MiB. */
const sourcesAtOnce = 2;

/**
 * Builds uploaded sources, oldest first, one build of a deployment at a time. The queue is a table: any node may claim
 * a build, and a build whose lease has expired is claimed again.
 */
export class BuildQueue {
  readonly #runner: TaskRunner<Build>;
  /** Running builds by id. */
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(private readonly options: BuildQueueOptions) {
    this.#runner = new TaskRunner({
      maxConcurrent,
      pollSeconds,
      claim: () => this.#take(),
      run: (build, signal) => {
        const run = this.#run(build, signal).finally(() => this.#underWay.delete(build.id));
        this.#underWay.set(build.id, run);
        return run;
      },
      claimFailed: (error) => options.log.warn("the build queue could not be read and will be retried", { error }),
    });
  }

  async start(): Promise<void> {
    const { storage } = this.options;
    // No other node can be running it.
    if (!storage.isShared) await storage.write((transaction) => buildStore.releaseUnfinished(transaction));
    const wake = () => this.#runner.wake();
    storage.feed.follow("build queue", { "deployment.build-queued": wake }, wake);
    this.#runner.start();
  }

  /** Releases running builds to the queue. */
  stop(): Promise<void> {
    return this.#runner.stop();
  }

  /** Resolves when this node has finished the build, if it is running it, and has followed the result. */
  async ended(id: string): Promise<void> {
    await this.#underWay.get(id);
  }

  /** Removes sources that are no longer needed, and old statuses. */
  async tidy(signal?: AbortSignal): Promise<void> {
    const { storage, clock } = this.options;
    const now = clock.now();
    // Running builds are kept, however old.
    const isOld = "created_on < ? AND state IN ('waiting', 'failed', 'succeeded') ORDER BY seq";
    await removeRows(storage, "deployment_builds", isOld, [now - keptStatusMilliseconds], { signal });
    const abandoned = { rows: sourcesAtOnce, signal };
    await removeRows(storage, "deployment_sources", isUnusedSource, [now - abandonedMilliseconds], abandoned);
  }

  #take(): Promise<Build | undefined> {
    const now = this.options.clock.now();
    return this.options.storage.write(async (transaction) => {
      const build = await buildStore.takeNextBuild(transaction, now);
      if (!build) return undefined;
      // A new worker id for each run: a suspended node may find that its own lease has expired and claim its build
      // again.
      const worker = crypto.randomUUID();
      const attempts = build.attempts + 1;
      await buildStore.updateBuild(transaction, build.id, now, {
        state: "running",
        worker,
        worker_until: now + buildLeaseMilliseconds,
        attempts,
      });
      return { ...build, worker, attempts };
    });
  }

  async #run(build: Build, signal: AbortSignal): Promise<void> {
    const lease = keepLease(() => this.#renew(build));
    try {
      signal.throwIfAborted();
      await new BuildRun(this.options, build, signal).run();
    } catch (error) {
      if (error instanceof BuildAbandoned) return;
      if (!signal.aborted) this.options.log.warn("a build was interrupted and will be retried", { error });
      await this.#release(build, signal.aborted).catch(() => {}); // then its lease runs out
    } finally {
      await lease.stop();
    }
  }

  async #renew({ id, worker }: Build): Promise<void> {
    const now = this.options.clock.now();
    await this.options.storage.write((transaction) =>
      buildStore.renewBuildLease(transaction, { id, worker: worker!, now, until: now + buildLeaseMilliseconds }),
    );
  }

  /** A clean stop is not a failed attempt. */
  async #release({ id, worker, attempts }: Build, isStopping: boolean): Promise<void> {
    await this.options.storage.write(async (transaction) => {
      const build = await lockRow(transaction, "deployment_builds", { id });
      if (build?.state !== "running" || build.worker !== worker) return;
      await buildStore.updateBuild(transaction, id, this.options.clock.now(), {
        state: "queued",
        worker: null,
        attempts: isStopping ? attempts - 1 : attempts,
      });
    });
  }
}
