import type { PortalScope } from "../../../../core/portal-scopes.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { listGrants } from "../../../commerce/billing/credit-grants/grants.ts";
import { listInvoices } from "../../../commerce/billing/invoices/invoices.ts";
import { publicPacks } from "../../../commerce/billing/packs/packs.ts";
import { profileOf } from "../../../commerce/billing/settings/settings.ts";
import type { MeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";
import { hasCosts, priceOf, ratesOf } from "../../../commerce/plans/prices.ts";
import { subscriptionsOf } from "../../../commerce/subscriptions/subscriptions.ts";
import { customerModels } from "../../../insight/analytics/customer-models.ts";
import { offeredPlans } from "../plans/offers.ts";
import { type PortalPage, portalPages } from "../portal-pages.ts";
import { type PortalSession, portalScopesOf } from "../sessions/portal-sessions.ts";
import { type PortalSettings, settingsOf } from "../settings/present.ts";
import { type DescribedSite, meteringBucketOf, type SiteServices } from "./site-description.ts";

/** Decides which pages a customer sees: those that the session may open, and that have something to show. */
export class CustomerPages {
  constructor(private readonly services: Pick<SiteServices, "docs" | "mailSignIns" | "portalApis">) {}

  of(reads: Reads, site: DescribedSite, session: PortalSession, now: number): Promise<PortalPage[]> {
    const { consumer_id: consumerId, consumer_name: consumerName } = session;
    return this.pagesForCustomer(reads, site, { consumerId, consumerName, scopes: portalScopesOf(session) }, now);
  }

  async pagesForCustomer(reads: Reads, site: DescribedSite, customer: Customer, now: number): Promise<PortalPage[]> {
    const settings = settingsOf(site);
    const { oauth, oidc, deployments } = settings;
    const { consumerId, consumerName, scopes } = customer;
    const may = (scope: PortalScope) => scopes.includes(scope);
    const bucket = await meteringBucketOf(reads, site.account_seq, settings);
    const money = bucket && (await moneyOf(reads, site.account_seq, { bucket, settings, customerKey: consumerName }));
    const usesModels = async () => {
      const selection = { consumerId, deployments, now };
      return (await customerModels(reads, site.account_seq, selection)).data.length > 0;
    };
    const apis = await this.services.portalApis.list(reads, site.account_seq, deployments, site.bucket_name);
    const isShown: Record<PortalPage, boolean> = {
      docs: (await this.services.docs.apis(reads, site)).length > 0,
      keys: may("keys:read"),
      programs: may("keys:read") && oauth?.isEnabled === true,
      agents: apis.some(({ agents }) => agents.length > 0),
      usage: may("usage:read") && (bucket !== undefined || (await usesModels())),
      requests: may("requests:read") && deployments.length > 0,
      plans: (may("plans:write") || may("invoices:read")) && money?.hasPlans === true,
      credit: (may("usage:read") || may("plans:write")) && money?.hasCredit === true,
      invoices: may("invoices:read") && money?.hasInvoices === true,
      // Without a way to sign in, invites cannot be accepted.
      people: may("people:write") && (this.services.mailSignIns.isEnabled || oidc !== undefined),
    };
    return portalPages.filter((page) => isShown[page]);
  }
}

interface Customer {
  consumerId: string;
  consumerName: string;
  scopes: readonly PortalScope[];
}

interface CustomerInBucket {
  bucket: MeteringBucket;
  settings: PortalSettings;
  customerKey: string;
}

/** Whether there is a plan to choose or to see, an invoice that exists or that a plan will lead to, and credit to buy or to see. */
async function moneyOf(reads: Reads, accountSeq: number, { bucket, settings, customerKey }: CustomerInBucket) {
  const offered = await offeredPlans(reads, bucket, settings);
  const own = (await subscriptionsOf(reads, bucket, customerKey)).flatMap(({ plans }) => plans);
  const costs = (plan: (typeof offered)[number]) => hasCosts({ price: priceOf(plan), rates: ratesOf(plan) });
  const canBuy = offered.some(costs) && (await profileOf(reads, accountSeq)) !== undefined;
  const filter = { customerKey, isFinalized: true };
  const hasInvoices =
    canBuy || own.some(costs) || (await listInvoices(reads, bucket, filter, { limit: 1, offset: 0 })).data.length > 0;
  const hasCredit =
    (await publicPacks(reads, bucket)).length > 0 ||
    (await listGrants(reads, bucket, customerKey, { limit: 1, offset: 0 })).data.length > 0;
  return { hasPlans: offered.length > 0 || own.length > 0, hasInvoices, hasCredit };
}
