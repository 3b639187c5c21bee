import { expect } from "bun:test";
import { followChangedCustomers } from "../../src/areas/commerce/metering/quotas/quota-changes.ts";
import { openQuotaLedger } from "../../src/areas/commerce/metering/quotas/quota-source.ts";
import type { LimitPlace } from "../../src/counting/limits/limits.ts";
import { RequestsInProgress } from "../../src/counting/limits/requests-in-progress.ts";
import { RateLimitWindows } from "../../src/counting/limits/windows.ts";
import type { CustomerPlace } from "../../src/counting/quotas/customer-place.ts";
import type { MeterAmounts } from "../../src/counting/quotas/hold.ts";
import type { HeldAmounts } from "../../src/counting/quotas/hold-quota.ts";
import type { LeaseReport, LimitGrant, QuotaGrant } from "../../src/counting/workers/messages.ts";
import { PrimaryLimits } from "../../src/counting/workers/primary-limits.ts";
import { PrimaryQuotas } from "../../src/counting/workers/primary-quotas.ts";
import { WorkerLeaseBook } from "../../src/counting/workers/worker-lease.ts";
import { amountOf } from "../../src/lib/amount.ts";
import type { ChannelMessage } from "../../src/platform/processes/message-channel.ts";
import type { Storage } from "../../src/platform/storage/storage.ts";
import { ConnectedWorker } from "../../src/server/primary-process/connected-worker.ts";
import type { ToPrimary } from "../../src/server/primary-process/worker-messages.ts";
import { ManualTimers } from "./manual-timers.ts";
import { unique } from "./metering.ts";

export const workerCount = 3;
export const unit: MeterAmounts = new Map([["requests", amountOf(1)!]]);
export const unitsOf = (count: number): MeterAmounts => new Map([["requests", amountOf(count)!]]);

interface ToDeliver {
  message: ToPrimary;
  respond?(value: unknown): void;
}

/** The counts that every request should see, whichever process decides. */
export class Model {
  limited = 0;
  consumed = 0;
  /** Units of the quota that are used or in progress. */
  get used(): number {
    return this.consumed + this.held.length;
  }
  readonly held: OpenHold[] = [];
}

export interface OpenHold {
  hold: HeldAmounts;
  worker: SimulatedWorker;
}

/** A worker and its connection to the primary, whose messages are delivered one by one. */
export class SimulatedWorker {
  readonly #toPrimary: ToDeliver[] = [];
  readonly #toWorker: (() => void)[] = [];
  readonly book: WorkerLeaseBook;
  readonly limits: PrimaryLimits;
  readonly quotas: PrimaryQuotas;
  readonly #primary: ConnectedWorker;
  /** What this worker counted and has not reported to the primary. */
  unreported = { limited: 0, consumed: 0 };
  /** Holds that the primary has granted and this worker has not received. */
  undelivered = 0;
  /** Leases of the rate limit, whose units are not those of the quota. */
  readonly #limitLeases = new Set<number>();
  /** The units that the primary has received as used, by lease. */
  readonly #counted = new Map<number, number>();
  /** The units that the primary has received as returned, by lease. */
  readonly #received = new Map<number, number>();
  isDead = false;

  constructor(
    private readonly scene: Scene,
    workers: SimulatedWorker[],
  ) {
    const { storage } = scene;
    const link = {
      ask: (message: ToPrimary) =>
        new Promise<unknown>((respond) => this.#toPrimary.push({ message, respond: (value) => respond(value) })),
      notify: (message: ToPrimary) => void this.#toPrimary.push({ message }),
      notifySurely: (message: () => ToPrimary | undefined) => {
        const now = message();
        if (now) this.#toPrimary.push({ message: now });
      },
      epoch: 1,
    };
    this.book = new WorkerLeaseBook(link);
    this.limits = new PrimaryLimits(link, this.book);
    this.quotas = new PrimaryQuotas(link, this.book, () => true);
    followChangedCustomers(storage.feed, (concerns) => this.quotas.giveUp(concerns));
    const channel = {
      notify: (message: ChannelMessage) => void this.#toWorker.push(() => this.#handle(message)),
      request: async () => undefined,
      requestCloned: async () => undefined,
      close: () => {},
    };
    const unused = () => {
      throw new Error("not used");
    };
    this.#primary = new ConnectedWorker(
      channel,
      { release: "1", isLeaving: false, writer: "w", holds: [], inProgress: [] },
      0,
      {
        counters: scene.counters,
        writes: undefined as never,
        documents: undefined as never,
        now: () => scene.now(),
        workerCount: () => workers.length,
        onConnections: unused,
        onCrowded: unused,
        onStopping: unused,
        onUpstreams: unused,
        checkers: undefined as never,
      },
    );
  }

