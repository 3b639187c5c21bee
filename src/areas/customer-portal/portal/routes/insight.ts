import { read } from "../../../../api/endpoint.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { usageSeries } from "../../../commerce/metering/usage/usage-series.ts";
import { findMeteringBucket, timeIn } from "../../../commerce/metering-buckets/metering-buckets.ts";
import { periodOf, statusAt } from "../../../commerce/subscriptions/state.ts";
import { currentSubscription, subscriptionsOf } from "../../../commerce/subscriptions/subscriptions.ts";
import { customerModels } from "../../../insight/analytics/customer-models.ts";
import { presentRequest } from "../../../insight/request-log/present.ts";
import { listRequests, type StoredRequest } from "../../../insight/request-log/requests.ts";
import { customerOf } from "../customer/customer.ts";
import { apis, portalRequests, requestsQuery, usage } from "../customer/schema.ts";
import type { PortalApi, PortalApis } from "../docs/portal-apis.ts";
import type { PortalHosts, PortalSite } from "../hosts/portal-hosts.ts";
import { settingsOf } from "../settings/present.ts";
import { presentExample } from "../site/site-description.ts";

export interface InsightServices {
  hosts: PortalHosts;
  portalApis: PortalApis;
  /** The address of a deployment. */
  urlOf(deploymentName: string): string;
}

/** The APIs, the usage and the requests of the signed-in customer. */
export function insightRoutes({ hosts, portalApis, urlOf }: InsightServices) {
  const apisOf = (reads: Reads, site: PortalSite): Promise<PortalApi[]> =>
    portalApis.list(reads, site.account_seq, settingsOf(site).deployments, site.bucket_name);
  return [
    read({
      operationId: "listPortalApis",
      path: "/portal/api/apis",
      summary: "List the APIs of the portal",
      description:
        "Each with an example request that works with a key of the customer, if there is one, and the addresses for agents.",
      access: "customer",
      response: apis,
      handle: async (input) => {
        const site = await hosts.siteOf(input.request);
        const found = await apisOf(input.reads, site);
        const { isEnabled = false, registration = "closed" } = settingsOf(site).oauth ?? {};
        const data = found.map(({ deployment, title, example, agents: routes }) => {
          const url = urlOf(deployment);
          const agents = routes.map(({ path, title: own = title, key, acceptsTokens }) => ({
            url: url + path,
            title: own,
            ...(key ? { keyHeader: key.header, keyPrefix: key.prefix } : {}),
            // Common clients register themselves, or have a metadata document.
            hasSignIn: acceptsTokens && isEnabled && registration !== "closed",
          }));
          const rest = agents.length === 0 ? {} : { agents };
          return { title, url, ...(example ? { example: presentExample(url, example) } : {}), ...rest };
        });
        return { body: { data } };
      },
    }),
    read({
      operationId: "getPortalUsage",
      path: "/portal/api/usage",
      summary: "Read the customer's usage by meter and day",
      description:
        "In the current period, against the plan, with a forecast for the end of the period; and by language model in the last 30 days.",
      access: "customer",
      response: usage,
      handle: async (input) => {
        const { consumer } = customerOf(input, "usage:read");
        const { meteringBucket, deployments } = settingsOf(await hosts.siteOf(input.request));
        const { reads, account, act } = input;
        const used = await customerUsage(reads, account.seq, {
          meteringBucket,
          customerKey: consumer.name,
          now: act.now,
        });
        const models = await customerModels(reads, account.seq, { consumerId: consumer.id, deployments, now: act.now });
        return { body: { ...used, models } };
      },
    }),
    read({
      operationId: "listPortalRequests",
      path: "/portal/api/requests",
      summary: "List the customer's requests, and why they failed",
      description: "Newest first: those to the portal's deployments with a key of the customer.",
      access: "customer",
      query: requestsQuery,
      response: portalRequests,
      handle: async (input) => {
        const { consumer } = customerOf(input, "requests:read");
        const site = await hosts.siteOf(input.request);
        const { deployments } = settingsOf(site);
        const titles = new Map((await apisOf(input.reads, site)).map(({ deployment, title }) => [deployment, title]));
        const selection = { ...input.query, deployments, consumerId: consumer.id };
        const apiOf = (name: string) => titles.get(name) ?? name;
        const data = await customerRequests(input.reads, input.account.seq, selection, input.act.now, apiOf);
        return { body: { data } };
      },
    }),
  ];
}

/** The usage of a customer in the current period, by meter and day. */
async function customerUsage(
  reads: Reads,
  accountSeq: number,
  {
    meteringBucket,
    customerKey,
    now: serverNow,
  }: { meteringBucket: string | undefined; customerKey: string; now: number },
) {
  const none = { subscription: null, meters: {} };
  if (meteringBucket === undefined) return none;
  const bucket = await findMeteringBucket(reads, accountSeq, meteringBucket);
  const now = timeIn(bucket, serverNow);
  const subscription = await currentSubscription(reads, bucket, customerKey, now);
  if (!subscription) {
    const all = await subscriptionsOf(reads, bucket, customerKey);
    const unpaid = all.find(({ row, plans }) => statusAt(row, plans, now) === "unpaid");
    return unpaid ? { ...none, unpaidPlans: unpaid.plans.map(({ label }) => label) } : none;
  }
  const { start, end } = periodOf(subscription, now);
  const { times, meters } = await usageSeries(reads, subscription, { step: "1d" }, now);
  const shownTimes = times.map(formatDateTime);
  const shown = Object.entries(meters).map(([name, { points, ...meter }]) => [
    name,
    { ...meter, points: points.map((used, index) => ({ time: shownTimes[index]!, used })) },
  ]);
  return {
    subscription: {
      status: statusAt(subscription.row, subscription.plans, now),
      plans: subscription.plans.map(({ label }) => label),
      periodStart: formatDateTime(start),
      periodEnd: formatDateTime(end),
    },
    meters: Object.fromEntries(shown),
  };
}

interface Selection {
  consumerId: string;
  /** The deployments of the portal: customers do not see requests to others. */
  deployments: readonly string[];
  outcome?: "failed" | undefined;
  before?: string | undefined;
  limit: number;
}

/** The newest requests of a customer. `apiOf` returns the title of a deployment. */
async function customerRequests(
  reads: Reads,
  accountSeq: number,
  { outcome, ...selection }: Selection,
  now: number,
  apiOf: (deployment: string) => string,
) {
  const statuses = outcome === "failed" ? ([400, 599] as const) : undefined;
  const { data } = await listRequests(reads, { accountSeq }, { ...selection, statuses }, now);
  return data.filter(({ consumerId }) => consumerId === selection.consumerId).map((request) => present(request, apiOf));
}

/** Without what only concerns the business: the addresses of upstreams, errors of code, and policies that passed. */
function present(request: StoredRequest, apiOf: (deployment: string) => string) {
  const { id, time, requestId, method, path, status, durationMs, keyId, ip, code, detail, decisions } =
    presentRequest(request);
  // Its detail names members of the upstream's response.
  const isOfResponse = code === "response_invalid";
  return {
    id,
    time,
    requestId,
    method,
    path,
    status,
    durationMs,
    ...(keyId === undefined ? {} : { keyId }),
    ...(ip === undefined ? {} : { ip }),
    ...(code === undefined ? {} : { code }),
    ...(detail === undefined || isOfResponse ? {} : { detail }),
    api: apiOf(request.deployment),
    decisions: decisions.filter(({ outcome }) => outcome === "rejected" && !isOfResponse),
  };
}
