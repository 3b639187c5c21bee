import type { LimitPlace } from "../limits/limits.ts";
import type { RequestsInProgress } from "../limits/requests-in-progress.ts";
import type { RateLimitWindows } from "../limits/windows.ts";
import { type CustomerPlace, customerPlace, isOfOtherBucket } from "../quotas/customer-place.ts";
import type { CustomerQuota } from "../quotas/customer-quota.ts";
import { Hold } from "../quotas/hold.ts";
import { type HoldDecision, holdQuota } from "../quotas/hold-quota.ts";
import type { QuotaLedger } from "../quotas/quota-ledger.ts";
import { GrantedLeases, type Leasable } from "./granted-leases.ts";
import {
  type CountedState,
  type CountingToPrimary,
  type CountingToWorker,
  decodeAmounts,
  encodeExceeded,
  type HoldRequest,
  type HoldResponse,
  parseAmounts,
} from "./messages.ts";

/** The counters of a machine. */
export interface MachineCounters {
  windows: RateLimitWindows;
  ledger: QuotaLedger;
  inProgress: RequestsInProgress;
}

interface CountedWorkerOptions {
  /** The name of the worker, which it keeps while it lives. */
  worker: string;
  counters: MachineCounters;
  send(message: CountingToWorker): void;
  now(): number;
  workerCount(): number;
}

function estimateOf(text: string | undefined) {
  return text === undefined ? undefined : parseAmounts(text);
}

/** What the primary counts for one worker: its holds, its leases and its requests in progress. */
export class CountedWorker {
  readonly #holds = new Map<number, Hold | Promise<Hold | undefined>>();
  readonly #inProgress = new Map<string, number>();
  readonly #leases: GrantedLeases;
  readonly #groups = new DecisionGroups();
  #hasEnded = false;

  /** @param state what the former primary counted for the worker; it is not checked again */
  constructor(
    { holds, inProgress, formerPrimary }: CountedState,
    private readonly options: CountedWorkerOptions,
  ) {
    const { send, workerCount: processes, counters, worker } = options;
    this.#leases = new GrantedLeases({ send, processes });
    counters.ledger.lost.returned(worker);
    if (formerPrimary !== undefined) counters.ledger.replaces(formerPrimary);
    for (const [key, count] of inProgress) for (let index = 0; index < count; index++) this.#begin(key);
    for (const { id, amounts, isShared, estimate, ...heldIn } of holds) {
      const taken = { amounts: decodeAmounts(amounts), isShared, estimate: estimateOf(estimate) };
      this.#holds.set(id, counters.ledger.takeOver(heldIn, taken));
    }
  }

