import { expect } from "bun:test";
import fc from "fast-check";
import { invoicesOf, moveTo, ok } from "./billing.ts";
import type { BillingModel, ModelPlan } from "./billing-model.ts";
import type { Client, ClientResponse } from "./client.ts";
import { record, usageEvent } from "./metering.ts";

export const start = Date.parse("2031-01-31T12:00:00.000Z");
export const day = 24 * 60 * 60 * 1000;
export const iso = (time: number) => new Date(time).toISOString();

/** What a request to the gateway may take from the quota. */
export const requestUnits = [1, 20, 75] as const;

type Body = ClientResponse["body"];

export type Step =
  | { kind: "advance"; milliseconds: number }
  | { kind: "event"; amount: number; late: number; calls?: number | undefined }
  | { kind: "request"; units: number }
  | { kind: "change"; plan: number; timing: "now" | "period-end" }
  | { kind: "patch"; plan: number }
  | { kind: "grant"; cents: number; funding: "promotional" | "paid"; days: number | undefined }
  | { kind: "cap"; cents: number | undefined }
  | { kind: "take-back"; which: number }
  | { kind: "stop" | "pause" | "refund" | "restart" | "cancel" | "resume" | "repeat" | "upcoming" };

/** Half of the rates have volume tiers. */
export const volume = fc.option(
  fc.record({ above: fc.integer({ min: 1, max: 150 }), unitMillicents: fc.integer({ min: 0, max: 20_000 }) }),
  { nil: undefined, freq: 1 },
);

export const plan: fc.Arbitrary<ModelPlan> = fc.record({
  fee: fc.integer({ min: 0, max: 10_000 }),
  max: fc.integer({ min: 0, max: 200 }),
  unitMillicents: fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined }),
  volume,
});

/** The days of a trial. */
export const trial = fc.option(fc.integer({ min: 1, max: 45 }), { nil: 0, freq: 2 });

const planIndex = fc.integer({ min: 0, max: 2 });
export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("advance" as const),
      milliseconds: fc.integer({ min: 1, max: 20 * day }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("event" as const),
      amount: fc.integer({ min: 1, max: 150 }),
      // Negative if it arrives before its time.
      late: fc.oneof(fc.constant(0), fc.integer({ min: -40 * day, max: 50 * day })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("request" as const), units: fc.constantFrom(...requestUnits) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("change" as const),
      plan: planIndex,
      timing: fc.constantFrom("now" as const, "period-end" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("patch" as const), plan: planIndex }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("grant" as const),
      cents: fc.integer({ min: 1, max: 5_000 }),
      funding: fc.constantFrom("promotional" as const, "paid" as const),
      days: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("cap" as const),
      cents: fc.option(fc.integer({ min: 0, max: 2_000 }), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("take-back" as const), which: fc.nat({ max: 20 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        "stop" as const,
        "pause" as const,
        "refund" as const,
        "repeat" as const,
        "restart" as const,
        "cancel" as const,
        "resume" as const,
        "upcoming" as const,
      ),
    }),
  },
);

export function planBody({ fee, max, unitMillicents: price, isPrepaid, volume, calls, rollover }: ModelPlan) {
  const unitMillicents = price ?? 0;
  const tier = (upTo: number | null, millicents: number) => ({ upTo, unitAmount: (millicents / 100_000).toFixed(5) });
  const rate = volume
    ? { tierMode: "volume", tiers: [tier(volume.above, unitMillicents), tier(null, volume.unitMillicents)] }
    : { tierMode: "graduated", tiers: [tier(null, unitMillicents)] };
  const rateOf = (isPrepaid: boolean | undefined) => ({ overage: isPrepaid ? "prepaid" : "bill", ...rate });
  return {
    price: { currency: "EUR", amount: (fee / 100).toFixed(2), interval: "month" },
    meters: { requests: { max }, ...(calls && { calls: { max: calls.max } }) },
    ...(price === undefined
      ? {}
      : { rates: { requests: rateOf(isPrepaid), ...(calls && { calls: rateOf(calls.isPrepaid) }) } }),
    ...(rollover ? { rollover: { requests: rollover } } : {}),
  };
}

/** One subscription, and the model of what it must be billed. */
export class Run {
  now = start;
  plan = 0;
  scheduled: { plan: number | "none"; on: number } | undefined;
  readonly finalized = new Map<string, string>();
  /** The events that were recorded, with their numbers in the model. */
  readonly #events: { event: ReturnType<typeof usageEvent>; number: number }[] = [];
  #isPaused = false;
  /** Whether an event was taken back. */
  hasTakenBack = false;

