import { expect } from "bun:test";
import fc from "fast-check";
import { BilledGateway } from "./billed-gateway.ts";
import { billed, invoicesOf, ok } from "./billing.ts";
import { cents, expectLedger, feesOf, split, sumOf, usageCostOf } from "./billing-checks.ts";
import { BillingModel, type ModelPlan } from "./billing-model.ts";
import { day, iso, plan, planBody, Run, type Step, start, step, trial, volume } from "./billing-run.ts";
import type { ClientResponse } from "./client.ts";
import { countedUnits } from "./counted-units.ts";
import type { Engine } from "./engines.ts";
import { createPlan, subscribe } from "./metering.ts";
import { MoneyBook } from "./money-checks.ts";
import { MoneyRun, moneyStep, renewingStep, returningStep, setTaxes } from "./money-run.ts";
import { PackBook } from "./pack-checks.ts";
import { isPackStep, modelPacks, PackRun, packStep } from "./pack-run.ts";
import { RolloverBook } from "./rollover-checks.ts";
import { startServer, type TestServer } from "./server.ts";

type Body = ClientResponse["body"];

/** How often a property is checked, and with which random values. */
export interface Runs {
  numRuns: number;
  seed?: number;
  /** Ends the check after this time, which is a success if nothing was wrong until then. */
  interruptAfterTimeLimit?: number;
}

/**
 * Units that grants cover stay covered, so usage must not move out of a segment after it was counted, and after 35 days
 * grants no longer cover usage that arrives late. Caps are compared after meter grants.
 */
function keepsCovered(step: Step): boolean {
  if (step.kind === "event") return step.late >= 0 && step.late <= 30 * day;
  return step.kind !== "cap" && step.kind !== "take-back";
}

/** Properties of billing that hold whatever happens to a subscription, on a server of their own. */
export class BillingProperties {
  /** The numbers of the last invoice and the last credit note. */
  #last = { invoice: 0, "credit-note": 0 };

  private constructor(
    private readonly server: TestServer,
    private readonly other: TestServer,
    readonly gateway: BilledGateway,
  ) {}

  /** With a second node if the engine allows it. */
  static async open(engine: Engine, server: TestServer): Promise<BillingProperties> {
    await setTaxes(server.client, "exclusive");
    const gateway = await BilledGateway.open(server);
    const { database, clock } = server;
    const other = engine.name === "sqlite" ? server : await startServer(engine, { database, clock });
    return new BillingProperties(server, other, gateway);
  }

  async close(): Promise<void> {
    await this.gateway.close();
    if (this.other !== this.server) await this.other.stop();
  }

