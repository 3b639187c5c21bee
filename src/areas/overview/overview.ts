import type { AccountReference } from "../../core/access.ts";
import type { Reads } from "../../platform/storage/storage.ts";
import { hasEverSucceeded } from "../analytics/successes.ts";
import { lateInvoices } from "../billing/invoices/late-invoices.ts";
import { type RecurringRevenue, recurringRevenue } from "../billing/plan-terms/recurring-revenue.ts";
import { listKeyBuckets } from "../key-buckets/key-buckets.ts";
import { keysToLookAt } from "../keys/filter/keys-to-look-at.ts";
import { listUsage, type UsageShare } from "../metering/usage/usage-list.ts";
import { listMeteringBuckets, type MeteringBucket } from "../metering-buckets/metering-buckets.ts";
import { pricedRates } from "../plans/prices.ts";
import { ReusedResults } from "./reused-results.ts";
import {
  deploymentsByState,
  failingWebhooks,
  firstConsumer,
  firstPlan,
  hasDeployment,
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
    const plans = ids.length === 0 ? [] : await ratesOfPlans(reads, ids);
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
    const [consumer, planExternalId] = [await firstConsumer(reads, keySeqs), await firstPlan(reads, seq)];
    return {
      isComplete: recurring !== undefined && limits !== undefined && keys !== undefined,
      firstSteps: {
        ...(consumer === undefined ? {} : { consumer }),
        ...(planExternalId === undefined ? {} : { planExternalId }),
        hasSubscription: await hasSubscription(reads, seq),
        hasDeployment: await hasDeployment(reads, seq),
        hasTraffic: await hasEverSucceeded(reads, seq, keySeqs, now),
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
