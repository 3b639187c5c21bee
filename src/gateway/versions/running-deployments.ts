import type {
  CanaryTraffic,
  CanaryWatch,
  TestValues,
} from "../../areas/gateways/deployments/canary-releases/canary-traffic.ts";
import { VersionCounts } from "../../areas/gateways/deployments/canary-releases/version-counts.ts";
import type { LiveCanary, LiveDeployment, LiveDeployments } from "../../areas/gateways/deployments/versions/live.ts";
import { type StartableVersion, StartFailure } from "../../areas/gateways/deployments/versions/starter.ts";
import { type Repetition, repeat } from "../../lib/tasks/repeat.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import { RunningCanary } from "./running-canary.ts";
import { RunningVersion, type VersionDependencies } from "./running-version.ts";

interface RunningDeploymentsOptions extends VersionDependencies {
  live: LiveDeployments;
  log: Log;
  canaries?: CanaryWatch | undefined;
  testValues?: TestValues | undefined;
  /** Called when a deployment was deleted. */
  onGone(name: string): void;
}

/** How long a prepared version waits for its activation. */
const preparedSeconds = 300;
/** A deployment without requests is unloaded, and loaded again by the next request. */
const idleSeconds = 900;
const sweepSeconds = 30;
const firstRetrySeconds = 0.5;
const lastRetrySeconds = 60;
/**
 * The maximum number of pending retries for names that do not run here: while storage is unavailable, unknown names are
 * among them.
 */
const maxRetries = 1_000;

interface Prepared {
  version: RunningVersion;
  expiry: Timer;
}

/** Until it fires, requests to a deployment that does not run are rejected without another attempt. */
interface Retry {
  timer: Timer;
  seconds: number;
  error: unknown;
}

interface Refresh {
  done: Promise<void>;
  /** Whether a request waits for it; otherwise only a running version is replaced. */
  isWanted: boolean;
  /** Whether a change happened after it read the live version. */
  isOutdated: boolean;
}

/** The version that serves each deployment of this node, and the transitions between versions. */
export class RunningDeployments {
  readonly #running = new Map<string, RunningVersion>();
  readonly #prepared = new Map<number, Prepared>();
  readonly #refreshes = new Map<string, Refresh>();
  readonly #retries = new Map<string, Retry>();
  readonly #sweep: Repetition;
  #isStopped = false;

