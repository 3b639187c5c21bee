import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { BillingModel, type ModelPlan } from "../../../../../test/support/billing-model.ts";
import { day, iso, planBody, type Step, start, step, volume } from "../../../../../test/support/billing-run.ts";
import { eachEngine, sqlite } from "../../../../../test/support/engines.ts";
import { MeteringAccount } from "../../../../../test/support/metering-rules.ts";
import { type MoneyStep, moneyStep, renewingStep, returningStep } from "../../../../../test/support/money-run.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { raiseCounters } from "../../../../counting/counters/raise-counters.ts";
import { amountOf } from "../../../../lib/amount.ts";
import { ListCounts } from "../../../../platform/storage/list-counts.ts";
import type { MemoryTransaction, Reads, Storage } from "../../../../platform/storage/storage.ts";
import type { RowOf, TableName } from "../../../../platform/storage/tables.ts";
import { UsageEvents } from "../../metering/usage/events.ts";
import {
  actIn,
  type BucketContext,
  createMeteringBucket,
  findMeteringBucket,
} from "../../metering-buckets/metering-buckets.ts";
import { createPlan, type PlanInput } from "../../plans/plans.ts";
import { periodOf } from "../../subscriptions/state.ts";
import { createSubscription, findSubscription, updateSubscription } from "../../subscriptions/subscriptions.ts";
import type { GrantInput } from "../credit-grants/grants.ts";
import { setPaymentMethod } from "../customers/customers.ts";
import { creditInvoice } from "../invoices/credit-notes.ts";
import {
  collectInvoice,
  confirmPayment,
  markPaid,
  markUncollectible,
  voidInvoice,
} from "../invoices/invoice-actions.ts";
import { settleBilling } from "../periods/billing-steps.ts";
import { moveClock } from "../periods/bucket-clock.ts";
import { voidEvent } from "../periods/corrections.ts";
import { addGrant, changeCustomer, settleForInvoice } from "../periods/grant-actions.ts";
import { cancelSubscription, changePlans, pauseSubscription, resumeOrUndo } from "../periods/plan-changes.ts";
import { billingHooks } from "../periods/subscription-hooks.ts";
import { invoiceLinesOf, sumOf } from "../plan-terms/lines.ts";
import { invoiceChanged } from "../purchases/completion.ts";
import { setProfile } from "../settings/settings.ts";
import { settleCredits } from "../spending/credit-settlement.ts";
import { onBook, savingBook } from "./book.ts";

// A long form: BILLED_HISTORIES=100000 SEED=2 npx bun test --timeout 100000000 src/areas/commerce/billing/book/bill.test.ts
const { BILLED_HISTORIES: many, SEED: seed } = process.env;
const runs = (few: number) => ({ numRuns: Number(many ?? few), ...(seed && { seed: Number(seed) }) });

type Row = Record<string, unknown>;
type Happening = Step | MoneyStep;

const key = "acme";
const hour = 60 * 60 * 1000;
const profile = {
  legalName: "Seller",
  address: { line1: "Hauptstr. 1", city: "Berlin", country: "DE" },
  numberPrefix: "I-",
  termsDays: 365,
  graceDays: 365,
};

/** What a customer lives through in its book, which bills it until any time. Nothing is stored. */
class History {
  readonly model: BillingModel;
  id = "";
  #now = start;
  #plan = 0;
  #isPaused = false;
  #scheduled: { plan: number | "none"; on: number } | undefined;
  readonly #events: { id: string; number: number }[] = [];
  readonly #usage: UsageEvents;

  constructor(
    private readonly book: MemoryTransaction,
    private readonly account: MeteringAccount,
    private readonly bucketId: string,
    private readonly plans: ModelPlan[],
    /** Whether to bill until each due time on the way to a later one. */
    private readonly isSplit: boolean,
  ) {
    this.model = new BillingModel(plans, start, 0);
    this.#usage = new UsageEvents(this.#storage);
  }

