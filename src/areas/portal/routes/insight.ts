import { read } from "../../../api/endpoint.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { customerModels } from "../../analytics/customer-models.ts";
import { customerOf } from "../customer/customer.ts";
import { customerRequests } from "../customer/customer-requests.ts";
import { customerUsage } from "../customer/customer-usage.ts";
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
export function insightRoutes({ hosts, portalApis, urlOf }: InsightServices, area: string) {
  const apisOf = (reads: Reads, site: PortalSite): Promise<PortalApi[]> =>
    portalApis.list(reads, site.account_seq, settingsOf(site).deployments, site.bucket_name);
  return [
    read({
      operationId: "listPortalApis",
      path: "/portal/api/apis",
      area,
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
      area,
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
      area,
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