  /** Units that were returned with messages that the primary has not received. */
  get returning(): number {
    let sum = 0;
    const returned = new Map<number, number>();
    for (const { message } of this.#toPrimary) {
      if (message[0] === "release") sum += 1;
      else if (message[0] === "settle") sum += message[2] === null ? 0 : 1 - sumOf(message[2]);
      else if (message[0] === "leases") for (const report of message[1]) returned.set(report[0], returnedIn(report));
    }
    for (const [id, total] of returned)
      if (!this.#limitLeases.has(id)) sum += Math.max(0, total - (this.#received.get(id) ?? 0));
    return sum;
  }

  get isQuiet(): boolean {
    return this.#toPrimary.length === 0 && this.#toWorker.length === 0;
  }

  /** Delivers the next message to the primary. */
  deliverToPrimary(): void {
    const next = this.#toPrimary.shift();
    if (!next) return;
    const { message, respond } = next;
    if (message[0] === "leases") for (const report of message[1]) this.#reported(report);
    if (message[0] === "limit") this.#limitLeases.add(message[5]);
    if (message[0] === "settle") this.unreported.consumed -= message[2] === null ? 1 : sumOf(message[2]);
    const result = this.#primary.handle(message);
    if (result instanceof Promise) void result.then((value) => this.#respond(message, respond, value));
    else if (respond) this.#respond(message, respond, result);
  }

  deliverToWorker(): void {
    this.#toWorker.shift()?.();
  }

  kill(): void {
    this.isDead = true;
    this.#toPrimary.length = 0;
    this.#toWorker.length = 0;
    this.#primary.ended();
  }

  #handle(message: ChannelMessage): void {
    const [name, id, units, grant] = message as [string, number, number, LimitGrant | QuotaGrant];
    if (name === "granted") this.book.granted(id, units, grant);
    else this.book.recall(id);
  }

  #reported(report: LeaseReport): void {
    const [id, , used, , , , , settledAs] = report;
    this.#received.set(id, returnedIn(report));
    const total = used + (settledAs ? sumOf(settledAs) : 0);
    const count = Math.max(0, total - (this.#counted.get(id) ?? 0));
    this.#counted.set(id, Math.max(total, this.#counted.get(id) ?? 0));
    if (this.#limitLeases.has(id)) this.unreported.limited -= count;
    else this.unreported.consumed -= count;
  }

  #respond(message: ToPrimary, respond: ToDeliver["respond"], value: unknown): void {
    if (this.isDead) return;
    this.scene.decided(this, message, value);
    this.#toWorker.push(() => respond?.(value));
  }
}

function sumOf(encoded: string): number {
  const [pair] = JSON.parse(encoded) as [string, string][];
  return pair ? Number(BigInt(pair[1]) / amountOf(1)!) : 0;
}

function returnedIn([, , , returned, , , settledUnits = 0, settledAs]: LeaseReport): number {
  return returned + settledUnits - (settledAs ? sumOf(settledAs) : 0);
}

/** The counters of a primary, a rate limit and a quota. */
export class Scene {
  readonly model = new Model();
  readonly #rejections: (() => void)[] = [];
  readonly workers: SimulatedWorker[] = [];
  readonly counters;
  /** The deadlines of recalls. */
  readonly timers = new ManualTimers();
  readonly limit: LimitPlace = { scope: unique("limit"), windowSeconds: 3600, kind: "fixed" };

  constructor(
    readonly storage: Storage,
    readonly now: () => number,
    readonly place: CustomerPlace,
    readonly requests: number,
    public max: number,
  ) {
    const ledger = openQuotaLedger(storage, { now }, { timers: this.timers });
    const windows = new RateLimitWindows(storage, { timers: this.timers });
    this.counters = { windows, ledger, inProgress: new RequestsInProgress(), flush: async () => {} };
    for (let index = 0; index < workerCount; index++) this.workers.push(new SimulatedWorker(this, this.workers));
  }

  /** A decision of the primary. */
  decided(decider: SimulatedWorker, message: ToPrimary, value: unknown): void {
    if (message[0] === "limit") {
      const { left } = value as { left: number };
      if (left === -1) expect(this.model.limited).toBeGreaterThanOrEqual(this.requests);
      else this.model.limited += 1;
      expect(this.model.limited).toBeLessThanOrEqual(this.requests);
    } else if (message[0] === "hold" && "reason" in (value as object)) {
      const returning = this.workers.reduce((sum, each) => sum + each.returning, 0);
      const { max } = this;
      // Checked later, because the results of earlier decisions may arrive only in following turns.
      this.#rejections.push(() => expect(this.used + returning).toBeGreaterThanOrEqual(max));
    } else if (message[0] === "hold") {
      decider.undelivered += 1;
      expect(this.used).toBeLessThanOrEqual(this.max);
    }
  }

  get used(): number {
    return this.model.used + this.workers.reduce((sum, { undelivered }) => sum + undelivered, 0);
  }

  async takeLimit(index: number): Promise<void> {
    const process = this.workers[index]!;
    const taken = process.limits.take(this.limit, "subject", this.requests, this.now());
    if (taken instanceof Promise) return;
    // A rejection that is known to be final needs no further message.
    if (taken.left === -1) {
      expect(this.model.limited).toBe(this.requests);
      return;
    }
    this.model.limited += 1;
    process.unreported.limited += 1;
    expect(this.model.limited).toBeLessThanOrEqual(this.requests);
  }

  takeHold(index: number): void {
    const process = this.workers[index]!;
    const held = process.quotas.hold(this.place, unit, this.now(), {});
    if (!(held instanceof Promise)) {
      this.model.held.push({ hold: held, worker: process });
      expect(this.used).toBeLessThanOrEqual(this.max);
      return;
    }
    void held.then((hold) => {
      if ("reason" in hold) return;
      process.undelivered -= 1;
      this.model.held.push({ hold, worker: process });
    });
  }

  async kill(index: number): Promise<void> {
    const killed = this.workers[index]!;
    const { held } = this.model;
    killed.kill();
    // What the worker counted since its last report is lost, and what it held is returned.
    this.model.limited -= killed.unreported.limited;
    this.model.consumed -= killed.unreported.consumed;
    for (const open of [...held]) if (open.worker === killed) held.splice(held.indexOf(open), 1);
    this.workers[index] = new SimulatedWorker(this, this.workers);
    await this.turn();
  }

  async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    for (const check of this.#rejections.splice(0)) check();
  }

  /** Delivers messages until none is left. */
  async settle(): Promise<void> {
    do {
      for (const process of this.workers) {
        process.deliverToPrimary();
        process.deliverToWorker();
      }
      await this.turn();
    } while (this.workers.some((process) => !process.isQuiet));
  }
}