  get #storage(): Storage {
    const { book } = this;
    return { reads: book, write: (work: (own: MemoryTransaction) => unknown) => work(book) } as unknown as Storage;
  }

  async #context(): Promise<BucketContext> {
    const { act } = this.account;
    const bucket = await findMeteringBucket(this.book, act.account.seq, this.bucketId);
    return { transaction: this.book, act: actIn(bucket, act), bucket };
  }

  async begin(grants: GrantInput[]): Promise<void> {
    await this.moveTo(start);
    const context = await this.#context();
    const ids: string[] = [];
    for (const [index, plan] of this.plans.entries())
      ids.push(
        (await createPlan(context, { label: "Gold", planExternalId: nameOf(index), ...planBody(plan) } as PlanInput))
          .id,
      );
    const created = await createSubscription(context, {
      planIds: [ids[0]!],
      planExternalIds: [nameOf(0)],
      status: "active",
      renewalStrategy: "monthly",
      region: "europe-west4",
      customerKey: key,
      subscriptionExternalId: key,
      customerExternalId: key,
    });
    await billingHooks.created(context, created);
    this.id = created.row.id;
    for (const grant of grants) await addGrant(context, key, grant);
    await this.moveTo(start + 1);
  }

  /** Bills until a time. */
  async moveTo(to: number): Promise<void> {
    if (this.isSplit)
      for (let due = await this.#dueAfter(this.#now, to); due !== undefined; due = await this.#dueAfter(due, to))
        await moveClock(this.#storage, this.account.act, this.bucketId, due);
    await moveClock(this.#storage, this.account.act, this.bucketId, to);
    this.#now = to;
    this.model.advance(to, (boundary) => {
      if (this.#scheduled?.on !== boundary) return undefined;
      const { plan } = this.#scheduled;
      this.#scheduled = undefined;
      if (plan !== "none") this.#plan = plan;
      return plan;
    });
  }

  /** The first time after one, and before another, at which something ends or begins. */
  async #dueAfter(after: number, before: number): Promise<number | undefined> {
    const columns = {
      subscriptions: ["bills_on", "blocks_on"],
      grants: ["effective_on", "expires_on"],
      billing_segments: ["period_start", "period_end"],
      invoices: ["finalizes_on", "due_on"],
      rollovers: ["expires_on"],
    };
    // Of the hours, the first and the last one.
    const hours = [nextHour(this.#now), nextHour(before - hour)];
    const times = hours.flatMap((end) => [end - 1, end]);
    for (const [table, names] of Object.entries(columns))
      for (const name of names)
        for (const row of await this.book.all<Record<string, number>>(`SELECT ${name} FROM ${table}`, []))
          times.push(row[name]! - 1, row[name]!);
    const later = times.filter((time) => time > after && time < before);
    return later.length === 0 ? undefined : Math.min(...later);
  }

  /** What a request would reject changes nothing. */
  async do(each: Happening): Promise<void> {
    const own = { record: () => {}, counts: new ListCounts(), onEnd: () => {} };
    if (each.kind === "advance") return this.moveTo(this.#now + each.milliseconds);
    try {
      await this.book.part(own, () => this.#do(each));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  async #do(each: Happening): Promise<void> {
    const { id, model } = this;
    const context = await this.#context();
    const isActive = model.plan !== undefined;
    if (each.kind === "event" && isActive)
      await this.#use(context, each.amount, Math.max(start, this.#now - each.late));
    else if (each.kind === "grant") {
      const expiresOn = each.days === undefined ? undefined : this.#now + each.days * day;
      // Some begin later.
      const effectiveOn = each.days === undefined ? this.#now + (each.cents % 40) * day : undefined;
      await addGrant(context, key, { ...moneyOf(each.cents, each.funding), expiresOn, effectiveOn });
    } else if (each.kind === "cap") {
      const spendCap =
        each.cents === undefined ? null : { amount: (each.cents / 100).toFixed(2), action: "block" as const };
      await changeCustomer(context, key, { spendCap }, () => {});
      model.setCap(each.cents === undefined ? undefined : BigInt(each.cents), this.#now);
    } else if (each.kind === "take-back") await this.#takeBack(context, each.which);
    else if (each.kind === "restart" && !isActive) await this.#restart(context);
    else if (each.kind === "method") await this.#setMethod(context, each.behavior);
    else if (each.kind === "credit") await this.#credit(context, each);
    else if ("which" in each) await this.#act(context, each.kind, each.which);
    else if (!isActive) return;
    else if (each.kind === "stop" || each.kind === "refund") {
      await cancelSubscription(context, id, { timing: "now", refund: each.kind === "refund" });
      this.#scheduled = undefined;
      model.stop(this.#now, { refund: each.kind === "refund" });
    } else if (each.kind === "pause" && this.#scheduled === undefined) {
      await pauseSubscription(context, id);
      this.#isPaused = true;
      model.stop(this.#now);
    } else if (each.kind === "cancel") {
      await cancelSubscription(context, id, {});
      this.#scheduled = { plan: "none", on: (await this.#billing()).cancelsOn! };
    } else if (each.kind === "resume" && this.#scheduled?.plan === "none") {
      await resumeOrUndo(context, id);
      this.#scheduled = undefined;
    } else if (each.kind === "change" && this.#scheduled?.plan !== "none") await this.#change(context, each);
  }

  async #use(context: BucketContext, requests: number, time: number): Promise<void> {
    const event = { specversion: "1.0", id: `e${this.#events.length}`, source: key, type: "use", subject: key };
    const items = [{ ...event, time: iso(time), data: { requests } }];
    const batch = { act: this.account.act, bucketId: this.bucketId, items };
    expect(await this.#usage.ingestIn(context.transaction, batch)).toMatchObject({ accepted: 1 });
    this.#events.push({ id: event.id, number: this.model.event(time, requests) });
  }

  async #takeBack(context: BucketContext, which: number): Promise<void> {
    const taken = this.#events[which % this.#events.length];
    if (!taken) return;
    await voidEvent(context, { source: key, id: taken.id, reason: "Sent twice" });
    this.model.takeBack(taken.number);
  }

  async #restart(context: BucketContext): Promise<void> {
    if (this.#isPaused) await resumeOrUndo(context, this.id);
    else {
      const before = await billingHooks.changing(context, this.id);
      await billingHooks.changed(context, before, await updateSubscription(context, before, { status: "active" }));
    }
    this.#isPaused = false;
    this.model.restart(this.#plan, this.#now);
  }

  async #change(context: BucketContext, { plan, timing }: Step & { kind: "change" }): Promise<void> {
    const { timing: when, on } = await changePlans(context, this.id, { planExternalIds: [nameOf(plan)], timing });
    this.#scheduled = when === "period-end" ? { plan, on } : undefined;
    if (when === "period-end") return;
    this.model.change(plan, this.#now);
    this.#plan = plan;
  }

  async #billing(): Promise<{ cancelsOn?: number }> {
    return JSON.parse((await findSubscription(this.book, (await this.#context()).bucket, this.id)).row.billing!);
  }

  async #setMethod(context: BucketContext, behavior: "succeeds" | "fails" | "needs-action"): Promise<void> {
    await setPaymentMethod(context, key, { type: "sandbox", behavior }, () => {});
  }

  async #act(context: BucketContext, kind: Happening["kind"], which: number): Promise<void> {
    const action = actions[kind as keyof typeof actions];
    const open = (await invoicesIn(this.book)).filter(({ status }) => status === "open" || status === "uncollectible");
    if (!action || open.length === 0) return;
    const { id } = open[which % open.length]!;
    await settleForInvoice(context, id);
    await invoiceChanged(context, await action(context, id));
  }

  async #credit(
    context: BucketContext,
    { which, percent, isNamed, to }: MoneyStep & { kind: "credit" },
  ): Promise<void> {
    const all = (await invoicesIn(this.book)).filter(({ status, corrects_id }) => status !== "draft" && !corrects_id);
    const invoice = all[which % all.length];
    if (!invoice) return;
    const { total, credited, netted, id } = invoice;
    const amount = ((BigInt(total) - BigInt(credited) - BigInt(netted)) * BigInt(percent)) / 100n;
    if (amount <= 0n) return;
    const line = invoiceLinesOf(invoice).findIndex(({ kind }) => kind === "plan" || kind === "overage");
    const named = {
      description: "Sorry",
      amount: (Number(amount) / 100).toFixed(2),
      ...(isNamed && line >= 0 && { line }),
    };
    await settleForInvoice(context, id);
    await invoiceChanged(context, await creditInvoice(context, id, { lines: [named], to }));
  }

  /** Ends the subscription, and waits for its final invoice. */
  async end(): Promise<void> {
    if (this.model.plan === undefined) await this.do({ kind: "restart" });
    await this.do({ kind: "stop" });
    await this.moveTo(this.#now + day);
  }
}

const actions = {
  ...{ "mark-paid": markPaid, void: voidInvoice, "mark-uncollectible": markUncollectible },
  ...{ collect: collectInvoice, confirm: confirmPayment },
};
const nameOf = (plan: number) => `plan-${plan}`;
const nextHour = (time: number) => (Math.floor(time / hour) + 1) * hour;
const moneyOf = (cents: number, funding: "promotional" | "paid") => ({
  ...{ currency: "EUR", amount: (cents / 100).toFixed(2), funding },
});
const usageTables = [
  "subscriptions",
  "billing_segments",
  "segment_marks",
  "usage_counters",
  "credit_uses",
  "spend_periods",
];
const invoicesIn = (book: Reads) => book.all<RowOf<"invoices">>("SELECT * FROM invoices ORDER BY seq", []);
const added = (amounts: (bigint | string)[]) => amounts.reduce<bigint>((sum, amount) => sum + BigInt(amount), 0n);

const priced = fc.record({
  fee: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9_000 })),
  max: fc.integer({ min: 0, max: 200 }),
  unitMillicents: fc.integer({ min: 1, max: 20_000 }),
  isPrepaid: fc.boolean(),
  rollover: fc.option(fc.record({ maximum: fc.integer({ min: 1, max: 150 }), periods: fc.constant(2) }), {
    nil: undefined,
  }),
});
const plans = fc.tuple(priced, priced, priced);
const granted = fc
  .integer({ min: 1, max: 300 })
  .map((amount): GrantInput => ({ meter: "requests", amount, funding: "promotional", priority: 1 }));
/** After 35 days, grants no longer cover usage that arrives late; early usage may move to another segment. */
const kept = (each: Happening) => each.kind !== "event" || (each.late >= 0 && each.late <= 30 * day);
const happening = fc.oneof(
  { weight: 4, arbitrary: step },
  { weight: 2, arbitrary: renewingStep },
  { weight: 2, arbitrary: moneyStep },
  returningStep,
);
const happenings = (isKept: (each: Happening) => boolean) =>
  fc.array(happening.filter(isKept), { minLength: 5, maxLength: 30, size: "max" });

describe("in memory", () => {
  const storage = useStorage(sqlite);
  let account: MeteringAccount;
  let bucketId: string;

  /** Runs work in the book of a new customer of a test bucket. */
  async function inBook(work: (book: MemoryTransaction) => Promise<void>): Promise<void> {
    const { open, clock } = storage;
    clock.set(iso(start - day));
    account ??= await MeteringAccount.create(open, clock);
    const { act } = account;
    const bucket = await open.write(async (transaction) => {
      await setProfile(transaction, act, profile, () => {});
      return createMeteringBucket(transaction, act, { isTest: true });
    });
    bucketId = bucket.id;
    await onBook(open, { act, bucket, customerKeys: [key] }, work);
  }

  async function lived(
    book: MemoryTransaction,
    its: ModelPlan[],
    grants: GrantInput[],
    steps: Happening[],
    isSplit = false,
  ) {
    const history = new History(book, account, bucketId, its, isSplit);
    await history.begin(grants);
    for (const each of steps) await history.do(each);
    await history.end();
    return history;
  }

  /** All that billing stores, with ids without their random part. How often credits were compared is left out. */
  async function stored(book: Reads): Promise<Record<string, string[]>> {
    const all: Record<string, string[]> = {};
    for (const table of [
      ...usageTables,
      "grants",
      "grant_entries",
      "rollovers",
      "invoices",
      "customers",
      "customer_dues",
    ])
      all[table] = (await book.all<Row>(`SELECT * FROM ${table}`, [])).map((row) =>
        JSON.stringify(row).replaceAll(/\b(inv|grnt|grnte|plan|sbsc)_\w+/g, "$1"),
      );
    return all;
  }

  test("billing until a time is the same as billing until each due time before it", async () => {
    const inputs = fc.tuple(
      plans,
      fc.array(granted, { maxLength: 2 }),
      volume,
      happenings(() => true),
    );
    const property = fc.asyncProperty(inputs, ([its, grants, volume, steps]) =>
      inBook(async (book) => {
        const own = its.map((each) => ({ ...each, volume }));
        const results: Record<string, string[]>[] = [];
        for (const isSplit of [false, true])
          await book.undone(async () => {
            await lived(book, own, grants, steps, isSplit);
            results.push(await stored(book));
          });
        expect(results[1]).toEqual(results[0]!);
      }),
    );
    await fc.assert(property, runs(15));
  });

  test("no invoice and not the customer gets back more than was received", async () => {
    const inputs = fc.tuple(
      plans,
      fc.array(granted, { maxLength: 1 }),
      happenings(() => true),
    );
    const property = fc.asyncProperty(inputs, ([its, grants, steps]) =>
      inBook(async (book) => {
        await lived(book, its, grants, steps);
        await expectReceived(book);
      }),
    );
    await fc.assert(property, runs(25));
  });

  async function expectReceived(book: Reads): Promise<void> {
    const all = await invoicesIn(book);
    const grants = await book.all<RowOf<"grants">>("SELECT * FROM grants WHERE currency IS NOT NULL", []);
    const isPaid = ({ funding }: Pick<RowOf<"grants">, "funding">) => funding === "paid";
    for (const invoice of all) {
      if (invoice.corrects_id !== null || invoice.status === "draft") continue;
      const { id, collected, refunded, netted, from_credits, total, credited } = invoice;
      const lines = invoiceLinesOf(invoice);
      const former = -sumOf(lines.filter(({ credits }) => credits !== undefined && credits.invoiceId !== id));
      const promised = -sumOf(lines.filter(({ funding }) => funding !== undefined));
      const back = grants.filter(({ invoice_id, reason }) => invoice_id === id && !reason!.startsWith("Returned"));
      const returned = (isIt: (grant: RowOf<"grants">) => boolean) =>
        added(back.filter(isIt).map(({ amount }) => amount));
      const received = added([collected ?? 0n, from_credits, former].map(String));
      expect({ id, left: received - returned(isPaid) - BigInt(refunded) - BigInt(netted) >= 0n }).toEqual({
        id,
        left: true,
      });
      expect({ id, left: promised - returned((each) => !isPaid(each)) >= 0n }).toEqual({ id, left: true });
      // Of a total of 0, a fee may be credited that the credit of a former one has paid.
      expect(BigInt(refunded) <= BigInt(collected ?? 0) && BigInt(credited) <= BigInt(total)).toBe(true);
      const notes = all.filter(({ corrects_id, status }) => corrects_id === id && status !== "void");
      expect(added(notes.map((note) => note.total))).toBe(BigInt(credited));
    }
    const own = grants.filter(({ invoice_id, reason }) => invoice_id === null && reason === null);
    const received = added([
      ...all.map(({ collected, corrects_id }) => (corrects_id === null ? (collected ?? "0") : "0")),
    ]);
    const held = added(grants.filter(isPaid).map(({ balance }) => balance));
    const refunds = added(
      all.filter(({ refund_state }) => refund_state === "succeeded").map(({ refunded }) => refunded),
    );
    expect(held + refunds <= received + added(own.filter(isPaid).map(({ amount }) => amount))).toBe(true);
  }

  test("each unit is covered exactly once: by the maximum, a grant, prepaid money, an invoice, or what a cap writes off", async () => {
    const inputs = fc.tuple(
      plans,
      fc.array(granted, { maxLength: 2 }),
      fc.integer({ min: 1, max: 20 }),
      happenings(kept),
    );
    const property = fc.asyncProperty(inputs, ([its, grants, cents, steps]) =>
      inBook(async (book) => {
        const { model } = await lived(
          book,
          its.map((each) => ({ ...each, unitMillicents: cents * 1000 })),
          grants,
          steps,
        );
        await expectCovered(
          book,
          BigInt(model.overageUnits()),
          BigInt(cents),
          !steps.some(({ kind }) => kind === "take-back"),
        );
      }),
    );
    await fc.assert(property, runs(25));
  });

  async function expectCovered(book: Reads, beyond: bigint, price: bigint, isBilledOnce: boolean): Promise<void> {
    const unit = amountOf(1)!;
    const uses = await book.all<RowOf<"credit_uses">>("SELECT * FROM credit_uses", []);
    const segments = await book.all<RowOf<"billing_segments">>("SELECT * FROM billing_segments", []);
    const billed = segments.flatMap((segment) =>
      Object.values(JSON.parse(segment.billed) as Record<string, { units: string; amount: string }>),
    );
    const covered = added(uses.map((use) => use.covered));
    expect((covered + added(billed.map(({ units }) => units))) / unit).toBe(beyond);
    const entries = await book.all<{ funding: string; meter: string | null; amount: string }>(
      `SELECT grants.funding, grants.meter, grant_entries.amount FROM grant_entries JOIN grants ON grants.seq = grant_seq
       WHERE grant_entries.kind = 'consumed' AND grant_entries.meter IS NOT NULL`,
      [],
    );
    const again = await book.all<{ funding: string; meter: string | null; amount: string }>(
      `SELECT grants.funding, grants.meter, grant_entries.amount FROM grant_entries JOIN grants ON grants.seq = grant_seq
       WHERE grant_entries.kind = 'granted' AND (reason LIKE 'Returned: usage%' OR reason LIKE 'Usage costs less%')`,
      [],
    );
    const taken = (isIt: (row: { funding: string; meter: string | null }) => boolean) =>
      -added([...entries, ...again].filter(isIt).map(({ amount }) => amount));
    // The ledger has each unit, and each cent, that a grant covers.
    expect(taken(({ meter }) => meter !== null)).toBe(covered);
    const ofMoney = (isIt: (funding: string) => boolean) =>
      taken(({ funding, meter }) => meter === null && isIt(funding));
    expect(ofMoney((funding) => funding === "paid")).toBe(added(uses.map(({ paid }) => paid)));
    expect(ofMoney((funding) => funding !== "paid")).toBe(added(uses.map(({ promotional }) => promotional)));
    for (const { cost, promotional, paid, written_off } of uses)
      expect(added([promotional, paid, written_off]) <= BigInt(cost)).toBe(true);
    if (!isBilledOnce) return;
    const invoices = (await invoicesIn(book)).filter(({ corrects_id }) => corrects_id === null);
    const lines = invoices.flatMap(invoiceLinesOf);
    const overage = sumOf(lines.filter(({ kind }) => kind === "overage"));
    expect(overage).toBe(added(billed.map(({ amount }) => amount)));
    expect(overage).toBe((added(billed.map(({ units }) => units)) / unit) * price);
    const credits = lines.filter(({ kind, meter }) => kind === "credit" && meter !== undefined);
    expect(-sumOf(credits.filter(({ funding }) => funding !== undefined))).toBe(
      added(uses.map(({ applied_promotional }) => applied_promotional)),
    );
    expect(-sumOf(credits.filter(({ funding }) => funding === undefined))).toBe(
      added(uses.map(({ applied_written_off }) => applied_written_off)),
    );
    const capped = lines.filter(({ description }) => description === "Beyond the spending cap, not billed");
    const periods = await book.all<RowOf<"spend_periods">>("SELECT * FROM spend_periods", []);
    expect(-sumOf(capped)).toBe(added(periods.map(({ applied }) => applied)));
  }
});

eachEngine((engine) => {
  const stored = useStorage(engine);

  test("a saved book loads equal", async () => {
    const { open, clock } = stored;
    clock.set(iso(start));
    const own = await MeteringAccount.create(open, clock);
    const { act, bucket } = own;
    await open.write((transaction) => setProfile(transaction, act, profile, () => {}));
    let count = 0;
    const cap = fc.option(fc.integer({ min: 0, max: 2_000 }), { nil: undefined });
    const money = fc.array(fc.tuple(fc.integer({ min: 1, max: 5_000 }), fc.constantFrom("promotional", "paid")), {
      maxLength: 2,
    });
    const used = fc.array(fc.integer({ min: 1, max: 250 }), { minLength: 1, maxLength: 3 });
    const behavior = fc.constantFrom(undefined, "succeeds", "fails");
    const inputs = fc.tuple(priced, fc.array(granted, { maxLength: 1 }), money, cap, used, behavior);
    const property = fc.asyncProperty(inputs, async ([its, units, money, cents, used, behavior]) => {
      count += 1;
      clock.set(iso(start));
      const customerKey = `customer-${count}`;
      const plan = await own.plan({}, planBody(its));
      const subscription = await own.subscribe(plan, customerKey);
      const owners = () => ({ act: own.act, bucket, customerKeys: [customerKey] });
      await open.write(async (transaction) => {
        const context = { transaction, act: own.act, bucket };
        await billingHooks.created(context, subscription);
        const grants = money.map(([cents, funding]) => moneyOf(cents, funding as "promotional"));
        for (const grant of [...units, ...grants]) await addGrant(context, customerKey, grant);
        const amount = cents === undefined ? undefined : (cents / 100).toFixed(2);
        if (amount) await changeCustomer(context, customerKey, { spendCap: { amount, action: "block" } }, () => {});
        if (behavior)
          await setPaymentMethod(context, customerKey, { type: "sandbox", behavior: behavior as "fails" }, () => {});
      });
      for (const requests of used) {
        const { seq: subscriptionSeq } = subscription.row;
        const amount = amountOf(requests)!;
        const { start: periodStart } = periodOf(subscription, clock.now());
        const hours = new Map([[nextHour(clock.now()) - hour, amount]]);
        const change = { subscriptionSeq, periodStart, meter: "requests", events: 1, amount, consumed: 0n, hours };
        await open.write((transaction) => raiseCounters(transaction, [change]));
        clock.advance(25 * day);
        let computed: Record<string, Row[]> | undefined;
        await open.write((transaction) =>
          savingBook(open, transaction, owners(), async (book) => {
            await book.part(transaction, async (own) => {
              const context = { transaction: own, act: { ...owners().act }, bucket };
              await settleBilling(context, subscription.row.id, context.act.now);
              await settleCredits(context, customerKey);
            });
            computed = await bookRows(book);
          }),
        );
        let loaded: Record<string, Row[]> | undefined;
        await open.write((transaction) =>
          savingBook(open, transaction, owners(), async (book) => {
            loaded = await bookRows(book);
          }),
        );
        expect(loaded).toEqual(computed!);
      }
    });
    await fc.assert(property, runs(engine === sqlite ? 15 : 5));
    expect(count).toBeGreaterThan(2);
  });
});

/** What a book does not save, and the columns that refer to rows that it creates. */
const unsaved = ["usage_counters.version"];
const referring: Record<string, TableName> = {
  ...{ rollover_seq: "rollovers", grant_seq: "grants", invoice_seq: "invoices", segment_seq: "billing_segments" },
};

/** The rows of a book. Those that have other numbers once they are saved have their place in the order instead. */
async function bookRows(book: Reads): Promise<Record<string, Row[]>> {
  const tables = ["accounts", "billing_profiles", "customers", "customer_credits", "customer_dues", "carried_amounts"];
  const numbered: TableName[] = ["rollovers", "grants", "grant_entries", "invoices"];
  const places = new Map<string, number>();
  for (const table of [...numbered, "billing_segments"])
    for (const [place, { seq }] of (
      await book.all<{ seq: number }>(`SELECT seq FROM ${table} ORDER BY seq`, [])
    ).entries())
      places.set(`${table} ${seq}`, place);
  const numbers = await book.all<{ number: string }>(
    "SELECT number FROM invoices WHERE number IS NOT NULL ORDER BY length(number), number",
    [],
  );
  const rows: Record<string, Row[]> = {};
  for (const table of [...tables, ...usageTables, ...numbered]) {
    const all = (await book.all<Row>(`SELECT * FROM ${table}`, [])).map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => {
          if (unsaved.includes(`${table}.${name}`)) return [name, undefined];
          const referred = name === "seq" ? table : referring[name];
          if (name === "number" && value !== null) return [name, numbers.findIndex(({ number }) => number === value)];
          return [name, referred === undefined ? value : (places.get(`${referred} ${value}`) ?? value)];
        }),
      ),
    );
    rows[table] = all.sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  return rows;
}
