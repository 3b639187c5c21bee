import { beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { billed, invoicesOf, moveTo, ok, setProfile } from "../../../../../test/support/billing.ts";
import { cents } from "../../../../../test/support/billing-checks.ts";
import { BillingModel, type ModelPlan } from "../../../../../test/support/billing-model.ts";
import { day, iso, plan, planBody, Run, type Step, start, step } from "../../../../../test/support/billing-run.ts";
import type { ClientResponse } from "../../../../../test/support/client.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { createPlan, record, usageEvent } from "../../../../../test/support/metering.ts";
import { setTaxes } from "../../../../../test/support/money-run.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { until } from "../../../../../test/support/until.ts";

type Body = ClientResponse["body"];

/** Requests beyond a maximum would not have been served. */
const changing = ["change", "patch", "stop", "pause", "restart", "cancel", "resume"];
const families = {
  late: ["advance", "event", "repeat", ...changing],
  changes: ["advance", "event", "repeat", ...changing],
  credit: ["advance", "event", "repeat", "cancel", "resume", "grant"],
  lateCredit: ["advance", "event", "repeat", "cancel", "resume", "grant"],
  caps: ["advance", "event", "repeat", ...changing, "cap"],
  all: ["advance", "event", "repeat", ...changing, "grant", "cap"],
};
const onTime = ["changes", "credit"];
type Family = keyof typeof families;
const histories = fc.constantFrom(...(Object.keys(families) as Family[])).chain((family) => {
  const kept = step.filter(({ kind }) => families[family].includes(kind));
  const steps = kept.map((each) => (each.kind === "event" && onTime.includes(family) ? { ...each, late: 0 } : each));
  const first = /credit/i.test(family) ? step.filter(({ kind }) => kind === "cap") : steps;
  const rest = fc.array(steps, { minLength: 5, maxLength: 25 });
  return fc.record({ family: fc.constant(family), steps: fc.tuple(first, rest).map(([one, more]) => [one, ...more]) });
});

/** Usage that arrives early costs more after a change of plans, and takes money before the fee of the new plan. */
const cheap = { fee: 5973, max: 18, unitMillicents: 4, volume: undefined };
const small = { fee: 776, max: 3, unitMillicents: 11884, volume: undefined };
const early: Step[] = [
  { kind: "grant", cents: 101, funding: "promotional", days: undefined },
  { kind: "advance", milliseconds: 13 * day },
  { kind: "event", amount: 23, late: -2 * day },
  { kind: "patch", plan: 1 },
];
/** A cap does not limit a period that ended before it, in which the subscription was not active any more. */
const ended: Step[] = [
  { kind: "event", amount: 394, late: 0 },
  { kind: "advance", milliseconds: 15 * day },
  { kind: "stop" },
  { kind: "advance", milliseconds: 15 * day },
  { kind: "cap", cents: 744 },
];
const rated = { fee: 9, max: 29, unitMillicents: 3517, volume: undefined };
/** A fee that a grant paid in full is returned to the grant alone. */
const returned: Step[] = [
  { kind: "grant", cents: 4573, funding: "promotional", days: undefined },
  { kind: "advance", milliseconds: 29 * day },
  { kind: "patch", plan: 1 },
];
const [free, dear] = [1622, 6690].map((fee) => ({ fee, max: 0, unitMillicents: undefined, volume: undefined }));
/** What begins again in a later period is invoiced at once, after early usage has taken money. */
const restarted: Step[] = [
  { kind: "event", amount: 187, late: -45 * day },
  { kind: "advance", milliseconds: 18 * day },
  { kind: "grant", cents: 1535, funding: "promotional", days: undefined },
  { kind: "pause" },
  { kind: "advance", milliseconds: 22 * day },
];
const priced = { fee: 9875, max: 108, unitMillicents: 6411, volume: undefined };
type Input = [ModelPlan[], ModelPlan[], { family: Family; steps: Step[] }];
const found: [Input][] = [
  [[[priced, small, small], [small, cheap, cheap], { family: "all", steps: restarted }]],
  [[[cheap, small, small], [small, cheap, cheap], { family: "all", steps: early }]],
  [[[small, dear!, dear!], [free!, dear!, dear!], { family: "all", steps: returned }]],
  [[[rated, small, small], [small, cheap, cheap], { family: "caps", steps: ended }]],
];

// A long form: SIMULATED_HISTORIES=1000 SEED=2 npx bun test src/areas/commerce/billing/simulations/simulations.test.ts
const { SIMULATED_HISTORIES: many, SEED: seed } = process.env;
const runs = { numRuns: Number(many ?? 16), ...(seed && { seed: Number(seed) }), endOnFailure: true, examples: found };

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  beforeAll(async () => {
    await setProfile(client, { termsDays: 30 });
  });

  /** Runs a simulation to its end. */
  async function simulate(bucket: string, input: object): Promise<Body & { rows: Body[] }> {
    const started = await client.post(`${bucket}/$simulate`, input);
    expect([started.status, started.text]).toEqual([202, started.text]);
    const { id, jobId } = started.body;
    const simulation = await until(async () => {
      const found = await ok(client.get(`${bucket}/simulations/${id}`));
      expect(found.jobId).toBe(jobId);
      expect(found.state).not.toBe("failed");
      return found.state === "succeeded" ? found : undefined;
    });
    const rows = (await ok(client.get(`${bucket}/simulations/${id}/customers`))).data;
    return { ...simulation, rows };
  }

  test("a higher fee, a lower maximum and another rate, with tax", async () => {
    await setTaxes(client, "exclusive");
    const rates = (unitAmount: string) => ({
      requests: { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount }] },
    });
    const gold = {
      price: { currency: "EUR", amount: "10.00", interval: "month" },
      meters: { requests: { max: 100 } },
      rates: rates("0.10"),
    };
    const { bucket, plan: stored } = await billed(client, "2031-01-01T00:00:00.000Z", gold);
    await record(client, bucket, usageEvent({ requests: 130 }, { time: "2031-01-10T00:00:00.000Z" }));
    await moveTo(client, bucket, "2031-03-05T00:00:00.000Z");
    const input = { from: "2031-01-01T00:00:00.000Z", to: "2031-03-01T00:00:00.000Z" };
    const changed = {
      price: { ...gold.price, amount: "12.00" },
      meters: { requests: { max: 50 } },
      rates: rates("0.05"),
    };
    const { result, rows } = await simulate(bucket, { ...input, plans: { [stored.planExternalId]: changed } });
    const invoices = await invoicesOf(client, bucket);
    const sums = (amounts: object) => expect.objectContaining({ currency: "EUR", credits: "0.00", ...amounts });
    expect(result.before).toEqual([sums({ fees: "20.00", usage: "3.00" })]);
    expect(result.after).toEqual([sums({ fees: "24.00", usage: "4.00" })]);
    expect(result.customers).toEqual({ more: 1, less: 0, same: 0 });
    // Taxes are those of the invoices: the fee of March is not in a period that has ended.
    const share = (cents(result.before[0].tax) * 10_000n) / cents(result.before[0].total);
    expect(share).toBe((cents(invoices[0].tax) * 10_000n) / cents(invoices[0].total));
    expect(rows).toMatchObject([{ customerKey: "acme", precision: "exact", before: result.before[0].total }]);
    expect(rows[0]).not.toHaveProperty("differs");
    const csv = await client.get(rowsOf(bucket, (await newest(bucket)).id), { accept: "text/csv" });
    expect(csv.headers.get("content-type")).toStartWith("text/csv");
  });

  const newest = async (bucket: string) => (await ok(client.get(`${bucket}/simulations`))).data[0];
  const rowsOf = (bucket: string, id: string) => `${bucket}/simulations/${id}/customers`;

  test("without changes, before and after are what was invoiced; with others, what they really bill", async () => {
    await setProfile(client, { termsDays: 365, graceDays: 365 });
    let simulated = 0;
    let withUsage = 0;
    const compared: { [Name in Family]?: number } = {};
    const three = fc.array(plan, { minLength: 3, maxLength: 3 });
    const inputs: fc.Arbitrary<Input> = fc.tuple(three, three, histories);
    await fc.assert(
      fc.asyncProperty(inputs, async ([plans, others, { family, steps: history }]) => {
        const run = await live(plans, history);
        const input = { from: iso(start), to: iso(run.now - day) };
        const { result, rows } = await simulate(run.bucket, { ...input, plans: namesOf(run.planIds, () => ({})) });
        simulated += 1;
        const invoices = await invoicesOf(client, run.bucket);
        const total = invoices.reduce(
          (sum: bigint, { type, total }: Body) => sum + (type === "invoice" ? cents(total) : -cents(total)),
          0n,
        );
        expect(rows.filter(({ differs }: Body) => differs)).toEqual([]);
        expect(cents(result.before[0]?.total ?? "0.00")).toBe(total);
        expect(result.after).toEqual(result.before);
        if (cents(result.before[0]?.usage ?? "0.00") > 0n) withUsage += 1;

        // The same history under other plans, in a second bucket.
        const other = await live(others, history);
        const check = await simulate(other.bucket, { ...input, plans: namesOf(other.planIds, () => ({})) });
        const changes = namesOf(run.planIds, (index) => ({ rates: null, ...planBody(others[index]!) }));
        const changed = await simulate(run.bucket, { ...input, plans: changes });
        const isExact = changed.rows.every(({ precision }: Body) => precision === "exact");
        compared[family] = (compared[family] ?? 0) + Number(isExact);
        // What is returned of a fee that grants paid depends on how it was paid.
        if (family !== "all") expect(isExact).toBe(true);
        if (isExact) expect(changed.result.after[0]?.total ?? "0.00").toBe(check.result.before[0]?.total ?? "0.00");
      }),
      runs,
    );
    expect(simulated).toBeGreaterThan(2);
    expect(withUsage).toBeGreaterThan(0);
    if (many) process.stdout.write(`${engine.name}: ${simulated}, compared ${JSON.stringify(compared)}\n`);
  });

  const namesOf = (ids: string[], bodyOf: (index: number) => object) =>
    Object.fromEntries(ids.map((id, index) => [id, bodyOf(index)]));

  /** A subscription that lives a history, and then ends. */
  async function live(plans: ModelPlan[], history: Step[]): Promise<Run> {
    const { bucket, plan: first, path } = await billed(client, iso(start), planBody(plans[0]!));
    const ids = [first.planExternalId];
    for (const each of plans.slice(1)) ids.push((await createPlan(client, bucket, planBody(each))).planExternalId);
    const run = new Run(client, bucket, path, ids, new BillingModel(plans, start, 0, start), async () => false);
    for (const each of history) {
      // What happens in the same millisecond has no stored order.
      await run.moveTo(run.now + 1);
      await run.do(each);
    }
    await run.end();
    // All periods have ended.
    await run.moveTo(run.now + 40 * day);
    return run;
  }
});
