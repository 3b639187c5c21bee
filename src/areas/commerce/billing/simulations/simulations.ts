import { serverTimeOf } from "../../../../core/access.ts";
import { recordChange } from "../../../../core/changes/record.ts";
import { invalid, notFound, Problem } from "../../../../core/problems/problem.ts";
import { minorDigits } from "../../../../lib/currencies.ts";
import type { Precondition } from "../../../../lib/http/etag.ts";
import { newId } from "../../../../lib/ids.ts";
import type { Paging } from "../../../../lib/paging.ts";
import { formatMinor } from "../../../../lib/text/minor-units.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { History } from "../../../../platform/storage/history.ts";
import { removeInPieces } from "../../../../platform/storage/removal.ts";
import type { Reads, Storage, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { ComputedJobKind } from "../../../common/background-jobs/job-runner.ts";
import { cancelJob, findJob, startJob } from "../../../common/background-jobs/jobs.ts";
import {
  type BucketContext,
  findMeteringBucket,
  type MeteringBucket,
  namedMeteringBucket,
  timeIn,
} from "../../metering-buckets/metering-buckets.ts";
import { findPlans, type Plan } from "../../plans/plans.ts";
import type { PlanPrice } from "../../plans/price-schema.ts";
import { pricedColumns, priceOf, requireConsistentPrices, unpriced } from "../../plans/prices.ts";
import { listCustomers } from "../customers/customers.ts";
import type { precisions, SimulationInput } from "../schemas/simulation-schema.ts";
import { type SimulatedCustomer, simulateCustomers } from "./simulate-customers.ts";
import { mapSums, noSums, type Sums } from "./simulated-bill.ts";
import * as store from "./simulation-store.ts";

/** The kind of jobs that simulate. */
export const simulationJobKind = "simulation";

const maxSimulations = 100;
const keptMilliseconds = 30 * 24 * 60 * 60 * 1000;
const maxMilliseconds = 400 * 24 * 60 * 60 * 1000;
/** Customers whose books are in memory at the same time. */
const pageSize = 25;

/** The stored result: sums in minor units, by currency. */
interface Result {
  before: Record<string, Sums<string>>;
  after: Record<string, Sums<string>>;
  meters: Record<string, { reached: number; capped: number; firstOn: number }>;
  missing: { subscriptions: number; invoiced: Record<string, string> };
}

const emptyResult: Result = {
  before: {},
  after: {},
  meters: {},
  missing: { subscriptions: 0, invoiced: {} },
};

/** Starts a simulation. Throws 400 for plans or times that cannot be simulated. */
export async function startSimulation(
  context: BucketContext,
  input: SimulationInput,
): Promise<{ id: string; jobId: string }> {
  const { transaction, act, bucket } = context;
  const { from, to, customers } = input;
  if (to > timeIn(bucket, act.now)) throw invalid("/to", "must not be in the future");
  if (from >= to) throw invalid("/from", "must be before to");
  if (to - from > maxMilliseconds) throw invalid("/from", "must be at most 400 days before to");
  await requirePlans(transaction, bucket, input);
  if ((await store.countSimulations(transaction, bucket.seq)) >= maxSimulations)
    throw new Problem("too_many_simulations");
  const total = customers?.length ?? (await listCustomers(transaction, bucket, { limit: 1, offset: 0 })).total;
  const jobId = await startJob(transaction, act, { kind: simulationJobKind, input: { bucketId: bucket.id }, total });
  const id = newId("sim", serverTimeOf(act));
  await transaction.insert("simulations", {
    id,
    bucket_seq: bucket.seq,
    job_id: jobId,
    input: JSON.stringify(input),
    result: null,
    created_on: serverTimeOf(act),
  });
  record(context, "simulation.created", id);
  return { id, jobId };
}

async function requirePlans(reads: Reads, bucket: MeteringBucket, { plans, moves = [] }: SimulationInput) {
  const names = [...new Set([...Object.keys(plans), ...moves.flatMap(({ from, to }) => [from, to])])];
  const stored = new Map(
    names.length === 0
      ? []
      : (await findPlans(reads, bucket.seq, "external_id", names)).map((plan) => [plan.external_id, plan]),
  );
  for (const [index, { from, to }] of moves.entries()) {
    const plan = stored.get(from);
    if (!plan) throw invalid(`/moves/${index}/from`, "must be a plan of the bucket");
    const target = stored.get(to);
    const added = Object.hasOwn(plans, to) ? plans[to] : undefined;
    if (!target && !(added?.price && added.meters))
      throw invalid(`/moves/${index}/to`, "must be a plan of the bucket, or have a price and meters in plans");
    requireSamePeriod(`/moves/${index}/to`, plan, added?.price ?? (target && priceOf(target)));
  }
  for (const [name, { meters, ...changed }] of Object.entries(plans)) {
    const plan = stored.get(name);
    if (!plan && !moves.some(({ to }) => to === name))
      throw invalid(`/plans/${name}`, "must be a plan of the bucket, or one that subscribers move to");
    if (plan) requireSamePeriod(`/plans/${name}/price`, plan, changed.price);
    const row = { meters: "{}", ...unpriced, ...plan, ...pricedColumns(changed) };
    requireConsistentPrices(meters ? { ...row, meters: JSON.stringify(meters) } : row, changed, `/plans/${name}`);
  }
}

function requireSamePeriod(pointer: string, plan: Plan, price: PlanPrice | undefined): void {
  const own = priceOf(plan);
  if (own && price && (own.currency !== price.currency || own.interval !== price.interval))
    throw invalid(pointer, `must be in ${own.currency} per ${own.interval}, as before`);
}

/** Simulates a page of customers. Nothing but the progress and the result is written. */
export const simulatePage = (history: History): ComputedJobKind => ({
  async compute(storage, act, job) {
    const simulation = await store.simulationOfJob(storage.reads, job.id);
    const ended = { position: job.position, done: 0, failed: 0, isLast: true };
    if (!simulation) return async () => ended;
    const { bucketId } = JSON.parse(job.input) as { bucketId: string };
    const bucket = await findMeteringBucket(storage.reads, act.account.seq, bucketId);
    const input = JSON.parse(simulation.input) as SimulationInput;
    const page = await store.customersAfter(storage.reads, bucket.seq, job.position, pageSize, input.customers);
    const keys = page.map(({ customer_key }) => customer_key);
    const { simulated, missing } = await simulateCustomers(storage, history, act, bucket, input, keys);
    const result: Result = simulation.result === null ? structuredClone(emptyResult) : JSON.parse(simulation.result);
    for (const customer of simulated) addCustomer(result, customer);
    result.missing.subscriptions += missing.subscriptions;
    for (const [currency, amount] of missing.invoiced)
      result.missing.invoiced[currency] = String(amount + BigInt(result.missing.invoiced[currency] ?? "0"));
    const rows = simulated.flatMap((customer) => rowsOf(simulation.seq, customer));
    const isLast = page.length < pageSize;
    return async (transaction) => {
      // Deleted in the meantime.
      if (!(await store.simulationOfJob(transaction, job.id))) return ended;
      await store.insertCustomers(transaction, rows);
      await transaction.update("simulations", simulation.seq, { result: JSON.stringify(result) });
      const done = isLast ? job.total - job.done : page.length;
      return { position: page.at(-1)?.seq ?? job.position, done, failed: 0, isLast };
    };
  },
});

function addCustomer(result: Result, { before, after, reached, capped }: SimulatedCustomer): void {
  for (const [sums, more] of [
    [result.before, before],
    [result.after, after],
  ] as const)
    for (const [currency, each] of more)
      sums[currency] = mapSums(each, (amount, name) => String(amount + BigInt(sums[currency]?.[name] ?? "0")));
  for (const [kind, times] of [
    ["reached", reached],
    ["capped", capped],
  ] as const)
    for (const [meter, on] of times) {
      const known = Object.hasOwn(result.meters, meter)
        ? result.meters[meter]!
        : { reached: 0, capped: 0, firstOn: on };
      result.meters[meter] = { ...known, [kind]: known[kind] + 1, firstOn: Math.min(known.firstOn, on) };
    }
}

function rowsOf(
  seq: number,
  { key, before, after, invoiced, reached, capped, precision }: SimulatedCustomer,
): store.SimulatedCustomerRow[] {
  const limited = Math.min(...reached.values(), ...capped.values());
  return [...new Set([...before.keys(), ...after.keys(), ...invoiced.keys()])].map((currency) => {
    const [was, would, paid] = [before, after, invoiced].map((each) => Number(each.get(currency)?.total ?? 0n));
    return {
      simulation_seq: seq,
      customer_key: key,
      currency,
      amount_before: was!,
      amount_after: would!,
      difference: would! - was!,
      size: Math.abs(would! - was!),
      exactness: precision,
      limited_on: Number.isFinite(limited) ? limited : null,
      invoiced: paid === was ? null : paid!,
    };
  });
}

export async function findSimulation(reads: Reads, bucket: MeteringBucket, id: string) {
  const row = await store.findSimulation(reads, bucket.seq, id);
  if (!row) throw notFound("simulation");
  return row;
}

export const listSimulations = (reads: Reads, bucket: MeteringBucket, paging: Paging) =>
  store.listSimulations(reads, bucket.seq, paging);

export async function listSimulatedCustomers(reads: Reads, bucket: MeteringBucket, id: string, paging: Paging) {
  const { seq } = await findSimulation(reads, bucket, id);
  const { data, total } = await store.listCustomers(reads, seq, paging);
  return { data: data.map(presentCustomerRow), total };
}

/** Its progress is no version: with If-Match, a client cancels one that is in progress, and deletes none that has ended since. */
export const simulationRevision = (row: store.ListedSimulation) => ({
  id: row.id,
  version: isInProgress(row) ? "in-progress" : "ended",
});

const isInProgress = ({ state }: store.ListedSimulation) => state === "queued" || state === "running";

/** Cancels a simulation that is in progress, and removes one that has ended. */
export async function deleteSimulation(context: BucketContext, id: string, precondition: Precondition) {
  const { transaction, act, bucket } = context;
  await transaction.lock(`simulation ${id}`);
  const row = await findSimulation(transaction, bucket, id);
  precondition(simulationRevision(row));
  if (isInProgress(row)) await cancelJob(transaction, act, await findJob(transaction, act.account.seq, row.job_id));
  else await transaction.delete("simulations", row.seq);
  record(context, "simulation.deleted", id);
}

function record(
  { transaction, act, bucket }: BucketContext,
  kind: "simulation.created" | "simulation.deleted",
  id: string,
): void {
  const state = { [kind === "simulation.created" ? "after" : "before"]: { id } };
  recordChange(transaction, act, kind, { type: "simulation", id, parent: namedMeteringBucket(bucket), ...state });
}

export async function removeOldSimulations(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  const remove = (transaction: WriteTransaction, rows: number) =>
    store.removeOldSimulations(transaction, now - keptMilliseconds, rows);
  await removeInPieces(storage, remove, { signal });
}

const money = (currency: string, amount: bigint | number | string) =>
  formatMinor(BigInt(amount), minorDigits(currency)!);

export async function presentSimulation(reads: Reads, row: store.ListedSimulation) {
  const { from, to, ...asked } = JSON.parse(row.input) as SimulationInput;
  const state = (row.state ?? "succeeded") as "queued" | "running" | "succeeded" | "failed" | "canceled";
  const isComplete = state === "succeeded" && row.result !== null;
  return {
    id: row.id,
    jobId: row.job_id,
    state,
    done: row.done ?? 0,
    total: row.total ?? 0,
    from: formatDateTime(from),
    to: formatDateTime(to),
    ...asked,
    createdOn: formatDateTime(row.created_on),
    ...(isComplete && { result: await presentResult(reads, row.seq, JSON.parse(row.result!) as Result) }),
  };
}

async function presentResult(reads: Reads, seq: number, { before, after, meters, missing }: Result) {
  const currencies = [...new Set([before, after].flatMap(Object.keys))];
  const sumsOf = (all: Record<string, Sums<string>>) =>
    currencies.map((currency) => ({
      currency,
      ...mapSums<bigint | string, string>(all[currency] ?? noSums(), (amount) => money(currency, amount)),
    }));
  const spread = await store.spreadOf(reads, seq);
  const countOf = (name: "more" | "less" | "same") => spread.reduce((sum, row) => sum + Number(row[name]), 0);
  const distribution = [];
  for (const { currency, least, most } of spread) {
    const width = Math.floor((most - least) / ranges) + 1;
    const counts = await store.rangesOf(reads, seq, currency, least, width);
    for (let range = 0; range < ranges; range++) {
      const from = least + range * width;
      const customers = counts.find((each) => Number(each.range) === range)?.customers ?? 0;
      distribution.push({ currency, from: money(currency, from), to: money(currency, from + width - 1), customers });
    }
  }
  return {
    before: sumsOf(before),
    after: sumsOf(after),
    customers: { more: countOf("more"), less: countOf("less"), same: countOf("same") },
    distribution,
    meters: Object.fromEntries(
      Object.entries(meters).map(([meter, counts]) => [meter, { ...counts, firstOn: formatDateTime(counts.firstOn) }]),
    ),
    missing: {
      subscriptions: missing.subscriptions,
      invoiced: Object.entries(missing.invoiced).map(([currency, sum]) => ({ currency, amount: money(currency, sum) })),
    },
  };
}

const ranges = 10;

function presentCustomerRow(row: store.SimulatedCustomerRow) {
  const { customer_key, currency, amount_before, amount_after, difference, exactness, limited_on, invoiced } = row;
  return {
    customerKey: customer_key,
    currency,
    before: money(currency, amount_before),
    after: money(currency, amount_after),
    difference: money(currency, difference),
    precision: exactness as (typeof precisions)[number],
    ...(limited_on === null ? {} : { limitedOn: formatDateTime(limited_on) }),
    ...(invoiced === null
      ? {}
      : { differs: { invoiced: money(currency, invoiced), computed: money(currency, amount_before) } }),
  };
}