  /** Handles a message. Returns the response to a request. */
  handle(message: CountingToPrimary): unknown {
    const { counters } = this.options;
    switch (message[0]) {
      case "limit": {
        const [, limit, subject, requests, now, leaseId, wanted, group] = message;
        const take = () => {
          const taken = counters.windows.take(limit, subject, requests, now);
          if (wanted > 0) this.#leases.grant(leaseId, wanted, this.#leasableLimit(limit, subject, requests, now));
          return taken;
        };
        return this.#groups.decide(group, take, ({ left }) => left !== -1 || limit.observes === true);
      }
      case "hold": {
        const [, request, leaseId, wanted, group] = message;
        const hold = () => this.#hold(request, leaseId, wanted);
        return this.#groups.decide(
          group,
          hold,
          (response) => !("reason" in response) || request.options.observes === true,
        );
      }
      case "leases":
        this.#leases.report(message[1]);
        return undefined;
      case "counted": {
        const [, { scope, windowSeconds, kind }, subject, time, requests] = message;
        counters.windows.open(scope, windowSeconds, time, kind).count(subject, requests);
        return undefined;
      }
      case "settle": {
        const [, id, actual] = message;
        this.#end(id, (hold) => hold.settle(actual ? decodeAmounts(actual) : undefined));
        return undefined;
      }
      case "release":
        this.#end(message[1], (hold) => hold.release());
        return undefined;
      case "estimate": {
        const [, id, used] = message;
        const hold = this.#holds.get(id);
        if (hold instanceof Hold) hold.estimate(parseAmounts(used));
        return undefined;
      }
      case "count": {
        const [, subscriptionSeq, start, end, amounts, testTime] = message;
        const counted = counters.ledger.pin(subscriptionSeq, { start, end });
        counted.testTime ??= testTime;
        for (const [meter, amount] of decodeAmounts(amounts)) counted.counter(meter).settle(0n, amount);
        counters.ledger.unpin(counted);
        return undefined;
      }
      case "begin": {
        const [, key, limit, group, observes] = message;
        const begin = () => counters.inProgress.begin(key, limit) && this.#note(key, 1);
        return this.#groups.decide(group, begin, (hasBegun) => hasBegun || observes === true);
      }
      case "end":
        this.#endRequest(message[1]);
        return undefined;
    }
  }

  /** Called when the connection of the worker ends. Reduces its holds to their estimates, and ends its requests. */
  ended(): void {
    this.#hasEnded = true;
    this.#leases.ended();
    const { counters, worker, now } = this.options;
    const open = [...this.#holds.values()].filter((hold) => hold instanceof Hold);
    counters.ledger.lost.add(worker, open, now());
    for (const id of [...this.#holds.keys()]) this.#end(id, (hold) => hold.release());
    for (const [key, count] of [...this.#inProgress]) for (let index = 0; index < count; index++) this.#endRequest(key);
  }

  #hold(request: HoldRequest, leaseId: number, wanted: number): HoldResponse | Promise<HoldResponse> {
    const { id, accountSeq, bucketId, customerKey, keyBucket, amounts, now } = request;
    const estimate = estimateOf(request.estimate);
    const options = estimate ? { ...request.options, estimate } : request.options;
    const place = customerPlace(accountSeq, bucketId, customerKey, keyBucket);
    const respond = (decision: HoldDecision) => {
      const response = this.#respond(id, decision);
      if (wanted > 0) this.#leases.grant(leaseId, wanted, this.#leasableQuota(request, place, decision.quota));
      return response;
    };
    const decision = holdQuota(this.options.counters.ledger, place, decodeAmounts(amounts), now, options);
    if (!(decision instanceof Promise)) return respond(decision);
    const responded = decision.then(respond);
    // The worker may settle or release it before.
    const held = responded.then(
      () => this.#holds.get(id) as Hold | undefined,
      () => undefined,
    );
    this.#holds.set(id, held);
    return responded.catch((error: unknown) => {
      this.#holds.delete(id);
      throw error;
    });
  }

  #respond(id: number, { quota, result }: HoldDecision): HoldResponse {
    if (result instanceof Hold) {
      this.#holds.set(id, result);
      if (this.#hasEnded) this.#end(id, (held) => held.release());
      const exceeded = result.exceeded && encodeExceeded(result.exceeded);
      return { terms: result.terms, ...quota.heldIn!, usage: result.usage, ...(exceeded && { exceeded }) };
    }
    this.#holds.delete(id);
    return result.reason === "exceeded" ? encodeExceeded(result) : result;
  }

  #leasableQuota({ amounts, options }: HoldRequest, place: CustomerPlace, quota: CustomerQuota): Leasable | undefined {
    if (isOfOtherBucket(quota.definition.keyBucket, place.keyBucket)) return undefined;
    const { counters, now } = this.options;
    const units = quota.lease(decodeAmounts(amounts), options);
    const isCurrent = () => counters.ledger.customers.peek(place.key) === quota && quota.isValidAt(now());
    const detail = () =>
      isCurrent() ? { terms: quota.owner!.terms, ...quota.heldIn!, validUntil: quota.validUntil } : undefined;
    return units && { units, detail };
  }

  #leasableLimit(
    { scope, windowSeconds, kind }: LimitPlace,
    subject: string,
    requests: number,
    time: number,
  ): Leasable {
    const { counters, now } = this.options;
    const window = counters.windows.open(scope, windowSeconds, time, kind);
    // The allowance of a sliding window increases with time.
    const units = window.lease(subject, () => window.allowance(subject, requests, Math.max(time, now())));
    const detail = () => (now() < window.end ? { remaining: Math.max(0, units.available()) } : undefined);
    return { units, detail };
  }

  #end(id: number, end: (hold: Hold) => void): void {
    const hold = this.#holds.get(id);
    if (hold instanceof Promise) {
      void hold.then((held) => {
        this.#holds.delete(id);
        if (held) end(held);
      });
      return;
    }
    this.#holds.delete(id);
    if (hold) end(hold);
  }

  #begin(key: string): void {
    this.options.counters.inProgress.begin(key, Number.POSITIVE_INFINITY);
    this.#note(key, 1);
  }

  #note(key: string, change: 1 | -1): true {
    const count = (this.#inProgress.get(key) ?? 0) + change;
    if (count === 0) this.#inProgress.delete(key);
    else this.#inProgress.set(key, count);
    return true;
  }

  #endRequest(key: string): void {
    if (!this.#inProgress.has(key)) return;
    this.#note(key, -1);
    this.options.counters.inProgress.end(key);
  }
}

/**
 * Decisions about one request that a worker asks for in one turn. Each is made only if those before it in its group let
 * the request continue. Messages of a group follow each other, so only the last group is known.
 */
export class DecisionGroups {
  #group = 0;
  #continues: boolean | Promise<boolean> = true;

  /** Returns null if the request has ended before. */
  decide<Result>(
    group: number,
    make: () => Result | Promise<Result>,
    continues: (result: Result) => boolean,
  ): Result | null | Promise<Result | null> {
    if (!group) return make();
    const before = group === this.#group ? this.#continues : true;
    if (before === false) return null;
    const result = before === true ? make() : before.then((continued) => (continued ? make() : null));
    this.#group = group;
    this.#continues =
      result instanceof Promise
        ? result.then(
            (made) => made !== null && continues(made),
            () => false,
          )
        : continues(result);
    return result;
  }
}
