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
 * The state of a target, from health checks and requests. Times are monotonic. When the ejection time is over, one
 * request is a trial: if it succeeds the target is back, otherwise it is ejected again.
 */
export class TargetState {
  isUnhealthy = false;
  /** 0 if it is not ejected. */
  ejectedUntil = 0;
  /** The number of errors since the last successful request. */
  consecutiveErrors = 0;
  lastCheck: LastCheck | undefined;
  /** Requests in flight, of all versions of the deployment. */
  inFlight = 0;
  /** Attempts, by outcome, for metrics. */
  succeeded = 0;
  failed = 0;
  /** Whether a trial request of an ejected target is in flight. */
  #isTrial = false;
  #checksInARow = 0;

  isAvailable(now: number): boolean {
    return !this.isUnhealthy && (this.ejectedUntil === 0 || (now >= this.ejectedUntil && !this.#isTrial));
  }

  /** Call it before a request is sent. Returns whether the request is a trial of an ejected target. */
  begin(): boolean {
    this.inFlight += 1;
    if (this.ejectedUntil === 0) return false;
    this.#isTrial = true;
    return true;
  }

  /** Call it if the attempt has no result for the target, because its client disconnected. */
  undecided(isTrial: boolean): void {
    if (isTrial) this.#isTrial = false;
  }

  success(isTrial: boolean): void {
    this.succeeded += 1;
    this.undecided(isTrial);
    // The result of a request from before the ejection is ignored.
    if (this.ejectedUntil !== 0 && !isTrial) return;
    this.consecutiveErrors = 0;
    this.ejectedUntil = 0;
  }

  /** `mayEject`: whether enough other targets remain. */
  failure(isTrial: boolean, now: number, ejection: EjectionOptions | undefined, mayEject: () => boolean): void {
    this.failed += 1;
    this.consecutiveErrors += 1;
    this.undecided(isTrial);
    if (!ejection || this.consecutiveErrors < ejection.consecutiveErrors) return;
    if (this.ejectedUntil === 0 ? mayEject() : isTrial) this.ejectedUntil = now + ejection.seconds * 1000;
  }

  /** Applies the result of a health check. A status that does not pass is a failure. */
  checked(check: LastCheck, { unhealthyAfter, healthyAfter }: HealthOptions): void {
    this.#checksInARow = check.passed === this.lastCheck?.passed ? this.#checksInARow + 1 : 1;
    this.lastCheck = check;
    if (check.passed ? this.#checksInARow >= healthyAfter : this.#checksInARow >= unhealthyAfter)
      this.isUnhealthy = !check.passed;
  }

  /** Call it when health is no longer checked. */
  unchecked(): void {
    this.isUnhealthy = false;
    this.lastCheck = undefined;
    this.#checksInARow = 0;
  }
}
