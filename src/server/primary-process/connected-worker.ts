import type { StartableVersion, StartFault } from "../../areas/deployments/versions/starter.ts";
import type { LimitPlace } from "../../areas/keys/verification/limits.ts";
import { type CustomerPlace, customerPlace } from "../../areas/metering/quotas/customer-place.ts";
import type { CustomerQuota } from "../../areas/metering/quotas/customer-quota.ts";
import { Hold } from "../../areas/metering/quotas/hold.ts";
import type { SharedJwksDocuments } from "../../core/jwt/jwks-source.ts";
import { maxRecalls, prepareMilliseconds } from "../../counting/deadlines.ts";
import type { SubscriptionTerms } from "../../gateway/exchange/policy.ts";
import { holdQuota, type QuotaRejection, subscriptionTermsOf } from "../../gateway/policies/quota/customer-quotas.ts";
import type { UpstreamChange } from "../../gateway/upstreams/shared-upstream-states.ts";
import type { MessageChannel } from "../../platform/processes/message-channel.ts";
import type { LocalCounters } from "../background-services/counters.ts";
import { DecisionGroups } from "./decision-groups.ts";
import type { HealthCheckers } from "./health-checkers.ts";
import { type Leasable, WorkerLeases } from "./worker-leases.ts";
import {
  type ConnectionCounts,
  type DocumentResponse,
  decodeAmounts,
  type HoldRequest,
  type HoldResponse,
  type ToPrimary,
  type ToWorker,
  type WorkerState,
} from "./worker-messages.ts";
import type { WorkerWrites } from "./worker-writes.ts";

interface WorkerDependencies {
  counters: LocalCounters;
  writes: WorkerWrites;
  documents: SharedJwksDocuments;
  now(): number;
  workerCount(): number;
  onConnections(counts: ConnectionCounts): void;
  onCrowded(group: string): void;
  onStopping(): void;
  onUpstreams(changes: UpstreamChange[]): void;
  checkers: HealthCheckers;
}

/** A worker in the primary: what it holds and has in progress, and the changes that it has applied. */
export class ConnectedWorker {
  readonly #holds = new Map<number, Hold | Promise<Hold | undefined>>();
  readonly #inProgress = new Map<string, number>();
  readonly #leases: WorkerLeases;
  readonly #groups = new DecisionGroups();
  #waiting: { sequence: number; resolve(): void }[] = [];
  #hasEnded = false;

