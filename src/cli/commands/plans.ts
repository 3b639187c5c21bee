import { readFile } from "node:fs/promises";
import type { Page, PlanCreate, SimulatedCustomer, Simulation, SimulationInput } from "../../client/index.ts";
import { systemClock } from "../../lib/time/clock.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import { changesOf, clearOption } from "../arguments/changes.ts";
import type { None, Values } from "../arguments/command.ts";
import {
  argument,
  boolean,
  integer,
  listOption,
  named,
  oneOf,
  option,
  pairsOption,
  pastTimeOfBucket,
  tagValue,
} from "../arguments/values.ts";
import { group, resource } from "../connection/resource.ts";
import { meteringBucket, meteringBucketOption } from "../options/metering-bucket-option.ts";
import { findPlanId, metersOf, planOptions } from "../options/plan-options.ts";
import { counted, showList } from "../output/show.ts";
import { parsedJson } from "../process/file-errors.ts";
import { onInterrupt } from "../process/interrupt.ts";
import { UsageError } from "../process/usage-error.ts";
import { LiveLine } from "../terminal/live-line.ts";
import type { Terminal } from "../terminal/terminal.ts";

const rolloverPlaceholder = "METER=MAXIMUM[,PERIODS]";

type Rollover = NonNullable<PlanCreate["rollover"]>[string];

function rolloverOf(text: string): Rollover {
  const [, maximum, periods] = /^([^,]+)(?:,(.+))?$/.exec(text) ?? [];
  const rollover = {
    maximum: Number(maximum ?? Number.NaN),
    ...(periods === undefined ? {} : { periods: Number(periods) }),
  };
  if (Object.values(rollover).some(Number.isNaN))
    throw new UsageError(`must be ${rolloverPlaceholder}, not "…=${text}"`);
  return rollover;
}

/** What a plan costs, and what those see who choose one. */
const priceOptions = {
  price: option("the fee of each period, such as 30.00; with --currency", named("AMOUNT")),
  currency: option("the currency of the price, such as EUR", named("CODE")),
  interval: option("the period of the price; month by default", oneOf("month", "year")),
  rates: option("a JSON file with the prices of usage beyond a maximum, by meter", named("FILE", "file")),
  rollover: pairsOption(
    "the most that is carried over of a meter's unused units, for 1 period by default; may be repeated, all of them",
    rolloverPlaceholder,
    rolloverOf,
  ),
  feature: pairsOption("a feature; may be repeated, all of them", "NAME=VALUE", tagValue),
  description: option("what the plan is for"),
  public: option("whether customers see the plan in the portal", boolean),
  position: option("its place among the plans", integer),
};

/** The fields of the options as the API takes them; undefined if absent. */
async function planOf(given: Values<None, typeof planOptions & typeof priceOptions>) {
  const { meter, meterLabel, trialDays, trialEnd: trialEndStatus } = given;
  const { price, currency, interval, rates, rollover, feature, description, public: isPublic, position } = given;
  if ((price === undefined) !== (currency === undefined) || (interval !== undefined && price === undefined))
    throw new UsageError("A price needs an amount and a currency.", "Give both: --price 30.00 --currency EUR");
  return {
    ...{ meters: metersOf(meter, meterLabel), trialDays, trialEndStatus },
    price: price === undefined ? undefined : { currency: currency!, amount: price, interval: interval ?? "month" },
    rates: rates === undefined ? undefined : ((await readJson(rates)) as PlanCreate["rates"]),
    rollover,
    features: feature as PlanCreate["features"],
    description,
    isPublic,
    position,
  } as const;
}

const pollMilliseconds = 500;
const clockSkewMilliseconds = 60_000;

/** The server checks its content. */
async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) throw new UsageError(`${file} cannot be read.`);
  return parsedJson(text, file);
}

type Simulated = Simulation & { largest: Page<SimulatedCustomer> };

