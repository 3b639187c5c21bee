import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SimulatedCountingWorker, SimulatedPrimary } from "../../test/support/counting-machine.ts";
import { sqlite } from "../../test/support/engines.ts";
import { unique } from "../../test/support/metering.ts";
import { MeteringAccount } from "../../test/support/metering-rules.ts";
import { useStorage } from "../../test/support/storage.ts";
import { RecordedNumbers } from "../../test/support/worker-records.ts";
import { amountOf, numberOf } from "../lib/amount.ts";
import type { Storage } from "../platform/storage/storage.ts";
import type { LimitPlace } from "./limits/limits.ts";
import { customerPlace } from "./quotas/customer-place.ts";
import { Hold, type MeterAmounts } from "./quotas/hold.ts";
import type { HeldAmounts, QuotaRejection } from "./quotas/hold-quota.ts";

const workerCount = 3;
/** The limit of requests in progress. */
const concurrency = 12;
/** Kept and reused, as policies do. */
const amounts = new Map<number, MeterAmounts>(
  Array.from({ length: 9 }, (_, count) => [count, new Map([["requests", amountOf(count)!]])]),
);

interface OpenHold {
  held: HeldAmounts;
  amount: number;
  worker: SimulatedCountingWorker;
}

/** What must be true of the machine, in whole units. */
class Model {
  /** The largest maximum so far. */
  max = 0;
  /** Taken by transactions that were acknowledged. */
  consumed = 0;
  /** Settled by workers, also by those that were killed. */
  settled = 0;
  readonly open: OpenHold[] = [];
  /** What may be admitted beyond the maximum, because processes or connections ended. */
  excess = 0;
  /** What may be missing in storage, because processes or connections ended. */
  lost = 0;
  /** Requests of the rate limit that were accepted, and what may be wrong about them. */
  limited = 0;
  limitExcess = 0;
  /** The worker of each request in progress, and how many there may be beyond the limit. */
  readonly inProgress: SimulatedCountingWorker[] = [];
  inProgressExcess = 0;
  /** The sum of the numbers that workers recorded, and what killed workers may not have written. */
  recorded = 0;
  unrecorded = 0;
  /** Promises that have not settled. */
  pending = 0;
  leased = 0;

  get admitted(): number {
    return this.consumed + this.settled + this.open.reduce((sum, { amount }) => sum + amount, 0);
  }
}

class Machine {
  primary: SimulatedPrimary;
  readonly workers: SimulatedCountingWorker[] = [];
  readonly limit: LimitPlace = { scope: unique("limit"), windowSeconds: 3600, kind: "fixed" };
  readonly place;
  readonly inProgressKey = unique("in-progress");
  readonly records: RecordedNumbers;
  /** What was settled and is in storage for certain, and what killed workers settled. */
  #stored = 0;
  #settledByKilled = 0;

  constructor(
    readonly storage: Storage,
    readonly now: () => number,
    readonly account: MeteringAccount,
    readonly plan: Awaited<ReturnType<MeteringAccount["plan"]>>,
    readonly subscription: Awaited<ReturnType<MeteringAccount["subscribe"]>>,
    readonly customer: string,
    readonly requests: number,
  ) {
    this.place = customerPlace(account.account.seq, account.bucket.id, customer);
    this.records = new RecordedNumbers(storage);
    this.primary = new SimulatedPrimary(storage, now, this.records);
    for (let index = 0; index < workerCount; index++) this.workers.push(this.#newWorker());
  }

  #newWorker(): SimulatedCountingWorker {
    const worker = new SimulatedCountingWorker(this.storage, this.now, this.records);
    worker.connect(this.primary);
    return worker;
  }

  hold(model: Model, index: number, amount: number): void {
    const worker = this.workers[index]!;
    const opened = (held: HeldAmounts | QuotaRejection) => {
      if (!("reason" in held)) model.open.push({ held, amount, worker });
    };
    const held = worker.counting.quotas.hold(this.place, amounts.get(amount)!, this.now(), {});
    if (held instanceof Promise) this.#wait(model, worker, held, opened);
    else opened(held);
  }

  takeLimit(model: Model, index: number): void {
    const worker = this.workers[index]!;
    const accepted = ({ left }: { left: number }) => {
      if (left !== -1) model.limited += 1;
    };
    const taken = worker.counting.limits.take(this.limit, "subject", this.requests, this.now());
    if (taken instanceof Promise) this.#wait(model, worker, taken, accepted);
    else accepted(taken);
  }