  constructor(
    private readonly channel: Pick<MessageChannel, "notify" | "request" | "requestCloned" | "close">,
    private readonly state: WorkerState,
    private applied: number,
    private readonly dependencies: WorkerDependencies,
  ) {
    this.#leases = new WorkerLeases({
      send: (message) => this.send(message),
      processes: () => dependencies.workerCount(),
    });
    // Counted by the former primary, so they are not checked again.
    for (const [key, count] of state.inProgress) for (let index = 0; index < count; index++) this.#begin(key);
    const { ledger } = dependencies.counters;
    for (const { id, amounts, isShared, subscriptionSeq, periodStart: start, periodEnd: end, testTime } of state.holds)
      this.#holds.set(id, ledger.takeOver(subscriptionSeq, { start, end }, decodeAmounts(amounts), isShared, testTime));
  }

  send(message: ToWorker): void {
    this.channel.notify(message);
  }

  ask(message: ToWorker, milliseconds: number): Promise<unknown> {
    return this.channel.request(message, milliseconds);
  }

  async prepare(version: StartableVersion): Promise<StartFault[]> {
    return (await this.channel.requestCloned(["prepare", version], prepareMilliseconds)) as StartFault[];
  }

  close(): void {
    this.channel.close();
  }

  /** Resolves when the worker has applied the changes up to that one. Undefined if it has already. */
  reaches(sequence: number): Promise<void> | undefined {
    if (this.applied >= sequence || this.#hasEnded) return undefined;
    return new Promise((resolve) => this.#waiting.push({ sequence, resolve }));
  }

  handle(message: ToPrimary): unknown {
    const { counters } = this.dependencies;
    switch (message[0]) {
      case "limit": {
        const [, limit, subject, requests, now, leaseId, wanted, group] = message;
        const take = () => {
          const taken = counters.windows.take(limit, subject, requests, now);
          if (wanted > 0) this.#leases.grant(leaseId, wanted, this.#leasableLimit(limit, subject, requests, now));
          return taken;
        };
        return this.#groups.decide(group, take, ({ left }) => left !== -1);
      }
      case "hold": {
        const [, request, leaseId, wanted, group] = message;
        const hold = () => this.#hold(request, leaseId, wanted);
        return this.#groups.decide(group, hold, (response) => !("reason" in response));
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
      case "count": {
        const [, subscriptionSeq, start, end, amounts, testTime] = message;
        const counted = counters.ledger.pin(subscriptionSeq, { start, end });
        counted.testTime ??= testTime;
        for (const [meter, amount] of decodeAmounts(amounts)) counted.counter(meter).settle(0n, amount);
        counters.ledger.unpin(counted);
        return undefined;
      }
      case "begin": {
        const [, key, limit, group] = message;
        const begin = () => counters.inProgress.begin(key, limit) && this.#note(key, 1);
        return this.#groups.decide(group, begin, (hasBegun) => hasBegun);
      }
      case "end":
        this.#endRequest(message[1]);
        return undefined;
      case "write": {
        const [, name, number, data] = message;
        return this.dependencies.writes.apply(name, { writer: this.state.writer, number, data });
      }
      case "document":
        return this.#document(message[1], message[2]);
      case "connections":
        this.dependencies.onConnections(message[1]);
        return undefined;
      case "crowded":
        this.dependencies.onCrowded(message[1]);
        return undefined;
      case "upstreams":
        this.dependencies.onUpstreams(message[1]);
        return undefined;
      case "watch":
        this.dependencies.checkers.watch(this, message[1]);
        return undefined;
      case "unwatch":
        this.dependencies.checkers.unwatch(this, message[1]);
        return undefined;
      case "stopping":
        this.dependencies.onStopping();
        return undefined;
      case "applied":
        this.#hasApplied(message[1]);
        return undefined;
      case "hello":
        throw new Error("The worker has been introduced.");
    }
  }

  /** The worker is gone: what it held is returned, and its requests have ended. */
  ended(): void {
    this.#hasEnded = true;
    this.#leases.ended();
    for (const id of [...this.#holds.keys()]) this.#end(id, (hold) => hold.release());
    for (const [key, count] of [...this.#inProgress]) for (let index = 0; index < count; index++) this.#endRequest(key);
    for (const { resolve } of this.#waiting) resolve();
    this.#waiting = [];
  }

  #hold(request: HoldRequest, leaseId: number, wanted: number): HoldResponse | Promise<HoldResponse> {
    const { id } = request;
    const decided = this.#decide(request, leaseId, wanted);
    if (!(decided instanceof Promise)) return decided;
    // The worker may settle or release it before.
    const held = decided.then(
      () => this.#holds.get(id) as Hold | undefined,
      () => undefined,
    );
    this.#holds.set(id, held);
    return decided.catch((error: unknown) => {
      this.#holds.delete(id);
      throw error;
    });
  }

  #decide(
    request: HoldRequest,
    leaseId: number,
    wanted: number,
    recalls = maxRecalls,
  ): HoldResponse | Promise<HoldResponse> {
    const { accountSeq, bucketId, customerKey, now } = request;
    const place = customerPlace(accountSeq, bucketId, customerKey);
    const decide = (quota: CustomerQuota): HoldResponse | Promise<HoldResponse> => {
      const hold = holdQuota(quota, decodeAmounts(request.amounts), now, request.options);
      const isExceeded = !(hold instanceof Hold) && hold.reason === "exceeded";
      const recalled = isExceeded && recalls > 0 ? quota.recall() : undefined;
      // A change may have evicted the quota meanwhile.
      if (recalled) return recalled.then(() => this.#decide(request, leaseId, wanted, recalls - 1));
      const response = this.#respond(request, quota, hold);
      if (wanted > 0) this.#leases.grant(leaseId, wanted, this.#leasableQuota(request, place, quota));
      return response;
    };
    const quota = this.dependencies.counters.ledger.find(place, now);
    return quota instanceof Promise ? quota.then(decide) : decide(quota);
  }

  #respond({ id }: HoldRequest, quota: CustomerQuota, hold: Hold | QuotaRejection): HoldResponse {
    if (hold instanceof Hold) {
      this.#holds.set(id, hold);
      if (this.#hasEnded) this.#end(id, (held) => held.release());
      return heldIn(quota);
    }
    this.#holds.delete(id);
    if (hold.reason !== "exceeded") return hold;
    const { meter, used, max, amount, code } = hold.shortage;
    const shortage = { meter, used: String(used), max: String(max), amount: String(amount), code };
    return { ...hold, shortage };
  }

  #leasableQuota({ amounts, options }: HoldRequest, place: CustomerPlace, quota: CustomerQuota): Leasable | undefined {
    const { counters, now } = this.dependencies;
    const units = quota.lease(decodeAmounts(amounts), options);
    const isCurrent = () => counters.ledger.customers.peek(place.key) === quota && quota.isValidAt(now());
    const detail = () => (isCurrent() ? { ...heldIn(quota), validUntil: quota.validUntil } : undefined);
    return units && { units, detail };
  }

  #leasableLimit(
    { scope, windowSeconds, kind }: LimitPlace,
    subject: string,
    requests: number,
    time: number,
  ): Leasable {
    const { counters, now } = this.dependencies;
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
    this.dependencies.counters.inProgress.begin(key, Number.POSITIVE_INFINITY);
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
    this.dependencies.counters.inProgress.end(key);
  }

  async #document(accountSeq: number, url: string): Promise<DocumentResponse> {
    try {
      return { document: await this.dependencies.documents.of(accountSeq, url) };
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error) };
    }
  }

  #hasApplied(sequence: number): void {
    this.applied = sequence;
    const reached = this.#waiting.filter((each) => each.sequence <= sequence);
    this.#waiting = this.#waiting.filter((each) => each.sequence > sequence);
    for (const { resolve } of reached) resolve();
  }
}

function heldIn({
  subscription,
  period,
  testTime,
}: CustomerQuota): Extract<HoldResponse, { terms: SubscriptionTerms }> {
  const { start: periodStart, end: periodEnd } = period;
  const { seq: subscriptionSeq } = subscription!.row;
  return { terms: subscriptionTermsOf(subscription!), subscriptionSeq, periodStart, periodEnd, testTime };
}