  constructor(
    private readonly client: Client,
    readonly bucket: string,
    private readonly path: string,
    readonly planIds: string[],
    readonly model: BillingModel,
    /** Sends a request of the customer that takes so many units. Returns whether it was served, and so counted. */
    private readonly request: (units: number) => Promise<boolean>,
  ) {}

  async do(step: Step): Promise<void> {
    const isActive = this.model.plan !== undefined;
    if (step.kind === "advance") await this.moveTo(this.now + step.milliseconds);
    else if (step.kind === "event") await this.#use(step, Math.max(start, this.now - step.late));
    else if (step.kind === "request") await this.#request(step.units);
    else if (step.kind === "repeat") await this.#repeat();
    else if (step.kind === "take-back") await this.#takeBack(step.which);
    else if (step.kind === "restart" && !isActive) await this.#restart();
    else if (step.kind === "upcoming") await this.#expectUpcoming();
    else if (step.kind === "grant") await this.#grant(step.cents, step.funding, step.days);
    else if (step.kind === "cap") await this.#setCap(step.cents);
    else if (!isActive) return;
    else if (step.kind === "stop") await this.stop();
    else if (step.kind === "pause") await this.#pause();
    else if (step.kind === "refund") await this.#refund();
    else if (step.kind === "cancel") await this.#cancel();
    else if (step.kind === "resume") await this.#resume();
    else if (step.kind === "patch")
      await this.#changeNow(step.plan, () => this.client.patch(this.path, this.#ids(step.plan)));
    else if (step.kind === "change") await this.#change(step.plan, step.timing);
    await this.#expectUnchanged();
  }

  async moveTo(now: number): Promise<void> {
    this.now = now;
    await moveTo(this.client, this.bucket, iso(now));
    this.model.advance(now, (boundary) => {
      if (this.scheduled?.on !== boundary) return undefined;
      const next = this.scheduled.plan;
      this.scheduled = undefined;
      if (next !== "none") this.plan = next;
      return next;
    });
  }

  /** Ends the subscription, and waits for its final invoice. */
  async end(): Promise<void> {
    if (this.model.plan === undefined) await this.do({ kind: "restart" });
    await this.stop();
    await this.moveTo(this.now + day);
  }