  begin(model: Model, index: number): void {
    const worker = this.workers[index]!;
    const begun = worker.counting.inProgress.begin(this.inProgressKey, concurrency, { decisionGroup: 0 });
    this.#wait(model, worker, begun, (hasBegun) => {
      if (hasBegun) model.inProgress.push(worker);
    });
  }

  end(model: Model, which: number): void {
    const [ended] = model.inProgress.splice(which % Math.max(1, model.inProgress.length), 1);
    ended?.counting.inProgress.end(this.inProgressKey);
  }

  record(model: Model, index: number, number: number): void {
    this.workers[index]!.records.add(number);
    model.recorded += number;
  }

  /** A killed worker gets no response. */
  #wait<Result>(
    model: Model,
    worker: SimulatedCountingWorker,
    promise: Promise<Result>,
    use: (result: Result) => void,
  ): void {
    model.pending += 1;
    void promise
      .then(
        (result) => {
          if (!worker.isDead) use(result);
        },
        () => {},
      )
      .finally(() => (model.pending -= 1));
  }

  settle(model: Model, which: number, actual: number | undefined): void {
    const [ended] = model.open.splice(which % Math.max(1, model.open.length), 1);
    if (!ended) return;
    const used = Math.min(ended.amount, actual ?? ended.amount);
    ended.held.settle(actual === undefined ? undefined : amounts.get(used)!);
    // A hold ends once.
    ended.held.settle();
    ended.held.release();
    model.settled += used;
    ended.worker.settled += used;
  }

  release(model: Model, which: number): void {
    const [ended] = model.open.splice(which % Math.max(1, model.open.length), 1);
    ended?.held.release();
    ended?.held.settle();
  }

  /** Its connection ends: the primary releases what it held, until it is connected again. */
  cut(model: Model, index: number): void {
    const worker = this.workers[index]!;
    this.#mayLose(model, worker);
    for (const { amount, worker: owner } of model.open) if (owner === worker) model.excess += amount;
    model.inProgressExcess += model.inProgress.filter((owner) => owner === worker).length;
    worker.disconnect();
  }

  kill(model: Model, index: number): void {
    const worker = this.workers[index]!;
    this.#mayLose(model, worker);
    const open = model.open.filter((each) => each.worker !== worker);
    model.open.splice(0, model.open.length, ...open);
    const inProgress = model.inProgress.filter((owner) => owner !== worker);
    model.inProgress.splice(0, model.inProgress.length, ...inProgress);
    model.unrecorded += worker.records.unconfirmed;
    worker.kill();
    this.#settledByKilled += worker.settled;
    this.workers[index] = this.#newWorker();
  }

  /** What it counted in memory since the last flush is lost. */
  killPrimary(model: Model): void {
    for (let index = 0; index < workerCount; index++) this.cut(model, index);
    const unwritten = model.settled - this.#stored;
    model.lost += unwritten;
    model.excess += unwritten;
    model.limitExcess += model.limited;
    this.#stored = model.settled;
    // Waits that have begun end with it.
    this.primary.timers.end();
    this.primary.writes.stop();
    this.primary = new SimulatedPrimary(this.storage, this.now, this.records);
  }

  /** What a worker used and no primary has received may be lost. Units of leases return. */
  #mayLose(model: Model, worker: SimulatedCountingWorker): void {
    const unreceived = worker.settled - worker.received;
    model.lost += unreceived;
    model.excess += unreceived;
    model.limitExcess += model.limited;
    worker.received = worker.settled;
  }

  async flush(): Promise<void> {
    const received = this.workers.reduce((sum, worker) => sum + worker.received, 0);
    const before = this.#settledByKilled;
    await this.primary.counters.ledger.flush();
    await this.primary.counters.windows.flush(this.now());
    this.#stored = Math.max(this.#stored, before + received);
  }

  async consume(model: Model, amount: number, missesDeadline: boolean): Promise<void> {
    const { act, bucket } = this.account;
    const consumption = {
      act,
      bucketId: bucket.id,
      subscriptionId: this.subscription.row.id,
      amounts: new Map(amounts.get(amount)!),
    };
    const { allowed } = await this.work(this.primary.transactions.consume(consumption), missesDeadline);
    if (allowed) model.consumed += amount;
  }

  /** Waits for work of the primary, which may recall units: they are returned, or the deadline passes. */
  async work<Result>(promise: Promise<Result>, missesDeadline = false): Promise<Result> {
    let isDone = false;
    const done = promise.finally(() => (isDone = true));
    done.catch(() => {});
    while (!isDone) {
      if (this.primary.timers.waiting > 0) {
        if (missesDeadline) this.primary.timers.end();
        else for (const worker of this.workers) this.#deliverAll(worker);
        if (this.workers.some((worker) => worker.isDisconnected)) this.primary.timers.end();
      }
      await this.turn();
    }
    return done;
  }

  #deliverAll(worker: SimulatedCountingWorker): void {
    worker.deliver(true, 100);
    worker.deliver(false, 100);
  }

  async turn(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Delivers everything, with all workers connected. */
  async drain(): Promise<void> {
    for (const worker of this.workers) worker.connect(this.primary);
    let quiet = 0;
    while (quiet < 3) {
      for (const worker of this.workers) this.#deliverAll(worker);
      await this.turn();
      this.primary.writeTimers.end();
      quiet = this.workers.every((worker) => worker.isQuiet && worker.records.flushing === 0) ? quiet + 1 : 0;
    }
  }

  async used(): Promise<number> {
    const quota = await this.primary.counters.ledger.find(this.place, this.now());
    const { subscriptionSeq, periodStart: start, periodEnd: end } = quota.heldIn!;
    const counters = this.primary.counters.ledger.pin(subscriptionSeq, { start, end });
    const { used } = counters.counter("requests");
    this.primary.counters.ledger.unpin(counters);
    return numberOf(used);
  }
}