function showSimulation({ id, state, result, largest }: Simulated, terminal: Terminal): void {
  if (!result) {
    terminal.note(`The simulation ${id} is ${state}.`);
    return;
  }
  const { before, after, customers, distribution, meters, missing } = result;
  const sums = [...before.map((row) => ({ "": "before", ...row })), ...after.map((row) => ({ "": "after", ...row }))];
  showList(terminal, sums, ["", "currency", "fees", "usage", "credits", "tax", "total"]);
  const { more, less, same } = customers;
  terminal.print(
    more + less + same === 0
      ? "No customer was billed for periods that began and ended in this time."
      : `\n${counted(more, "customer")} would have paid more, ${less} less, ${same} the same.`,
  );
  for (const [meter, { reached, capped, firstOn }] of Object.entries(meters)) {
    const limits = [
      ...(reached > 0 ? [`${counted(reached, "customer")} would have reached the maximum of ${meter}`] : []),
      ...(capped > 0 ? [`${counted(capped, "customer")} would have reached a cap with ${meter}`] : []),
    ];
    terminal.print(`${limits.join(", ")}, first on ${firstOn.slice(0, 10)}.`);
  }
  if (missing.subscriptions > 0)
    terminal.print(`Missing, because they are deleted: ${counted(missing.subscriptions, "subscription")}.`);
  const most = Math.max(...distribution.map((range) => range.customers));
  const bars = distribution.map(({ currency, from, to, customers: count }) => ({
    difference: from === to ? from : `${from} to ${to}`,
    currency,
    customers: count === 0 ? "" : `${"█".repeat(Math.ceil((count / most) * 30))} ${count}`,
  }));
  const filled = bars.slice(0, bars.findLastIndex((bar) => bar.customers !== "") + 1);
  if (filled.length > 0) terminal.print("");
  showList(terminal, filled, ["difference", "currency", "customers"]);
  if (largest.data.length > 0) terminal.print("");
  // All amounts of the others are exact.
  const isExact = largest.data.every(({ precision }) => precision === "exact");
  showList(terminal, largest.data, [
    "customerKey",
    "currency",
    "before",
    "after",
    "difference",
    ...(isExact ? [] : (["precision"] as const)),
    "limitedOn",
    "differs",
  ]);
  terminal.note(`The simulation ${id} is kept for 30 days.`, "dim");
}

const plan = resource({
  one: "a plan",
  id: { id: argument("the plan's id, or its identifier in your billing system") },
  options: meteringBucketOption,
  sample: "price_gold",
  api: async (client, { bucket }) => client.plans(await meteringBucket(client, bucket)),
  idOf: findPlanId,
});

