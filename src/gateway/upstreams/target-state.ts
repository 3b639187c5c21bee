import type { ArtifactUpstream } from "../../core/artifact/upstream-schema.ts";

export type HealthOptions = NonNullable<ArtifactUpstream["health"]>;
export type EjectionOptions = NonNullable<ArtifactUpstream["ejection"]>;

/** The last health check of a target. */
export interface LastCheck {
  time: number;
  passed: boolean;
  /** Undefined if there was no response. */
  status: number | undefined;
  error: string | undefined;
}

/**
 * What is known of a target, from health checks and from requests. Times are of the monotonic clock. A target that is ejected
 * returns for one request when its time is over: if that succeeds it is back, if not it is ejected again.
 */
export class TargetState {
  isUnhealthy = false;
  /** 0 if it is not ejected. */
  ejectedUntil = 0;
  /** Since the last success of a request. */
  consecutiveErrors = 0;
  lastCheck: LastCheck | undefined;
  /** Requests to it that are in flight, of all versions of the deployment. */
  inFlight = 0;
  /** Attempts, by outcome, for metrics. */
  succeeded = 0;
  failed = 0;
  /** The one request that finds out whether an ejected target is back. */
  #isTrial = false;
  #checksInARow = 0;

  isAvailable(now: number): boolean {
    return !this.isUnhealthy && (this.ejectedUntil === 0 || (now >= this.ejectedUntil && !this.#isTrial));
  }

  /** A request is about to be sent to it. Returns whether it finds out if an ejected target is back. */
  begin(): boolean {
    this.inFlight += 1;
    if (this.ejectedUntil === 0) return false;
    this.#isTrial = true;
    return true;
  }

  /** The attempt says nothing about the target: its client disconnected. */
  undecided(isTrial: boolean): void {
    if (isTrial) this.#isTrial = false;
  }

  success(isTrial: boolean): void {
    this.succeeded += 1;
    this.undecided(isTrial);
    // A request from before the ejection proves nothing.
    if (this.ejectedUntil !== 0 && !isTrial) return;
    this.consecutiveErrors = 0;
    this.ejectedUntil = 0;
  }

  /** `mayEject`: whether enough others are left. */
  failure(isTrial: boolean, now: number, ejection: EjectionOptions | undefined, mayEject: () => boolean): void {
    this.failed += 1;
    this.consecutiveErrors += 1;
    this.undecided(isTrial);
    if (!ejection || this.consecutiveErrors < ejection.consecutiveErrors) return;
    if (this.ejectedUntil === 0 ? mayEject() : isTrial) this.ejectedUntil = now + ejection.seconds * 1000;
  }

  /** The result of a health check. Every status that does not pass fails: none leaves the target as it was. */
  checked(check: LastCheck, { unhealthyAfter, healthyAfter }: HealthOptions): void {
    this.#checksInARow = check.passed === this.lastCheck?.passed ? this.#checksInARow + 1 : 1;
    this.lastCheck = check;
    if (check.passed ? this.#checksInARow >= healthyAfter : this.#checksInARow >= unhealthyAfter)
      this.isUnhealthy = !check.passed;
  }

  /** Health is no longer checked. */
  unchecked(): void {
    this.isUnhealthy = false;
    this.lastCheck = undefined;
    this.#checksInARow = 0;
  }
}
