import type { AccountReference } from "../../../core/access.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { listKeyBuckets } from "../../api-keys/key-buckets/key-buckets.ts";
import { keysToLookAt } from "../../api-keys/keys/filter/keys-to-look-at.ts";
import { lateInvoices } from "../../commerce/billing/invoices/revenue.ts";
import { type ChosenProvider, findProvider, providerOfType } from "../../commerce/billing/payments/providers.ts";
import { type RecurringRevenue, recurringRevenue } from "../../commerce/billing/periods/recurring-revenue.ts";
import { profileOf } from "../../commerce/billing/settings/settings.ts";
import { listUsage, type UsageShare } from "../../commerce/metering/usage/usage-list.ts";
import { listMeteringBuckets, type MeteringBucket } from "../../commerce/metering-buckets/metering-buckets.ts";
import { pricedRates } from "../../commerce/plans/prices.ts";
import { listPortals } from "../../customer-portal/portal/settings/portals.ts";
import { settingsOf } from "../../customer-portal/portal/settings/present.ts";
import { hasEverSucceeded } from "../../insight/analytics/successes.ts";
import {
  deploymentsByState,
  failingWebhooks,
  firstConsumer,
  firstPlan,
  hasDeployment,
  hasDomain,
  hasSubscription,
  isSelling,
  ratesOfPlans,
} from "./store.ts";

/** The share of a quota from which on it is near its limit. */
const near = 0.8;
const listed = 8;

interface NearLimit {
  bucketId: string;
  subscriptionId: string;
  customerKey: string;
  share: number;
  meter: string;
  label?: string | undefined;
  used: number;
  max: number;
  isBilled?: true;
}

/** The subscriptions that have used most of a quota, those with the largest share first. */
async function nearLimits(reads: Reads, buckets: MeteringBucket[], now: number) {
  const found: NearLimit[] = [];
  let total = 0;
  let used = 0;
  for (const bucket of buckets) {
    const page = await listUsage(reads, bucket, { near }, now, { limit: listed, offset: 0 });
    total += page.total;
    used += page.used;
    const ids = [...new Set(page.data.flatMap(({ planIds }) => planIds))];
    const plans = ids.length === 0 ? [] : await ratesOfPlans(reads, bucket.seq, ids);
    found.push(...page.data.map((usage) => nearLimitOf(bucket.id, usage, plans)));
  }
  return { total, used, data: found.sort((one, other) => other.share - one.share).slice(0, listed) };
}

function nearLimitOf(bucketId: string, usage: UsageShare, plans: Awaited<ReturnType<typeof ratesOfPlans>>): NearLimit {
  const { subscriptionId, customerKey, planIds, meters } = usage;
  const [meter, { label, share, used, max }] = Object.entries(meters).reduce((largest, each) =>
    each[1].share > largest[1].share ? each : largest,
  );
  const rates = plans.filter(({ id }) => planIds.includes(id)).flatMap(pricedRates);
  return {
    ...{ bucketId, subscriptionId, customerKey, share, meter, used, max },
    ...(label === undefined ? {} : { label }),
    ...(rates.some(([name, { overage }]) => name === meter && overage === "bill") ? { isBilled: true } : {}),
  };
}

/** Whether a served portal lets new customers in. */
async function hasSignUp(reads: Reads, accountSeq: number): Promise<boolean> {
  const { data } = await listPortals(reads, accountSeq, { limit: maxBuckets, offset: 0 });
  return data.some((portal) => portal.is_enabled === 1 && settingsOf(portal).signUp !== "closed");
}

/** An account that chose `manual` marks invoices as paid itself; by default nobody has thought of it. */
const takesPayments = ({ type, version }: ChosenProvider) => version > 0 && providerOfType(type).movesMoney;

/** With more buckets, only the oldest count. */
const maxBuckets = 100;
const maxDeployments = 100;
const maxWebhooks = 20;
/** How long a response waits for parts that take long to compute. */
const waitMilliseconds = 400;

/** What the home page of the console shows besides analytics. */
export class Overviews {
  readonly #recurring = new ReusedResults<RecurringRevenue[]>();
  readonly #limits = new ReusedResults<Awaited<ReturnType<typeof nearLimits>>>();
  readonly #keys = new ReusedResults<Awaited<ReturnType<typeof keysToLookAt>>>();

  constructor(private readonly sendsMail: boolean) {}

