import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Client } from "../../../../../test/support/client.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import type { FakeClock } from "../../../../../test/support/fake-clock.ts";
import { forAtMost } from "../../../../../test/support/for-at-most.ts";
import { createPlan, newMeteringBucket, record, subscribe } from "../../../../../test/support/metering.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { type Amounts, type ModelSubscription, UsageModel } from "../../../../../test/support/usage-model.ts";
import { amountOf, numberOf } from "../../../../lib/amount.ts";
import type { Renewal } from "../../../../lib/time/calendar.ts";

const day = 24 * 60 * 60 * 1000;

interface Real {
  client: Client;
  clock: FakeClock;
  bucket: string;
}

type Step = (model: UsageModel, real: Real) => Promise<void>;

/** A step with a description for a failed run. */
class Command implements fc.AsyncCommand<UsageModel, Real> {
  constructor(
    private readonly what: string,
    private readonly step: Step,
  ) {}

  check = () => true;
  run = (model: UsageModel, real: Real) => this.step(model, real);
  toString = () => this.what;
}

function command<Input>(what: string, input: fc.Arbitrary<Input>, step: (input: Input) => Step) {
  return input.map((given) => new Command(`${what} ${JSON.stringify(given)}`, step(given)));
}

const iso = (time: number) => new Date(time).toISOString();
const metersInput = (meters: Amounts) =>
  Object.fromEntries(Object.entries(meters).map(([meter, max]) => [meter, { max }]));

/** An element of a list by an index that may be too large. */
function pick<Item>(items: Item[], index: number): Item | undefined {
  return items[index % Math.max(items.length, 1)];
}

function on(
  index: number,
  step: (subscription: ModelSubscription, model: UsageModel, real: Real) => Promise<void>,
): Step {
  return async (model, real) => {
    const subscription = pick(model.subscriptions, index);
    if (subscription) await step(subscription, model, real);
  };
}

const pathOf = ({ bucket }: Real, { id }: ModelSubscription) => `${bucket}/subscriptions/${id}`;

async function checkUsage(model: UsageModel, real: Real, subscription: ModelSubscription, at: number): Promise<void> {
  const { body } = await real.client.get(`${pathOf(real, subscription)}/usage?at=${iso(at)}`);
  expect(body).toEqual(model.usage(subscription, at));
}

/** The points of a period add up to its usage. */
async function checkSeries({ client, clock, ...real }: Real, subscription: ModelSubscription, at: number) {
  const path = pathOf({ client, clock, ...real }, subscription);
  const { body: usage } = await client.get(`${path}/usage?at=${iso(at)}`);
  const { periodStart, periodEnd } = usage;
  const isMonthly = Date.parse(periodEnd) - Date.parse(periodStart) < 40 * day;
  const isKeptByHour = isMonthly && Date.parse(periodStart) > clock.now() - 89 * day;
  for (const step of isKeptByHour ? ["1h", "1d"] : ["1d"]) {
    const { body } = await client.get(`${path}/usage-series?from=${periodStart}&to=${periodEnd}&step=${step}`);
    for (const [meter, { used }] of Object.entries<{ used: number }>(usage.meters)) {
      const points: { used: number }[] = body.meters[meter].points;
      const sum = points.reduce((sum, point) => sum + amountOf(point.used)!, 0n);
      expect({ step, meter, used: numberOf(sum) }).toEqual({ step, meter, used });
    }
  }
}

async function checkEverything(model: UsageModel, real: Real): Promise<void> {
  for (const subscription of model.subscriptions)
    for (const at of [real.clock.now(), ...subscription.used.keys()]) {
      await checkUsage(model, real, subscription, at);
      await checkSeries(real, subscription, at);
    }
  expect((await real.client.get(`${real.bucket}/reconciliation`)).body).toMatchObject({
    agrees: true,
    differences: [],
  });
}

/** Few of each, so that they collide. */
const meter = fc.constantFrom("a", "b", "c");
const amount = fc.constantFrom(1, 2, 5, 0.1, 0.25, 1e-9);
const amounts = fc.dictionary(meter, amount, { minKeys: 1, maxKeys: 2, noNullPrototype: true });
const maxima = fc.dictionary(meter, fc.constantFrom(0, 4, 10, 1000), { minKeys: 1, noNullPrototype: true });
const customer = fc.constantFrom("acme", "other");
const index = fc.nat({ max: 5 });
const indexes = fc.uniqueArray(fc.nat({ max: 1 }), { minLength: 1, maxLength: 2 });
const offset = fc.constantFrom(-400 * day, -31 * day, -1, 0, 1, 20 * day);
const event = fc.record({
  id: fc.constantFrom("1", "2", "3", "4", "5", "6", "7", "8"),
  source: fc.constantFrom("s", "t"),
  subject: customer,
  late: fc.option(offset, { nil: undefined }),
  data: amounts,
});

