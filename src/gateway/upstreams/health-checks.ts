import type { Clock } from "../../lib/time/clock.ts";
import type { Egress } from "../../platform/egress/egress.ts";
import type { PendingRequest } from "../../platform/http1/client/client-request.ts";
import type { HttpClient } from "../../platform/http1/client/http-client.ts";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import type { HttpResponse } from "../../platform/http1/message/http-response.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import type { Deadlines, Timed } from "./deadlines.ts";
import type { OwnOrigin } from "./own-origin.ts";
import type { HealthOptions, TargetState } from "./target-state.ts";

interface HealthCheckDependencies {
  egress: Egress;
  client: HttpClient;
  deadlines: Deadlines;
  clock: Clock;
  log: Log;
  /** Decides which process of the machine checks a target. Without it, this one does. */
  checkers?: Checkers | undefined;
}

/** Several processes watch a target, and one of them checks it. */
export interface Checkers {
  watch(key: string): void;
  unwatch(key: string): void;
  isMine(key: string): boolean;
}

/** A target that is checked as long as a version has it. */
export interface Checked {
  readonly deployment: string;
  readonly origin: OwnOrigin;
  readonly label: string;
  readonly state: TargetState;
  readonly health: HealthOptions;
}

/** The timeout of a check, even if the interval is longer. */
const maxCheckSeconds = 10;

interface Watched {
  /** The checks of all versions that have the target, the newest last. */
  all: Checked[];
  timer: Timer | undefined;
  /** Identifies the check that was started last. Results of others are ignored. */
  current: symbol | undefined;
}

/**
 * Checks targets at their intervals. Versions that share a target share its checks; the newest version's settings
 * apply.
 */
export class HealthChecks {
  readonly #watched = new Map<string, Watched>();

  constructor(private readonly dependencies: HealthCheckDependencies) {}

  /** Starts with an immediate check. */
  watch(checked: Checked): void {
    const { key } = checked.origin;
    const watched = this.#watched.get(key) ?? { all: [], timer: undefined, current: undefined };
    this.#watched.set(key, watched);
    if (watched.all.length === 0) this.dependencies.checkers?.watch(key);
    watched.all.push(checked);
    clearTimeout(watched.timer);
    void this.#check(key);
  }

  /** Checks a target now, because this process has become its checker. Replaces a check that is in progress. */
  begin(key: string): void {
    clearTimeout(this.#watched.get(key)?.timer);
    void this.#check(key);
  }

  unwatch(checked: Checked): void {
    const { key } = checked.origin;
    const watched = this.#watched.get(key);
    if (!watched) return;
    const wasLast = watched.all.at(-1) === checked;
    watched.all = watched.all.filter((one) => one !== checked);
    if (watched.all.length > 0) {
      if (wasLast) this.#schedule(key, watched.all.at(-1)!);
      return;
    }
    clearTimeout(watched.timer);
    this.#watched.delete(key);
    this.dependencies.checkers?.unwatch(key);
    checked.state.unchecked();
  }

  async #check(key: string): Promise<void> {
    const watched = this.#watched.get(key);
    const checked = watched?.all.at(-1);
    const isMine = () => this.dependencies.checkers?.isMine(key) ?? true;
    if (!watched || !checked || !isMine()) return;
    const current = Symbol("check");
    watched.current = current;
    const outcome = await this.#outcomeOf(checked);
    // Another version or another process may have taken over in the meantime, with its own schedule.
    if (watched.current !== current || watched.all.at(-1) !== checked || !isMine()) return;
    this.#record(checked, outcome);
    this.#schedule(key, checked);
  }

  #schedule(key: string, { health }: Checked): void {
    const watched = this.#watched.get(key);
    if (!watched) return;
    clearTimeout(watched.timer);
    watched.timer = setTimeout(() => void this.#check(key), health.intervalSeconds * 1000);
  }

  #record({ state, health, deployment, label: target }: Checked, { status, error }: CheckOutcome): void {
    const wasUnhealthy = state.isUnhealthy;
    const passed = status !== undefined && status >= 200 && status < 400;
    state.checked({ time: this.dependencies.clock.now(), passed, status, error }, health);
    if (state.isUnhealthy === wasUnhealthy) return;
    if (state.isUnhealthy) this.dependencies.log.warn("a target is unhealthy", { deployment, target, status, error });
    else this.dependencies.log.info("a target is healthy again", { deployment, target });
  }

  async #outcomeOf({ origin: own, health }: Checked): Promise<CheckOutcome> {
    const { egress, client, deadlines } = this.dependencies;
    try {
      const { origin } = own.at(await egress.locate(own.url));
      const check = new Check(Math.min(health.intervalSeconds, maxCheckSeconds));
      deadlines.add(check);
      try {
        // In a separate connection pool: a target whose connections are all in use is not down.
        const { maxConnections: _, ...ownPool } = { ...origin, key: `${origin.key} for checks` };
        const headers = new HttpHeaders({ "user-agent": "Tollgate-Health-Check", accept: "*/*" });
        check.pending = client.dispatch(
          { origin: ownPool, method: "GET", target: health.path, headers, body: undefined },
          check,
        );
        return await check.outcome;
      } finally {
        deadlines.delete(check);
      }
    } catch (error) {
      return { status: undefined, error: messageOf(error) };
    }
  }
}

interface CheckOutcome {
  /** Undefined if there was no response. */
  status: number | undefined;
  error: string | undefined;
}

class Check implements Timed {
  readonly deadline: number;
  waitingAt = -1;
  pending: PendingRequest | undefined;
  readonly #outcome = Promise.withResolvers<CheckOutcome>();

  constructor(private readonly seconds: number) {
    this.deadline = performance.now() + seconds * 1000;
  }

  get outcome(): Promise<CheckOutcome> {
    return this.#outcome.promise;
  }

  onResponse(response: HttpResponse): void {
    response.discard();
    this.#outcome.resolve({ status: response.status, error: undefined });
  }

  onError(error: Error): void {
    this.#outcome.resolve({ status: undefined, error: messageOf(error) });
  }

  timeOut(): void {
    this.pending?.cancel(new Error(`no response within ${this.seconds} s`));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