  #runOf(bucket: string, path: string, planIds: string[], model: BillingModel): Run {
    return new Run(this.server.client, bucket, path, planIds, model, (units) => this.gateway.request(units));
  }

  async #begin(plans: ModelPlan[], trialDays: number): Promise<Run> {
    const { client } = this.server;
    const trialEnd = start + trialDays * day;
    const status =
      trialDays === 0 ? {} : { status: "trialing", trialStartDate: iso(start), trialEndDate: iso(trialEnd) };
    const { bucket, plan, path } = await billed(client, iso(start), planBody(plans[0]!), status);
    await this.gateway.use(bucket);
    const ids = [plan.planExternalId];
    for (const each of plans.slice(1)) ids.push((await createPlan(client, bucket, planBody(each))).planExternalId);
    return this.#runOf(bucket, path, ids, new BillingModel(plans, start, 0, trialEnd));
  }

  /** The numbers follow those of the run before, without gaps. */
  #expectNumbers(documents: Body[]): void {
    for (const type of ["invoice", "credit-note"] as const) {
      const [its] = split(documents, (each) => each.type === type);
      // An invoice that waits for late usage gets its number after one that was created later.
      const numbers = its.map(({ number }) => Number(number.slice(-6))).sort((a, b) => a - b);
      expect(numbers).toEqual(numbers.map((_, index) => this.#last[type] + index + 1));
      this.#last[type] += numbers.length;
    }
  }

  /** Whatever happens, each unit and each fee is billed once, under the terms of its time. */
  async billsOnce(runs: Runs): Promise<void> {
    const { client } = this.server;
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(plan, plan, plan),
        trial,
        fc.array(step, { maxLength: 25 }),
        async (plans, days, steps) => {
          const run = await this.#begin(plans, days);
          const { bucket } = run;
          for (const each of steps) await run.do(each);
          await run.end();

          const invoices = await invoicesOf(client, bucket);
          expect(invoices.map(({ status }) => status)).not.toContain("draft");
          expect(await usageCostOf(client, bucket, invoices)).toBe(run.model.overage() - run.model.writtenOff());
          expect(await feesOf(client, bucket, invoices)).toBe(run.model.fees);
          await expectLedger(client, bucket, invoices);
          for (const { lines, total } of invoices) {
            const sum = lines.reduce((added: bigint, { amount }: Body) => added + cents(amount), 0n);
            expect(sum).toBe(cents(total));
            expect(sum >= 0n).toBe(true);
          }
          this.#expectNumbers(invoices);
          const { balances = [] } = await ok(client.get(`${bucket}/customers/acme`));
          for (const { amount } of balances) expect(cents(amount) > 0n).toBe(true);
        },
      ),
      runs,
    );
  }

  /**
   * Meter grants cover units beyond the allowance, each once, and money pays for the rest. With one price and without
   * trials: then it does not matter which units are covered.
   */
  async coversOnce(runs: Runs): Promise<void> {
    const { client } = this.server;
    const terms = fc.record({ fee: fc.integer({ min: 0, max: 9_000 }), max: fc.integer({ min: 0, max: 200 }) });
    const units = fc.integer({ min: 1, max: 500 });
    const unitMillicents = fc.integer({ min: 1, max: 20 }).map((unitCents) => unitCents * 1_000);
    const steps = fc.array(step.filter(keepsCovered), { maxLength: 20 });
    const inputs = fc.tuple(fc.tuple(terms, terms, terms), unitMillicents, units, steps);
    await fc.assert(
      fc.asyncProperty(inputs, async ([plans, price, granted, steps]) => {
        const rated = plans.map((each) => ({ ...each, unitMillicents: price }));
        const run = await this.#begin(rated, 0);
        const { bucket, model } = run;
        const grants = `${bucket}/customers/acme/grants`;
        const { id } = await ok(
          client.post(grants, { meter: "requests", amount: granted, funding: "promotional", priority: 1 }),
        );
        await run.moveTo(start + 1);
        for (const each of steps) await run.do(each);
        await run.end();
        const covered = Math.min(granted, model.overageUnits());
        expect((await ok(client.get(`${grants}/${id}`))).balance).toBe(granted - covered);
        const invoices = await invoicesOf(client, bucket);
        const billedUnits = BigInt(model.overageUnits() - covered);
        expect(sumOf(invoices, ["overage"])).toBe((billedUnits * BigInt(price)) / 1_000n);
        expect(await feesOf(client, bucket, invoices)).toBe(model.fees);
        await expectLedger(client, bucket, invoices);
        this.#expectNumbers(invoices);
      }),
      runs,
    );
  }

  /**
   * Whatever happens to invoices and payments, no invoice, no fee and not the customer gets back more than was received, and
   * each unit beyond the allowance is covered by a meter grant or invoiced, once. What a cap writes off is on the invoice too.
   * What is carried over of each period is what it left unused, once its fee is paid.
   * Returns how many subscriptions were checked.
   */
  async returnsReceived(runs: Runs): Promise<number> {
    const { client } = this.server;
    let count = 0;
    const fee = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9_000 }));
    const max = fc.integer({ min: 0, max: 200 });
    const terms = fc.record({ fee, max, calls: fc.record({ max, isPrepaid: fc.boolean() }) });
    const unitMillicents = fc.integer({ min: 1, max: 20 }).map((unitCents) => unitCents * 1_000);
    const usual = step.filter(
      (each) => each.kind !== "upcoming" && (each.kind === "cap" || each.kind === "take-back" || keepsCovered(each)),
    );
    // Each property of the money holds for several meters together, and those of units for one of them.
    const calls = fc.option(fc.integer({ min: 1, max: 250 }), { nil: undefined, freq: 2 });
    const withCalls = (steps: fc.Arbitrary<Step>): fc.Arbitrary<Step> =>
      fc.tuple(steps, calls).map(([each, calls]) => (each.kind === "event" ? { ...each, calls } : each));
    const mixed = fc.oneof(
      { weight: 3, arbitrary: withCalls(usual) },
      { weight: 3, arbitrary: moneyStep },
      { weight: 2, arbitrary: packStep },
      { weight: 2, arbitrary: withCalls(renewingStep) },
      returningStep,
    );
    const steps = fc.array(mixed, { minLength: 10, maxLength: 40, size: "max" });
    const granted = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 20 }));
    const prepaid = fc.tuple(fc.boolean(), fc.boolean(), fc.boolean());
    // The periods are the same for all plans, so that the expiry of a grant identifies the period that it comes from.
    const maximum = fc.option(fc.integer({ min: 1, max: 150 }), { nil: undefined, freq: 4 });
    const carried = fc.record({
      maximums: fc.tuple(maximum, maximum, maximum),
      periods: fc.integer({ min: 1, max: 3 }),
    });
    const three = fc.tuple(terms, terms, terms);
    const inputs = fc.tuple(three, prepaid, carried, unitMillicents, volume, granted, modelPacks, steps);
    await fc.assert(
      fc.asyncProperty(inputs, async ([plans, prepaid, { maximums, periods }, price, volume, granted, sold, steps]) => {
        await setTaxes(client, "exclusive");
        const run = await this.#begin(
          plans.map((each, index) => {
            const maximum = maximums[index];
            const rollover = maximum === undefined ? undefined : { maximum, periods };
            return { ...each, isPrepaid: prepaid[index], unitMillicents: price, volume, rollover };
          }),
          0,
        );
        const { bucket, model } = run;
        const grants = `${bucket}/customers/acme/grants`;
        await ok(client.post(grants, { meter: "requests", amount: granted, funding: "promotional", priority: 1 }));
        await run.moveTo(start + 1);
        const packs = new PackRun([this.server, this.other], bucket, sold);
        await packs.create();
        const money = new MoneyRun(client, run);
        const book = new MoneyBook(client, bucket);
        const packBook = new PackBook(client, bucket);
        const rolloverBook = await RolloverBook.open(client, run);
        for (const each of steps) {
          const { maximum } = packs;
          await (isPackStep(each) ? packs.do(each) : money.do(each));
          await book.expectReceived(await packBook.expectOnce(Math.max(maximum, packs.maximum)));
          const time = each.kind === "event" ? Math.max(start, run.now - each.late) : undefined;
          await rolloverBook.expectCarried(time);
        }
        await run.end();
        await book.expectReceived(await packBook.expectOnce(packs.maximum));
        count += 1;
        const { covered } = await packBook.expectEntries();
        const counted = await countedUnits(this.server.database, bucket);
        expect({ covered, counted: counted.covered + counted.billed }).toEqual({
          covered: counted.covered,
          counted: BigInt(model.overageUnits()),
        });
        // What is returned is an amount, without units, and depends on what was received.
        if (volume || run.hasTakenBack) return;
        const documents = await invoicesOf(client, bucket, "?limit=1000");
        const lines = documents.flatMap((each) => each.lines).filter(({ meter }: Body) => meter === "requests");
        const overage = lines.filter(({ kind }: Body) => kind === "overage");
        const invoiced = overage.reduce((sum: number, { quantity }: Body) => sum + quantity, 0);
        expect(BigInt(invoiced)).toBe(counted.billed);
        expect(sumOf([{ lines }], ["overage"])).toBe((BigInt(invoiced) * BigInt(price)) / 1_000n);
        if (prepaid.every(Boolean) && plans.every(({ calls }) => calls.isPrepaid))
          await this.#expectCovered(bucket, documents);
      }),
      runs,
    );
    await setTaxes(client, "exclusive");
    return count;
  }

  /**
   * Under prepaid rates, money pays for each unit, or it is written off. The rest of an invoice is not usage. An invoice whose
   * total is less than its usage returns the difference: a customer without tax pays prices that include it without it.
   */
  async #expectCovered(bucket: string, documents: Body[]): Promise<void> {
    let owed = 0n;
    for (const { type, lines, total } of documents) {
      // What is credited later was paid all the same.
      if (type === "credit-note") continue;
      const usage = sumOf([{ lines: lines.filter(({ meter }: Body) => meter !== undefined) }], ["overage", "credit"]);
      owed += usage < cents(total) ? usage : cents(total);
    }
    const path = `${bucket}/customers/acme/grants`;
    let paid = 0n;
    for (const { id, funding, currency, amount, reason } of (await ok(this.server.client.get(`${path}?limit=1000`)))
      .data) {
      if (funding !== "paid" || currency === undefined) continue;
      if (reason?.startsWith("Returned")) paid -= cents(amount);
      for (const { kind, meter, amount } of (await ok(this.server.client.get(`${path}/${id}/entries?limit=1000`))).data)
        if (kind === "consumed" && meter !== undefined) paid -= cents(amount);
    }
    expect(owed).toBe(paid);
  }

  /**
   * Subscriptions of a customer share grants, and each has the caps for itself. The main subscription is the newest and
   * always active, so that events and requests belong to it; the other one is used by its path.
   */
  async sharesGrants(runs: Runs): Promise<void> {
    const { client } = this.server;
    const kept = (each: Step) =>
      !["stop", "pause", "refund", "cancel", "restart", "resume", "upcoming"].includes(each.kind);
    const amount = fc.option(fc.integer({ min: 1, max: 90 }), { nil: undefined });
    const steps = fc.array(fc.tuple(step.filter(kept), amount), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.tuple(plan, plan, plan), plan, steps, async (plans, otherPlan, mixed) => {
        const { bucket, path: otherPath } = await billed(client, iso(start), planBody(otherPlan));
        const created = [];
        for (const each of plans) created.push(await createPlan(client, bucket, planBody(each)));
        const { id } = await subscribe(client, bucket, [created[0]]);
        const path = `${bucket}/subscriptions/${id}`;
        await this.gateway.use(bucket);
        const ids = created.map(({ planExternalId }) => planExternalId);
        const run = this.#runOf(bucket, path, ids, new BillingModel(plans, start, 0));
        const other = new BillingModel([otherPlan], start, 0);
        const consume = async (subscription: string, model: BillingModel, amount: number) => {
          const { allowed } = await ok(client.post(`${subscription}/quotas/consume`, { meters: { requests: amount } }));
          if (allowed) model.event(run.now, amount);
        };
        for (const [each, consumed] of mixed) {
          if (each.kind === "cap") other.setCap(each.cents === undefined ? undefined : BigInt(each.cents), run.now);
          await run.do(each);
          other.advance(run.now, () => undefined);
          if (consumed === undefined) continue;
          await consume(otherPath, other, consumed);
          await consume(path, run.model, consumed);
          // A change in the same millisecond would come after it.
          await run.moveTo(run.now + 1);
          other.advance(run.now, () => undefined);
        }
        await ok(client.patch(otherPath, { status: "canceled" }));
        other.stop(run.now);
        await run.end();
        const invoices = await invoicesOf(client, bucket);
        for (const [model, its] of [
          [run.model, path],
          [other, otherPath],
        ] as const) {
          const own = invoices.filter(({ subscriptionId }) => its.endsWith(subscriptionId));
          const [usage, fees] = [await usageCostOf(client, bucket, own), await feesOf(client, bucket, own)];
          expect({ usage, fees }).toEqual({ usage: model.overage() - model.writtenOff(), fees: model.fees });
        }
        await expectLedger(client, bucket, invoices);
        this.#expectNumbers(invoices);
      }),
      { ...runs, endOnFailure: true },
    );
  }
}
