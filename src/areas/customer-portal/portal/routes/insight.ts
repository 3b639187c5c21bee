import { read } from "../../../../api/endpoint.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { usageSeries } from "../../../commerce/metering/usage/usage-series.ts";
import {
  findMeteringBucket,
  type MeteringBucket,
  timeIn,
} from "../../../commerce/metering-buckets/metering-buckets.ts";
import { periodOf, statusAt } from "../../../commerce/subscriptions/state.ts";
import { currentSubscription, subscriptionsOf } from "../../../commerce/subscriptions/subscriptions.ts";
import { customerModels } from "../../../insight/analytics/customer-models.ts";
import { presentRequest } from "../../../insight/request-log/present.ts";
import { listRequests, type StoredRequest } from "../../../insight/request-log/requests.ts";
import { type CustomerServices, customerEntrance } from "../customer/customer.ts";
import { apis, portalRequests, requestsQuery, usage } from "../customer/schema.ts";
import type { PortalApi, PortalApis } from "../docs/portal-apis.ts";
import type { PortalSite } from "../hosts/portal-hosts.ts";
import { settingsOf } from "../settings/present.ts";
import { presentExample } from "../site/site-description.ts";

export interface InsightServices extends CustomerServices {
  portalApis: PortalApis;
  /** The address of a deployment. */
  urlOf(deploymentName: string): string;
}

/** The APIs, the usage and the requests of the signed-in customer. */
export function insightRoutes({ portalApis, urlOf, ...services }: InsightServices) {
  const { enter } = customerEntrance(services);
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
        const { site, settings } = await enter(input, undefined);
        const found = await apisOf(input.reads, site);
        const { isEnabled = false, registration = "closed" } = settings.oauth ?? {};
        const data = found.map(({ deployment, title, example, agents: routes }) => {
          const url = urlOf(deployment);
          const agents = routes.map(({ path, title: own = title, key, acceptsTokens }) => ({
            url: url + path,
            title: own,
            keyHeader: key?.header,
            keyPrefix: key?.prefix,
            // Common clients register themselves, or have a metadata document.
            hasSignIn: acceptsTokens && isEnabled && registration !== "closed",
          }));
          return {
            title,
            url,
            example: example && presentExample(url, example),
            ...(agents.length === 0 ? {} : { agents }),
          };
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
        const { consumer, settings } = await enter(input, "usage:read");
        const { meteringBucket, deployments } = settings;
        const { reads, account, act } = input;
        const bucket = meteringBucket && (await findMeteringBucket(reads, account.seq, meteringBucket));
        const used = bucket ? await customerUsage(reads, bucket, consumer.name, timeIn(bucket, act.now)) : noUsage;
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
        const { consumer, site, settings } = await enter(input, "requests:read");
        const titles = new Map((await apisOf(input.reads, site)).map(({ deployment, title }) => [deployment, title]));
        const { outcome, ...page } = input.query;
        const statuses = outcome === "failed" ? ([400, 599] as const) : undefined;
        const { deployments } = settings;
        const selection = { ...page, deployments, consumerId: consumer.id, statuses };
        const place = { accountSeq: input.account.seq };
        const { data } = await listRequests(input.reads, place, selection, input.act.now);
        const own = data.filter(({ consumerId }) => consumerId === consumer.id);
        const apiOf = (name: string) => titles.get(name) ?? name;
        return { body: { data: own.map((request) => present(request, apiOf(request.deployment))) } };
      },
    }),
  ];
}

const noUsage = { subscription: null, meters: {} };

/** The usage of a customer in the current period, by meter and day. */
async function customerUsage(reads: Reads, bucket: MeteringBucket, customerKey: string, now: number) {
  const subscription = await currentSubscription(reads, bucket, customerKey, now);
  if (!subscription) {
    const all = await subscriptionsOf(reads, bucket, customerKey);
    const unpaid = all.find(({ row, plans }) => statusAt(row, plans, now) === "unpaid");
    return { ...noUsage, unpaidPlans: unpaid?.plans.map(({ label }) => label) };
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

/** Without what only concerns the business. The schema leaves out more: upstreams and errors of code. */
function present(request: StoredRequest, api: string) {
  const { detail, decisions, ...rest } = presentRequest(request);
  // Its detail names members of the upstream's response.
  const isOfResponse = rest.code === "response_invalid";
  return {
    ...rest,
    api,
    detail: isOfResponse ? undefined : detail,
    decisions: decisions.filter(({ outcome }) => outcome === "rejected" && !isOfResponse),
  };
}