  async #use({ amount, calls }: { amount: number; calls?: number | undefined }, time: number): Promise<void> {
    if (this.model.plan === undefined) return;
    const event = usageEvent({ requests: amount, ...(calls && { calls }) }, { time: iso(time) });
    expect(await record(this.client, this.bucket, event)).toMatchObject({ accepted: 1 });
    this.#events.push({ event, number: this.model.event(time, amount) });
  }

  async #request(units: number): Promise<void> {
    if (!(await this.request(units))) return;
    this.model.event(this.now, units);
    // A change in the same millisecond would come after it.
    await this.moveTo(this.now + 1);
  }

  async #repeat(): Promise<void> {
    const last = this.#events.at(-1);
    if (last === undefined) return;
    expect(await record(this.client, this.bucket, last.event)).toMatchObject({ accepted: 0, duplicates: 1 });
  }

  /** Takes an event back, which may have been taken back before. */
  async #takeBack(which: number): Promise<void> {
    const taken = this.#events[which % this.#events.length];
    if (taken === undefined) return;
    const { source, id } = taken.event;
    await ok(this.client.post(`${this.bucket}/events/$void`, { source, id, reason: "Sent twice" }));
    this.model.takeBack(taken.number);
    this.hasTakenBack = true;
  }

  async stop(): Promise<void> {
    await ok(this.client.patch(this.path, { status: "canceled" }));
    this.scheduled = undefined;
    this.model.stop(this.now);
  }

  async #pause(): Promise<void> {
    // A trial that is resumed continues, and the model has only one.
    if (this.scheduled !== undefined || (await ok(this.client.get(this.path))).status === "trialing") return;
    await ok(this.client.post(`${this.path}/$pause`));
    this.#isPaused = true;
    this.model.stop(this.now);
  }

  async #refund(): Promise<void> {
    await ok(this.client.post(`${this.path}/$cancel`, { timing: "now", refund: true }));
    this.scheduled = undefined;
    this.model.stop(this.now, { refund: true });
  }

  async #grant(cents: number, funding: string, days: number | undefined): Promise<void> {
    const expiresOn = days === undefined ? undefined : iso(this.now + days * day);
    const amount = (cents / 100).toFixed(2);
    const grant = { currency: "EUR", amount, funding, expiresOn };
    await ok(this.client.post(`${this.bucket}/customers/acme/grants`, grant));
  }

  async #setCap(cents: number | undefined): Promise<void> {
    const spendCap = cents === undefined ? null : { amount: (cents / 100).toFixed(2), action: "block" };
    await ok(this.client.patch(`${this.bucket}/customers/acme`, { spendCap }));
    this.model.setCap(cents === undefined ? undefined : BigInt(cents), this.now);
  }

  async #restart(): Promise<void> {
    if (this.#isPaused) await ok(this.client.post(`${this.path}/$resume`));
    else await ok(this.client.patch(this.path, { status: "active" }));
    this.#isPaused = false;
    this.model.restart(this.plan, this.now);
  }

  async #cancel(): Promise<void> {
    const { cancelsOn } = await ok(this.client.post(`${this.path}/$cancel`));
    this.scheduled = { plan: "none", on: Date.parse(cancelsOn) };
  }

  async #resume(): Promise<void> {
    if (this.scheduled?.plan !== "none") return;
    await ok(this.client.post(`${this.path}/$resume`));
    this.scheduled = undefined;
  }

  async #change(plan: number, timing: "now" | "period-end"): Promise<void> {
    if (this.scheduled?.plan === "none") return;
    const body = { ...this.#ids(plan), timing };
    const preview = await ok(this.client.post(`${this.path}/$change/preview`, body));
    const before = new Set((await invoicesOf(this.client, this.bucket)).map(({ id }) => id));
    const change = () => this.client.post(`${this.path}/$change`, body);
    if (timing === "now" || plan === this.plan) await this.#changeNow(plan, change);
    else await this.#schedule(plan, change);
    await this.#expectPreviewed(preview, before);
  }

  async #schedule(plan: number, change: () => Promise<ClientResponse>): Promise<void> {
    const { planChange } = await ok(change());
    this.scheduled = { plan, on: Date.parse(planChange.on) };
  }

  async #changeNow(plan: number, change: () => Promise<ClientResponse>): Promise<void> {
    const isPatch = plan === this.plan;
    const { planChange } = await ok(change());
    this.model.change(plan, this.now);
    this.plan = plan;
    // Another plan replaces what was scheduled; a cancellation remains.
    if (this.scheduled?.plan !== "none" && planChange === undefined) this.scheduled = undefined;
    if (!isPatch) expect(planChange).toBeUndefined();
  }

  /** The change did what its preview showed. */
  async #expectPreviewed({ invoice, creditNotes = [], subscription }: Body, before: Set<string>): Promise<void> {
    const invoices = await invoicesOf(this.client, this.bucket);
    const created = invoices.filter(({ id, status }) => !before.has(id) && status !== "draft");
    const amounts = (documents: Body[]) =>
      documents.map(({ lines, total, currency }) => JSON.stringify({ lines, total, currency })).sort();
    expect(amounts(created)).toEqual(amounts([...creditNotes, ...(invoice ? [invoice] : [])]));
    expect({ ...(await ok(this.client.get(this.path))), updatedOn: "" }).toEqual({ ...subscription, updatedOn: "" });
  }

  #ids(plan: number) {
    return { planExternalIds: [this.planIds[plan]!] };
  }

  /** If nothing more is used, the next invoice is the upcoming one. */
  async #expectUpcoming(): Promise<void> {
    const { status, body: upcoming } = await this.client.get(`${this.path}/upcoming-invoice`);
    if (status === 404) return;
    const finalized = ({ status, finalizesOn }: Body) => status === "draft" && finalizesOn === upcoming.finalizesOn;
    const drafts = (await invoicesOf(this.client, this.bucket)).filter(finalized);
    if (drafts.length === 1) expect(drafts[0]!.lines).toEqual(upcoming.lines);
    await this.moveTo(Date.parse(upcoming.finalizesOn));
    const invoices = await invoicesOf(this.client, this.bucket);
    const same = invoices.filter(
      ({ finalizedOn, lines }) => finalizedOn === upcoming.finalizesOn && Bun.deepEquals(lines, upcoming.lines),
    );
    expect({ upcoming, count: same.length }).toEqual({ upcoming, count: 1 });
  }

  /** Finalized invoices never change; only their payment does. */
  async #expectUnchanged(): Promise<void> {
    for (const { number, lines, subtotal, total, seller, buyer } of await invoicesOf(this.client, this.bucket)) {
      if (number === undefined) continue;
      const fixed = JSON.stringify({ lines, subtotal, total, seller, buyer });
      expect(this.finalized.get(number) ?? fixed).toBe(fixed);
      this.finalized.set(number, fixed);
    }
  }
}