class Step implements fc.AsyncCommand<Model, Machine> {
  constructor(
    private readonly name: string,
    private readonly work: (model: Model, machine: Machine) => unknown,
  ) {}

  check = () => true;

  async run(model: Model, machine: Machine): Promise<void> {
    await this.work(model, machine);
    await machine.turn();
    model.leased += machine.workers.reduce((sum, { counting }) => sum + counting.leaseCount, 0);
    expect(model.admitted).toBeLessThanOrEqual(model.max + model.excess);
    expect(model.limited).toBeLessThanOrEqual(machine.requests + model.limitExcess);
    expect(model.inProgress.length).toBeLessThanOrEqual(concurrency + model.inProgressExcess);
  }

  toString = () => this.name;
}

const worker = fc.nat(workerCount - 1);
const count = fc.integer({ min: 1, max: 30 });
const amount = fc.constantFrom(1, 1, 1, 3);
const step = <Values extends unknown[]>(
  name: string,
  values: { [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  work: (model: Model, machine: Machine, ...values: Values) => unknown,
) =>
  fc
    .tuple(...values)
    .map((given) => new Step(`${name}(${given})`, (model, machine) => work(model, machine, ...(given as Values))));
const times = (repetitions: number, work: () => void) => {
  for (let index = 0; index < repetitions; index++) work();
};

const takes = [
  step<[number, number, number]>("hold", [worker, amount, count], (model, machine, index, units, repetitions) =>
    times(repetitions, () => machine.hold(model, index, units)),
  ),
  step<[number, number]>("limit", [worker, count], (model, machine, index, repetitions) =>
    times(repetitions, () => machine.takeLimit(model, index)),
  ),
  step<[number, number, number | undefined]>(
    "settle",
    [fc.nat(), count, fc.option(fc.nat(3), { nil: undefined })],
    (model, machine, which, repetitions, actual) => times(repetitions, () => machine.settle(model, which, actual)),
  ),
  step<[number, number]>("begin", [worker, count], (model, machine, index, repetitions) =>
    times(repetitions, () => machine.begin(model, index)),
  ),
  step<[number, number]>("end", [fc.nat(), count], (model, machine, which, repetitions) =>
    times(repetitions, () => machine.end(model, which)),
  ),
  step<[number, number]>("record", [worker, count], (model, machine, index, number) =>
    machine.record(model, index, number),
  ),
  step<[number]>("release", [fc.nat()], (model, machine, which) => machine.release(model, which)),
  step<[number, boolean]>("consume", [fc.integer({ min: 1, max: 8 }), fc.boolean()], (model, machine, units, late) =>
    machine.consume(model, units, late),
  ),
];
const messages = [
  step<[number, boolean, number]>("deliver", [worker, fc.boolean(), count], (_, machine, index, direction, messages) =>
    machine.workers[index]!.deliver(direction, messages),
  ),
  step<[number]>("report", [worker], (_, machine, index) => machine.workers[index]!.report()),
  step<[number]>("write", [worker], (_, machine, index) => machine.workers[index]!.records.flush()),
  step<[]>("drain", [], (_, machine) => machine.drain()),
];
const faults = [
  step<[number, number, boolean]>("repeat", [worker, fc.nat(), fc.boolean()], (_, machine, index, which, direction) =>
    machine.workers[index]!.repeat(which, direction),
  ),
  step<[]>("loseCommit", [], (_, machine) => {
    machine.primary.losesCommit = true;
  }),
  step<[]>("writeDeadline", [], (_, machine) => machine.primary.writeTimers.end()),
  step<[]>("recallDeadline", [], (_, machine) => machine.primary.timers.end()),
  step<[number]>("requestDeadline", [worker], (_, machine, index) => machine.workers[index]!.missDeadlines()),
  step<[]>("evict", [], (_, machine) => machine.primary.counters.ledger.evictIdle()),
  step<[number]>("max", [fc.integer({ min: 0, max: 100 })], async (model, machine, max) => {
    model.max = Math.max(model.max, max);
    await machine.work(machine.account.changePlan(machine.plan, { requests: { max } }));
  }),
];

/** After these, usage may be lost and limits exceeded, as far as protocol.md says. */
const ends = [
  step<[number]>("cut", [worker], (model, machine, index) => machine.cut(model, index)),
  step<[number]>("connect", [worker], (_, machine, index) => machine.workers[index]!.connect(machine.primary)),
  step<[number]>("kill", [worker], (model, machine, index) => machine.kill(model, index)),
  step<[]>("killPrimary", [], (model, machine) => machine.killPrimary(model)),
];

const flush = step<[]>("flush", [], (_, machine) => machine.work(machine.flush()));
/** A command is drawn as often as it is in the list. */
const usual = [...takes, ...takes, ...takes, ...messages, ...messages, ...messages, ...faults, flush];

describe("a primary and its workers", () => {
  const storage = useStorage(sqlite);

  test.each([
    ["with late and repeated messages and missed deadlines", usual],
    ["with processes and connections that end", [...usual, ...ends]],
  ])("%s, count nothing twice, lose nothing, exceed no limit and never wait without end", async (_, commands) => {
    let leased = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.commands(commands, { maxCommands: 120, size: "max" }),
        fc.integer({ min: 20, max: 300 }),
        async (steps, max) => {
          const { open, clock } = storage;
          const account = await MeteringAccount.create(open, clock);
          const plan = await account.plan({ requests: { max } });
          const customer = unique("customer");
          const subscription = await account.subscribe(plan, customer);
          const machine = new Machine(open, () => clock.now(), account, plan, subscription, customer, max);
          const model = new Model();
          model.max = max;
          await fc.asyncModelRun(() => ({ model, real: machine }), steps);
          leased += model.leased;

          // In the end, everything is connected, delivered and settled.
          machine.primary.timers.end();
          await machine.drain();
          // All requests in progress are known, also after ends: one more is admitted exactly if the limit permits it.
          const inProgress = model.inProgress.length;
          machine.begin(model, 0);
          await machine.drain();
          expect(model.inProgress.length).toBe(inProgress < concurrency ? inProgress + 1 : inProgress);
          while (model.open.length > 0) {
            machine.settle(model, 0, undefined);
            await machine.drain();
          }
          for (let round = 0; round < 12; round++) {
            for (const each of machine.workers) each.report();
            await machine.drain();
            machine.primary.timers.end();
          }
          while (model.open.length > 0) machine.release(model, 0);
          while (model.inProgress.length > 0) machine.end(model, 0);
          await machine.drain();
          expect(model.pending).toBe(0);
          expect(machine.workers.map(({ waiting }) => waiting)).toEqual([0, 0, 0]);
          expect(machine.workers.map(({ counting }) => counting.leaseCount)).toEqual([0, 0, 0]);
          await machine.flush();
          const { requests: used } = (await account.used(subscription)) as { requests: number };
          expect(used).toBeLessThanOrEqual(model.consumed + model.settled);
          expect(used).toBeGreaterThanOrEqual(model.consumed + model.settled - model.lost);
          // Each batch is written once, whichever messages and responses were lost.
          for (let round = 0; round < 3; round++) {
            for (const { records } of machine.workers) records.flush();
            await machine.drain();
          }
          expect(machine.workers.map(({ records }) => records.unconfirmed)).toEqual([0, 0, 0]);
          const recorded = await machine.records.sum();
          expect(recorded).toBeLessThanOrEqual(model.recorded);
          expect(recorded).toBeGreaterThanOrEqual(model.recorded - model.unrecorded);
          // No request is in progress.
          times(concurrency, () => machine.begin(model, 0));
          await machine.drain();
          expect(model.inProgress.length).toBe(concurrency);
          // No hold and no lease is left.
          expect(await machine.used()).toBe(used);
          const { ledger } = machine.primary.counters;
          ledger.evictIdle();
          ledger.evictIdle();
          expect(ledger.periods).toBe(0);
          const quota = await ledger.find(machine.place, clock.now());
          expect(quota.hold(amounts.get(0)!, { mayExceed: true })).toBeInstanceOf(Hold);
        },
      ),
      { numRuns: 100 },
    );
    expect(leased).toBeGreaterThan(0);
  });
});