  async of(reads: Reads, { seq }: AccountReference, now: number) {
    const paging = { limit: maxBuckets, offset: 0 };
    const { data: keyBuckets } = await listKeyBuckets(reads, seq, paging);
    const { data: metering } = await listMeteringBuckets(reads, seq, paging);
    // In test buckets, no money moves and no limit is real.
    const live = metering.filter(({ test_clock }) => test_clock === null);
    const [keySeqs, liveSeqs] = [keyBuckets.map((bucket) => bucket.seq), live.map((bucket) => bucket.seq)];
    const [recurring, limits, keys] = await Promise.all([
      this.#recurring.get(seq, () => recurringRevenue(reads, liveSeqs, now), waitMilliseconds),
      this.#limits.get(seq, () => nearLimits(reads, live, now), waitMilliseconds),
      this.#keys.get(seq, () => keysToLookAt(reads, keyBuckets, now), waitMilliseconds),
    ]);
    const planExternalId = await firstPlan(reads, seq);
    return {
      isComplete: recurring !== undefined && limits !== undefined && keys !== undefined,
      firstSteps: {
        ...(await firstConsumer(reads, keyBuckets)),
        ...(planExternalId === undefined ? {} : { planExternalId }),
        hasSubscription: await hasSubscription(reads, seq),
        hasDeployment: await hasDeployment(reads, seq),
        hasTraffic: await hasEverSucceeded(reads, seq, keySeqs, now),
      },
      goLive: {
        hasSeller: (await profileOf(reads, seq)) !== undefined,
        hasSignUp: await hasSignUp(reads, seq),
        sendsMail: this.sendsMail,
        takesPayments: takesPayments(await findProvider(reads, seq, "live")),
        hasDomain: await hasDomain(reads, seq),
      },
      money: {
        isSelling: await isSelling(reads, seq),
        ...(recurring && { recurring }),
        ...(await lateInvoices(reads, liveSeqs)),
      },
      ...(limits && { limits }),
      ...(keys && { keys }),
      webhooks: (await failingWebhooks(reads, seq, maxWebhooks)).map(({ id, url, disabled_reason }) => ({
        id,
        url,
        ...(disabled_reason === null ? {} : { disabledReason: disabled_reason as "gone" | "failing" }),
      })),
      deployments: (await deploymentsByState(reads, seq, maxDeployments)).map(({ name, project, branch, message }) => ({
        name,
        projectName: project,
        branchName: branch,
        message: message as "" | "BUILD_FAILED" | "START_FAILED",
      })),
    };
  }
}

/** A result that took longer than this is reused for a while. Shorter than callers wait, so that each result is seen. */
const slowMilliseconds = 300;
/** How long a result is reused, as a multiple of the time that it took. */
const reuseFactor = 20;
const maxReuseMilliseconds = 5 * 60_000;

interface Entry<Result> {
  promise: Promise<Result>;
  /** The last result, which is returned while the next one is computed. */
  last: Result | undefined;
  /** Undefined while it is computed. */
  reusedUntil: number | undefined;
}

/**
 * Results by key that take long to compute for large accounts. A quick result is computed for each call. A slow one is
 * shared by concurrent calls and reused, so that reading it all the time costs at most a twentieth of the time.
 */
export class ReusedResults<Result> {
  readonly #entries = new Map<number, Entry<Result>>();

  /** Returns the result, or the last one or undefined if it takes longer than the given time to compute. */
  async get(key: number, compute: () => Promise<Result>, waitMilliseconds: number): Promise<Result | undefined> {
    const entry = this.#current(key) ?? this.#start(key, compute);
    const { promise, resolve } = Promise.withResolvers<Result | undefined>();
    const timer = setTimeout(() => resolve(entry.last), waitMilliseconds);
    try {
      return await Promise.race([entry.promise, promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #current(key: number): Entry<Result> | undefined {
    const entry = this.#entries.get(key);
    const isOld = entry?.reusedUntil !== undefined && performance.now() >= entry.reusedUntil;
    return isOld ? undefined : entry;
  }

  #start(key: number, compute: () => Promise<Result>): Entry<Result> {
    const started = performance.now();
    const entry: Entry<Result> = {
      promise: compute(),
      last: this.#entries.get(key)?.last,
      reusedUntil: undefined,
    };
    this.#entries.set(key, entry);
    entry.promise.then(
      (result) => {
        const took = performance.now() - started;
        if (took <= slowMilliseconds) return this.#remove(key, entry);
        entry.last = result;
        entry.reusedUntil = performance.now() + Math.min(took * reuseFactor, maxReuseMilliseconds);
        setTimeout(() => this.#remove(key, entry), 2 * maxReuseMilliseconds).unref();
      },
      () => this.#remove(key, entry),
    );
    return entry;
  }

  #remove(key: number, entry: Entry<Result>): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}