const commands = [
  command("change meters", fc.tuple(index, maxima), ([at, meters]) => async (model, real) => {
    const plan = pick(model.plans, at)!;
    const changed = await real.client.patch(`${real.bucket}/plans/${plan.id}`, { meters: metersInput(meters) });
    expect(changed.status).toBe(200);
    model.recordFormerPlan(plan, real.clock.now());
    plan.meters = meters;
  }),
  command(
    "subscribe",
    fc.record({
      customer,
      plans: indexes,
      status: fc.constantFrom("active", "trialing", "canceled"),
      renewal: fc.constantFrom<Renewal>("monthly", "yearly"),
      offset,
    }),
    ({ customer: customerKey, plans: at, status, renewal, offset: moved }) =>
      async (model, { client, clock, bucket }) => {
        const plans = at.map((each) => pick(model.plans, each)!);
        const anchor = clock.now() + moved;
        const more = { customerKey, status, renewalStrategy: renewal, quotaResetAnchor: iso(anchor) };
        const { id } = await subscribe(client, bucket, plans, more);
        const createdOn = clock.now();
        model.subscriptions.push({ id, customerKey, status, renewal, anchor, createdOn, plans, used: new Map() });
      },
  ),
  command("set status", fc.tuple(index, fc.constantFrom("active", "trialing", "unpaid")), ([at, status]) =>
    on(at, async (subscription, _model, real) => {
      expect((await real.client.patch(pathOf(real, subscription), { status })).body.status).toBe(status);
      subscription.status = status;
    }),
  ),
  command(
    "change plans",
    fc.tuple(index, indexes, fc.constantFrom(undefined, 0, 0.25, 0.5, 1)),
    ([at, planIndexes, prorate]) =>
      on(at, async (subscription, model, real) => {
        const plans = planIndexes.map((each) => pick(model.plans, each)!);
        const planExternalIds = plans.map((plan) => plan.planExternalId);
        const response = await real.client.patch(pathOf(real, subscription), { planExternalIds, prorate });
        const changes = plans.map(({ id }) => id).join() !== subscription.plans.map(({ id }) => id).join();
        if (!changes && prorate !== undefined) return expectProblem(response, 400, "validation_failed");
        expect(response.body.planExternalIds).toEqual(planExternalIds);
        if (changes) model.changePlans(subscription, plans, prorate, real.clock.now());
      }),
  ),
  command("record", fc.array(event, { maxLength: 8 }), (events) => async (model, { client, clock, bucket }) => {
    const sent = events.map(({ late, ...each }) => ({
      specversion: "1.0",
      type: "request",
      ...each,
      ...(late === undefined ? {} : { time: iso(clock.now() + late) }),
    }));
    const response = await record(client, bucket, sent);
    const expected = model.record(events.map((each) => ({ ...each, time: clock.now() + (each.late ?? 0) })));
    expect({ ...response, rejected: response.rejected.map((each: { index: number }) => each.index) }).toEqual(expected);
  }),
  command("consume", fc.tuple(index, amounts), ([at, wanted]) =>
    on(at, async (subscription, model, real) => {
      const response = await real.client.post(`${pathOf(real, subscription)}/quotas/consume`, { meters: wanted });
      const allowed = model.consume(subscription, real.clock.now(), wanted);
      if (allowed === undefined) return expectProblem(response, 400, "validation_failed");
      expect(response.body).toEqual({ allowed, meters: model.usage(subscription, real.clock.now()).meters });
    }),
  ),
  command("delete", index, (at) =>
    on(at * 7, async (subscription, model, real) => {
      if (model.subscriptions.length < 4) return;
      expect((await real.client.delete(pathOf(real, subscription))).status).toBe(204);
      model.delete(subscription);
    }),
  ),
  command("wait", fc.constantFrom(1, day, 15 * day, 31 * day), (milliseconds) => async (_model, { clock }) => {
    clock.advance(milliseconds);
  }),
  command("look", fc.tuple(index, offset), ([at, moved]) =>
    on(at, (subscription, model, real) => checkUsage(model, real, subscription, real.clock.now() + moved)),
  ),
];

eachEngine((engine) => {
  const { client, clock } = useServer(engine);

  test("usage agrees with a model after any sequence of plans, subscriptions, events, consumes and time", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(maxima, maxima),
        fc.commands(commands, { maxCommands: 60, size: "max" }),
        forAtMost(4000, async (plans, sequence) => {
          clock.set("2027-12-31T12:00:00.000Z");
          const real = { client, clock, bucket: await newMeteringBucket(client) };
          const model = new UsageModel();
          for (const meters of plans) {
            const { id, planExternalId } = await createPlan(client, real.bucket, { meters: metersInput(meters) });
            model.plans.push({ id, planExternalId, meters });
          }
          await fc.asyncModelRun(() => ({ model, real }), sequence);
          await checkEverything(model, real);
        }),
      ),
      { numRuns: 60 },
    );
  });
});