  constructor(private readonly options: RunningDeploymentsOptions) {
    this.#sweep = repeat(
      sweepSeconds,
      () => this.#sweepOnce(),
      (error) => options.log.warn("deployments could not be checked; will retry", { error }),
    );
  }

  /** The serving version, from memory. */
  get(name: string): RunningVersion | undefined {
    return this.#running.get(name);
  }

  /** All serving versions, by the names of their deployments, which have two during a canary release. */
  get all(): Iterable<[string, RunningVersion]> {
    return this.#running.entries().flatMap(([name, version]): [string, RunningVersion][] => {
      const canary = version.canary?.version;
      return canary
        ? [
            [name, version],
            [name, canary],
          ]
        : [[name, version]];
    });
  }

  /** The serving version. Starts it if needed, once for all callers. Throws if it does not start. */
  async load(name: string): Promise<RunningVersion | undefined> {
    const failing = this.#retries.get(name);
    if (failing) throw failing.error;
    try {
      await this.#refresh(name, { isWanted: true, hasChanged: false });
    } catch (error) {
      this.#retry(name, error);
      // The live version may run without its canary.
      if (!this.#running.has(name)) throw error;
    }
    return this.#running.get(name);
  }

  /** Starts a version before the deployment's pointer moves to it. */
  async prepare(version: StartableVersion): Promise<void> {
    const running = await RunningVersion.start(version, this.options);
    if (running.faults.length > 0) {
      await running.retire();
      throw new StartFailure(running.faults);
    }
    this.#dropPrepared(version.versionSeq);
    const expiry = setTimeout(() => this.#dropPrepared(version.versionSeq), preparedSeconds * 1000);
    this.#prepared.set(version.versionSeq, { version: running, expiry });
    if (this.#isStopped) this.#dropPrepared(version.versionSeq);
  }

  /**
   * Call it when the pointer has moved or was deleted. A prepared version takes over, and a deleted one stops, before
   * this returns, so that the next request sees the change. Resolves when this node has applied it; if it cannot yet,
   * the old version keeps serving.
   */
  async changed(name: string, live: LiveDeployment | undefined): Promise<void> {
    this.#forgetRetry(name);
    if (live === undefined) {
      this.#remove(name);
    } else {
      const running = this.#running.get(name);
      const next = this.#takeRunning(running, live.versionSeq);
      if (next) this.#swap(name, next);
      else if (running?.deployment.versionSeq === live.versionSeq) this.#changeCanary(running, live.canary);
    }
    await this.#follow(name);
  }

  /** Call it when any pointer may have moved. Resolves when this node has applied all changes. */
  async changedAny(): Promise<void> {
    for (const name of [...this.#running.keys(), ...this.#retries.keys()]) await this.#follow(name);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#sweep.stop();
    for (const name of [...this.#retries.keys()]) this.#forgetRetry(name);
    await Promise.allSettled([...this.#refreshes.values()].map(({ done }) => done));
    for (const versionSeq of [...this.#prepared.keys()]) this.#dropPrepared(versionSeq);
    const running = [...this.#running.values()];
    this.#running.clear();
    await Promise.allSettled(running.map((version) => version.retire()));
  }

  async #follow(name: string): Promise<void> {
    try {
      await this.#refresh(name, { isWanted: false, hasChanged: true });
      this.#forgetRetry(name);
    } catch (error) {
      this.#retry(name, error);
    }
  }

  /** One refresh at a time for each deployment. A change during a refresh restarts it. */
  #refresh(name: string, { isWanted, hasChanged }: { isWanted: boolean; hasChanged: boolean }): Promise<void> {
    const underWay = this.#refreshes.get(name);
    if (underWay) {
      underWay.isWanted ||= isWanted;
      underWay.isOutdated ||= hasChanged;
      return underWay.done;
    }
    const refresh: Refresh = { done: Promise.resolve(), isWanted, isOutdated: false };
    this.#refreshes.set(name, refresh);
    refresh.done = this.#refreshUntilCurrent(name, refresh).finally(() => this.#refreshes.delete(name));
    return refresh.done;
  }

  async #refreshUntilCurrent(name: string, refresh: Refresh): Promise<void> {
    do {
      refresh.isOutdated = false;
      const live = await this.options.live.find(name);
      if (!refresh.isOutdated) await this.#moveTo(name, live, refresh);
    } while (refresh.isOutdated && !this.#isStopped);
  }

  async #moveTo(name: string, live: LiveDeployment | undefined, refresh: Refresh): Promise<void> {
    const running = this.#running.get(name);
    if (live === undefined) {
      this.#remove(name);
      return;
    }
    if (running?.deployment.versionSeq !== live.versionSeq) {
      const next = this.#takeRunning(running, live.versionSeq);
      if (next) {
        this.#swap(name, next);
      } else if (running || refresh.isWanted) {
        const started = await RunningVersion.start(await this.#startable(live), this.options);
        if (refresh.isOutdated || this.#isStopped) {
          void started.retire();
          return;
        }
        this.#swap(name, started);
      }
    }
    await this.#moveCanary(name, live, refresh);
  }

  /** If the canary does not start here, the live version serves all requests. */
  async #moveCanary(name: string, live: LiveDeployment, refresh: Refresh): Promise<void> {
    const running = this.#running.get(name);
    if (!running || this.#changeCanary(running, live.canary)) return;
    const { versionSeq, versionNumber, artifactHash } = live.canary!;
    const startable = await this.#startable({ ...live, versionSeq, versionNumber, artifactHash });
    const version = await RunningVersion.start(startable, this.options);
    if (refresh.isOutdated || this.#isStopped || this.#running.get(name) !== running) void version.retire();
    else this.#addCanary(running, live.canary!, version);
  }

  /** Returns false if the canary must be started first. */
  #changeCanary(live: RunningVersion, canary: LiveCanary | undefined): boolean {
    if (canary && live.canary?.id === canary.id) {
      live.canary.update(canary);
      return true;
    }
    void live.endCanary()?.retire();
    if (!canary) return true;
    const prepared = this.#takePrepared(canary.versionSeq);
    if (prepared) this.#addCanary(live, canary, prepared);
    return prepared !== undefined;
  }

  #addCanary(live: RunningVersion, canary: LiveCanary, version: RunningVersion): void {
    const { deploymentSeq } = live.deployment;
    const traffic = this.options.canaries?.watch({ deploymentSeq, canaryId: canary.id }) ?? uncounted();
    live.canary = new RunningCanary(live, version, canary, traffic, this.options.testValues);
  }

  /** A version that runs without being live: the promoted canary, or a prepared one. */
  #takeRunning(live: RunningVersion | undefined, versionSeq: number): RunningVersion | undefined {
    if (live?.canary?.version.deployment.versionSeq !== versionSeq) return this.#takePrepared(versionSeq);
    this.#dropPrepared(versionSeq);
    return live.endCanary();
  }

  async #startable(live: LiveDeployment): Promise<StartableVersion> {
    const { name: deploymentName, canary: _, ...rest } = live;
    return { deploymentName, ...rest, artifact: await this.options.live.artifact(live) };
  }

  /** Switches traffic in one assignment; the old version finishes its requests. */
  #swap(name: string, next: RunningVersion): void {
    const old = this.#running.get(name);
    next.lastUsed = performance.now();
    this.#running.set(name, next);
    void old?.retire();
  }

  #remove(name: string): void {
    const running = this.#running.get(name);
    this.#running.delete(name);
    this.options.onGone(name);
    void running?.retire();
  }

  #takePrepared(versionSeq: number): RunningVersion | undefined {
    const prepared = this.#prepared.get(versionSeq);
    if (!prepared) return undefined;
    clearTimeout(prepared.expiry);
    this.#prepared.delete(versionSeq);
    return prepared.version;
  }

  #dropPrepared(versionSeq: number): void {
    void this.#takePrepared(versionSeq)?.retire();
  }

  #retry(name: string, error: unknown): void {
    if (this.#isStopped) return;
    if (!this.#retries.has(name) && !this.#running.has(name) && this.#retries.size >= maxRetries) return;
    const seconds = Math.min((this.#retries.get(name)?.seconds ?? firstRetrySeconds / 2) * 2, lastRetrySeconds);
    const message = this.#running.has(name)
      ? "a deployment's new version does not start here; the old one keeps serving"
      : "a deployment does not start here";
    this.options.log.warn(message, { deployment: name, retrySeconds: seconds, error });
    clearTimeout(this.#retries.get(name)?.timer);
    this.#retries.set(name, { seconds, error, timer: setTimeout(() => void this.#follow(name), seconds * 1000) });
  }

  #forgetRetry(name: string): void {
    clearTimeout(this.#retries.get(name)?.timer);
    this.#retries.delete(name);
  }

  /** Unloads idle versions, and applies changes whose notification was lost. */
  async #sweepOnce(): Promise<void> {
    const unusedSince = performance.now() - idleSeconds * 1000;
    for (const [name, version] of [...this.#running]) {
      if (version.lastUsed < unusedSince) {
        this.#running.delete(name);
        void version.retire();
      } else if (!this.#retries.has(name)) {
        await this.#follow(name);
      }
    }
  }
}

function uncounted(): CanaryTraffic {
  return { live: new VersionCounts(), canary: new VersionCounts(), end: () => {} };
}
