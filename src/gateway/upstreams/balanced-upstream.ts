import type { UpstreamStatus } from "../../areas/gateways/deployments/versions/upstream-status.ts";
import { type ArtifactUpstream, type RetryCause, retriedMethods } from "../../core/artifact/upstream-schema.ts";
import type { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { type Balancer, balancerOf } from "./balancer.ts";
import type { Checked, HealthChecks } from "./health-checks.ts";
import { OwnOrigin } from "./own-origin.ts";
import type { RetryBudget } from "./retry-budget.ts";
import type { TargetState } from "./target-state.ts";
import type { UpstreamStates } from "./upstream-states.ts";

/** A target of an upstream. */
export class UpstreamTarget {
  constructor(
    readonly origin: OwnOrigin,
    /** Its URL with the names of secrets instead of their values, for logs and metrics. */
    readonly label: string,
    readonly weight: number,
    readonly state: TargetState,
  ) {}

  get url(): string {
    return this.origin.url;
  }

  get inFlight(): number {
    return this.state.inFlight;
  }
}

/** The values that `hash` can use. */
interface Sender {
  readonly user: { sub: string } | undefined;
  readonly ip: string;
  readonly headers: HttpHeaders;
}

/** The target of the next attempt. */
interface Choice {
  target: UpstreamTarget;
  /** All targets are down, and this one is tried anyway. */
  isLastResort: boolean;
}

interface UpstreamParts {
  states: UpstreamStates;
  checks: HealthChecks;
  deployment: { deploymentSeq: number; deploymentName: string };
}

/** An upstream with several targets or with options, in one version of a deployment. */
export class BalancedUpstream {
  readonly targets: readonly UpstreamTarget[];
  readonly budget: RetryBudget;
  readonly hosts: ReadonlySet<string>;
  readonly #balancer: Balancer<UpstreamTarget>;
  readonly #budgetKey: string;
  readonly #checked: Checked[];
  /** The maximum number of ejected targets. With two or three targets, one can always be ejected. */
  readonly #maxEjected: number;

  constructor(
    readonly options: ArtifactUpstream,
    /** The label of each target. */
    labels: readonly string[],
    private readonly parts: UpstreamParts,
  ) {
    const { states, checks, deployment } = parts;
    const { tls, maxConnections, ejection, health } = options;
    this.targets = options.targets.map(({ url, weight }, at) => {
      const origin = new OwnOrigin(url, deployment.deploymentSeq, { tls, maxConnections });
      return new UpstreamTarget(origin, labels[at] ?? "", weight, states.target(origin.key));
    });
    this.hosts = new Set(this.targets.map(({ origin }) => origin.host));
    this.#budgetKey = this.targets.map(({ origin }) => origin.key).join(" ");
    this.budget = states.budget(this.#budgetKey);
    this.#balancer = balancerOf(options.balance, this.targets);
    const { length } = this.targets;
    this.#maxEjected = ejection && length > 1 ? Math.max(1, Math.floor(length * ejection.maxShare)) : 0;
    this.#checked = this.targets.flatMap(({ origin, label, state }) =>
      health ? { deployment: deployment.deploymentName, origin, label, state, health } : [],
    );
    for (const checked of this.#checked) checks.watch(checked);
  }

  /** Call it when the version no longer needs the upstream. */
  release(): void {
    const { states, checks } = this.parts;
    for (const checked of this.#checked) checks.unwatch(checked);
    for (const { origin } of this.targets) states.releaseTarget(origin.key);
    states.releaseBudget(this.#budgetKey);
  }

  /** Prefers targets that were not tried and have a free connection. */
  choose(sender: Sender, tried: readonly UpstreamTarget[], now: number): Choice {
    const key = this.#keyOf(sender);
    const isUp = ({ state }: UpstreamTarget) => state.isAvailable(now);
    const isNew = (target: UpstreamTarget) => isUp(target) && !tried.includes(target);
    const { maxConnections = Number.POSITIVE_INFINITY } = this.options;
    const target =
      this.#balancer.pick((one) => isNew(one) && one.inFlight < maxConnections, key) ??
      this.#balancer.pick(isNew, key) ??
      this.#balancer.pick(isUp, key);
    if (target) return { target, isLastResort: false };
    return { target: this.#balancer.pick(() => true, key)!, isLastResort: true };
  }

  /** Whether an untried target is up. */
  hasOther(tried: readonly UpstreamTarget[], now: number): boolean {
    return this.targets.some((target) => !tried.includes(target) && target.state.isAvailable(now));
  }

  failed({ state }: UpstreamTarget, isProbe: boolean, now: number): void {
    state.failure(isProbe, now, this.options.ejection, () => this.#ejected < this.#maxEjected);
  }

  /** Whether requests with this method may be retried after part of one was sent. */
  retries(method: string): boolean {
    const { retries } = this.options;
    if (!retries) return false;
    return (
      (retriedMethods as readonly string[]).includes(method) || (retries.methods ?? []).some((one) => one === method)
    );
  }

  retriesOn(cause: RetryCause): boolean {
    return this.options.retries?.on.includes(cause) === true;
  }

  /** `now` is the monotonic time, `time` the same point as wall-clock time. */
  status(now: number, time: number): UpstreamStatus {
    const { health, ejection } = this.options;
    const isWatched = health !== undefined || ejection !== undefined;
    return {
      targets: this.targets.map(({ state }) => ({
        state: state.isUnhealthy ? "unhealthy" : state.ejectedUntil !== 0 ? "ejected" : isWatched ? "up" : "unchecked",
        ejectedUntil: state.ejectedUntil === 0 ? undefined : time + Math.max(0, state.ejectedUntil - now),
        consecutiveErrors: state.consecutiveErrors,
        inFlight: state.inFlight,
        lastCheck: state.lastCheck,
      })),
    };
  }

  get #ejected(): number {
    return this.targets.filter(({ state }) => state.ejectedUntil !== 0).length;
  }

  #keyOf({ user, ip, headers }: Sender): string {
    const { hashBy } = this.options;
    if (hashBy === undefined || hashBy === "ip") return ip;
    if (hashBy === "consumer") return user?.sub ?? ip;
    return headers.get(hashBy.slice("header:".length).toLowerCase()) ?? ip;
  }
}
