import type { PortalScope } from "../../../../core/portal-scopes.ts";
import { formatDateTime } from "../../../../lib/time/time.ts";
import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { listGrants } from "../../../commerce/billing/credit-grants/grants.ts";
import { listInvoices } from "../../../commerce/billing/invoices/invoices.ts";
import { publicPacks } from "../../../commerce/billing/packs/packs.ts";
import { profileOf } from "../../../commerce/billing/settings/settings.ts";
import type { MeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";
import { hasCosts, priceOf, ratesOf } from "../../../commerce/plans/prices.ts";
import { subscriptionsOf } from "../../../commerce/subscriptions/subscriptions.ts";
import { customerModels } from "../../../insight/analytics/customer-models.ts";
import type { PortalSite } from "../hosts/portal-hosts.ts";
import { offeredPlans } from "../plans/offers.ts";
import { type PortalPage, portalPages } from "../schema.ts";
import { type PortalSession, type PortalSessions, portalScopesOf } from "../sessions/portal-sessions.ts";
import { type PortalSettings, settingsOf } from "../settings/present.ts";
import { type DescribedSite, describeSite, meteringBucketOf, type SiteServices } from "./site-description.ts";

/** Decides which pages a customer sees: those that the session may open, and that have something to show. */
export class CustomerPages {
  constructor(private readonly services: Pick<SiteServices, "docs" | "mailSignIns" | "portalApis">) {}

  /** A session with the pages that it may open and that have something to show. */
  async present(reads: Reads, site: DescribedSite, session: PortalSession, now: number) {
    const { consumer_id: consumerId, consumer_name: consumerName } = session;
    const scopes = portalScopesOf(session);
    return {
      consumer: { name: session.display_name ?? consumerName },
      subject: session.manager_email ?? session.subject,
      scopes,
      ...(session.is_suspended === 1 && { suspension: { reason: session.suspension_reason ?? undefined } }),
      pages: await this.pagesForCustomer(reads, site, { consumerId, consumerName, scopes }, now),
      isManager: session.manager_id !== null,
      isByProvider: session.issuer !== null,
      isView: session.viewer !== null,
      ...(session.return_url === null ? {} : { returnUrl: session.return_url }),
      expiresOn: formatDateTime(session.expires_on),
    };
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

export interface PageStateServices extends SiteServices {
  sessions: PortalSessions;
  customerPages: CustomerPages;
}

export type PageState = Awaited<ReturnType<typeof pageState>>;

/** What a page of the portal begins with: the site, and the session, which is null without one. */
export async function pageState(
  services: PageStateServices,
  reads: Reads,
  site: PortalSite,
  request: HttpRequest,
  now: number,
) {
  const session = await services.sessions.find(reads, site, request, now);
  return {
    site: await describeSite(services, reads, site),
    session: session ? await services.customerPages.present(reads, site, session, now) : null,
  };
}
