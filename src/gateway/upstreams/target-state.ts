import type { ArtifactUpstream } from "../../core/artifact/upstream-schema.ts";

export type HealthOptions = NonNullable<ArtifactUpstream["health"]>;
type EjectionOptions = NonNullable<ArtifactUpstream["ejection"]>;

/** The last health check of a target. */
interface LastCheck {
  time: number;
  passed: boolean;
  /** Undefined if there was no response. */
  status: number | undefined;
  error: string | undefined;
}

export type TargetChange =
  | { kind: "recovered" }
  /** `ejectedUntil` is set if the failure ejected the target. */
  | { kind: "failed"; ejectedUntil: number | undefined }
  | { kind: "checked"; check: LastCheck; isUnhealthy: boolean };

/**
 * The state of a target, from health checks and requests. Times are monotonic. When the ejection time is over, one
 * request is a probe: if it succeeds the target is back, otherwise it is ejected again.
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
  /** Called after a change that other processes of the machine must know. */
  onChange: ((change: TargetChange) => void) | undefined;
  /** Whether a probe of an ejected target is in flight. */
  #isProbe = false;
  #checksInARow = 0;

  isAvailable(now: number): boolean {
    return !this.isUnhealthy && (this.ejectedUntil === 0 || (now >= this.ejectedUntil && !this.#isProbe));
  }

  /** Call it before a request is sent. Returns whether the request is a probe of an ejected target. */
  begin(): boolean {
    this.inFlight += 1;
    if (this.ejectedUntil === 0) return false;
    this.#isProbe = true;
    return true;
  }

  /** Call it if the attempt has no result for the target, because its client disconnected. */
  noResult(isProbe: boolean): void {
    if (isProbe) this.#isProbe = false;
  }

  success(isProbe: boolean): void {
    this.succeeded += 1;
    this.noResult(isProbe);
    // The result of a request from before the ejection is ignored.
    if (this.ejectedUntil !== 0 && !isProbe) return;
    const isChanged = this.consecutiveErrors !== 0 || this.ejectedUntil !== 0;
    this.consecutiveErrors = 0;
    this.ejectedUntil = 0;
    if (isChanged) this.onChange?.({ kind: "recovered" });
  }

  /** `mayEject`: whether enough other targets remain. */
  failure(isProbe: boolean, now: number, ejection: EjectionOptions | undefined, mayEject: () => boolean): void {
    this.failed += 1;
    this.consecutiveErrors += 1;
    this.noResult(isProbe);
    const isDue = ejection !== undefined && this.consecutiveErrors >= ejection.consecutiveErrors;
    const isEjected = isDue && (this.ejectedUntil === 0 ? mayEject() : isProbe);
    if (isEjected) this.ejectedUntil = now + ejection.seconds * 1000;
    this.onChange?.({ kind: "failed", ejectedUntil: isEjected ? this.ejectedUntil : undefined });
  }

  /** Applies the result of a health check. A status that does not pass is a failure. */
  checked(check: LastCheck, { unhealthyAfter, healthyAfter }: HealthOptions): void {
    this.#count(check);
    if (check.passed ? this.#checksInARow >= healthyAfter : this.#checksInARow >= unhealthyAfter)
      this.isUnhealthy = !check.passed;
    this.onChange?.({ kind: "checked", check, isUnhealthy: this.isUnhealthy });
  }

  /** Applies a change in another process of the machine. */
  changedElsewhere(change: TargetChange): void {
    if (change.kind === "checked") {
      this.#count(change.check);
      this.isUnhealthy = change.isUnhealthy;
    } else if (change.kind === "recovered") {
      this.consecutiveErrors = 0;
      this.ejectedUntil = 0;
    } else {
      this.consecutiveErrors += 1;
      if (change.ejectedUntil !== undefined) this.ejectedUntil = change.ejectedUntil;
    }
  }

  /** Call it when health is no longer checked. */
  unchecked(): void {
    this.isUnhealthy = false;
    this.lastCheck = undefined;
  }

  #count(check: LastCheck): void {
    this.#checksInARow = check.passed === this.lastCheck?.passed ? this.#checksInARow + 1 : 1;
    this.lastCheck = check;
  }
}
