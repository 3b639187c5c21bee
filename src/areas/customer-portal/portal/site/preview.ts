import type { Act } from "../../../../core/access.ts";
import { portalScopes } from "../../../../core/portal-scopes.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import { findKeyBucket } from "../../../api-keys/key-buckets/key-buckets.ts";
import { customerPlans } from "../plans/customer-plans.ts";
import { accountIn } from "../plans/offers.ts";
import type { PortalPreviewInput } from "../schema.ts";
import { accentStyle, portalIcon } from "../settings/accent.ts";
import { withOwnCustomers } from "../settings/portals.ts";
import type { CustomerPages } from "./customer-pages.ts";
import { describeSite, meteringBucketOf, type SiteServices } from "./site-description.ts";

export interface PreviewServices extends SiteServices {
  customerPages: CustomerPages;
}

/** A customer who has just signed up. No consumer has an empty name, so that no stored data is found. */
const newCustomer = { consumerId: "", consumerName: "", scopes: portalScopes };

/**
 * Returns what the pages of a portal with these settings begin with, for visitors and for a new customer. Names of
 * deployments, plans and metering buckets that do not exist are ignored.
 */
export async function previewPortal(
  services: PreviewServices,
  reads: Reads,
  act: Act,
  bucketName: string,
  { issuer, ...given }: PortalPreviewInput,
) {
  const bucket = await findKeyBucket(reads, act.account.seq, bucketName);
  const input = await withOwnCustomers(reads, act.account.seq, bucket.name, given);
  const settings = { ...input, ...(issuer === undefined ? {} : { oidc: { issuer } }) };
  const row = { account_seq: act.account.seq, bucket_name: bucket.name, logo_type: null };
  const site = { ...row, settings: JSON.stringify(settings) };
  const hasPlans = (await meteringBucketOf(reads, act.account.seq, input)) !== undefined;
  return {
    site: await describeSite(services, reads, site),
    pages: await services.customerPages.pagesForCustomer(reads, site, newCustomer, act.now),
    plans: hasPlans
      ? await customerPlans(reads, await accountIn(reads, act, input, newCustomer.consumerName), input, false)
      : { data: [], paysOnline: false },
    style: accentStyle(input.accentColor),
    icon: portalIcon(input),
  };
}