export const plans = group({
  name: "plans",
  summary: "Plans: the limits of subscribers",
  commands: {
    list: plan.list({
      summary: "List the plans of a metering bucket",
      options: { externalId: option("only the plan with this identifier in your billing system") },
      columns: ["label", "planExternalId", "id", "meters", "hasSubscriptions", "createdOn"],
      examples: "With the limits of each.",
      query: ({ externalId }) => ({ planExternalId: externalId }),
    }),
    create: plan.command({
      summary: "Create a plan",
      arguments: { externalId: argument("its identifier in your billing system") },
      options: {
        label: option("the display name; the identifier by default"),
        ...planOptions,
        ...priceOptions,
      },
      examples: {
        "tollgate plans create price_gold --label Gold --meter requests=100000": "100,000 requests per period.",
        "tollgate plans create price_pro --meter requests=1000000 --meter exports=50 --trial-days 14":
          "Two meters, and a trial.",
        "tollgate plans create price_max --meter requests=100 --price 30.00 --currency EUR --rates rates.json --public true":
          "30 euros a month; rates.json prices what is used beyond.",
        "tollgate plans create price_flex --meter requests=1000 --price 10.00 --currency EUR --rollover requests=500,2":
          "Up to 500 unused requests are carried over for 2 periods.",
      },
      async call(api, { externalId: planExternalId, label = planExternalId, ...given }) {
        const { meters, ...plan } = await planOf(given);
        if (!meters) throw new UsageError("The plan has no meter.", "Name a meter: --meter requests=1000");
        return api.create({ label, planExternalId, meters, ...plan });
      },
    }),
    show: plan.show({ examples: "With its limits." }),
    update: plan.action({
      summary: "Change a plan: maximums apply now, prices and rollover at the next period",
      details: "--meter replaces all meters: list every meter of the plan.",
      options: {
        label: option("the display name"),
        externalId: option("its identifier in your billing system"),
        ...planOptions,
        ...priceOptions,
        ...clearOption(
          ...([
            "trialDays",
            "trialEndStatus",
            "price",
            "rates",
            "rollover",
            "features",
            "description",
            "isPublic",
            "position",
          ] as const),
        ),
      },
      examples: {
        "tollgate plans update price_gold --meter requests=200000": "Applies to all subscribers.",
        "tollgate plans update price_gold --price 35.00 --currency EUR":
          "Applies to each subscriber from the next period on.",
      },
      async call(api, id, { label, externalId: planExternalId, clear, ...given }) {
        return api.update(id, changesOf({ label, planExternalId, ...(await planOf(given)) }, clear));
      },
    }),
    simulate: plan.command({
      summary: "Show what customers would have been billed with other prices or maximums",
      details:
        'The file has the changed plans by their identifiers, such as {"price_gold": {"price": {…}}}. What they do not mention stays as it was. ' +
        "Nothing is changed. Times such as 90d are before the time of the bucket. Ctrl-C cancels the simulation.",
      arguments: { file: argument("a JSON file", "file") },
      options: {
        since: option("periods that began since then; 90d by default", pastTimeOfBucket),
        to: option("periods that ended by then; now by default", pastTimeOfBucket),
        move: pairsOption("puts the subscribers of a plan onto another; may be repeated", "PLAN=PLAN", (to) => to),
        customer: listOption("only this customer", named("CUSTOMER")),
      },
      examples: {
        "tollgate plans simulate gold.json --since 90d": "The effect of the prices in gold.json on the last 90 days.",
        "tollgate plans simulate gold.json --move price_silver=price_gold":
          "If all subscribers of price_silver also had the plan price_gold.",
      },
      async call(_api, { file, since, to, move, customer, bucket }, { client, terminal }) {
        const plans = (await readJson(file)) as SimulationInput["plans"];
        const { id: bucketId, clock } = await client.metering.get(await meteringBucket(client, bucket));
        const simulations = client.simulations(bucketId);
        // The clock of the server may be behind.
        const now = clock === undefined ? systemClock.now() - clockSkewMilliseconds : Date.parse(clock);
        const from = (since ?? pastTimeOfBucket.parse("90d"))(now);
        const { id } = await simulations.start({
          ...{ from, to: to?.(now) ?? formatDateTime(now), plans },
          ...(move && { moves: Object.entries(move).map(([from, to]) => ({ from, to })) }),
          ...(customer && { customers: customer }),
        });
        const line = new LiveLine(terminal);
        const signal = onInterrupt();
        for (;;) {
          const simulation = await simulations.get(id);
          if (simulation.state === "queued" || simulation.state === "running") {
            if (signal.aborted) await simulations.delete(id);
            else line.bar("Simulating", simulation.done, Math.max(simulation.total, 1));
            await Promise.race([
              Bun.sleep(pollMilliseconds),
              new Promise((wake) => signal.addEventListener("abort", wake)),
            ]);
            continue;
          }
          line.remove();
          return { ...simulation, largest: await simulations.customers(id, { limit: 10 }).page() };
        }
      },
      show: showSimulation,
      exitCode: ({ result }) => (result ? 0 : 1),
    }),
    delete: plan.delete({ summary: "Delete a plan without subscriptions", examples: "Asks first." }),
  },
});
