import { ifFound } from "../../../../core/problems/problem.ts";
import type { Reads } from "../../../../platform/storage/storage.ts";
import type { MailSignIns } from "../../../access/mail-sign-in/mail-sign-ins.ts";
import { purchaseNeeds } from "../../../commerce/billing/purchases/purchases.ts";
import { profileOf } from "../../../commerce/billing/settings/settings.ts";
import { findMeteringBucket, type MeteringBucket } from "../../../commerce/metering-buckets/metering-buckets.ts";
import type { PortalApis } from "../docs/portal-apis.ts";
import type { PortalDocs } from "../docs/portal-docs.ts";
import type { PortalSite } from "../hosts/portal-hosts.ts";
import { offeredPlans, presentOffer } from "../plans/offers.ts";
import { type PortalSettings, settingsOf } from "../settings/present.ts";

export interface SiteServices {
  mailSignIns: Pick<MailSignIns, "isEnabled">;
  portalApis: PortalApis;
  docs: PortalDocs;
  /** The address of a deployment. */
  urlOf(deploymentName: string): string;
}

/** What a description of a portal needs of its row. */
export type DescribedSite = Pick<PortalSite, "account_seq" | "bucket_name" | "settings" | "logo_type">;

/** Describes a portal to everyone: nothing that the business shows only to its customers. */
export async function describeSite(
  { mailSignIns, portalApis, docs, urlOf }: SiteServices,
  reads: Reads,
  site: DescribedSite,
) {
  const settings = settingsOf(site);
  const { title, description, links = [], termsUrl, isReferencePublic = false, signUp, oidc } = settings;
  const provider = oidc ? { provider: new URL(oidc.issuer).host } : {};
  const documented = isReferencePublic ? await docs.apis(reads, site) : [];
  const listed = isReferencePublic
    ? await portalApis.list(reads, site.account_seq, settings.deployments, site.bucket_name)
    : [];
  const apis = listed.map(({ deployment, title: name, example }) => {
    const own = documented.find((each) => each.deployment === deployment);
    const about = own?.site.contents.navigation.description ?? "";
    const url = urlOf(deployment);
    return {
      title: name,
      url,
      ...(about === "" ? {} : { description: about }),
      ...(own ? { page: `/docs/${own.slug}` } : {}),
      ...(example ? { example: presentExample(url, example) } : {}),
    };
  });
  return {
    title,
    ...(description === undefined ? {} : { description }),
    hasLogo: site.logo_type !== null,
    links,
    signIn: { mail: mailSignIns.isEnabled, ...provider },
    signUp,
    ...(termsUrl === undefined ? {} : { termsUrl }),
    isReferencePublic,
    pages: documented.length > 0 ? ["docs" as const] : [],
    apis,
    plans: await publicOffers(reads, site.account_seq, settings),
  };
}

export function presentExample<Example extends { target: string }>(url: string, { target, ...request }: Example) {
  return { ...request, url: url + target };
}

/**
 * The plans that a visitor may see: public ones, and all that customers can choose if everyone can become a customer.
 * Others may be meant for a few customers only.
 */
async function publicOffers(reads: Reads, accountSeq: number, settings: PortalSettings) {
  const bucket = await meteringBucketOf(reads, accountSeq, settings);
  if (!bucket) return [];
  const plans = (await offeredPlans(reads, bucket, settings)).filter(
    ({ is_public }) => is_public === 1 || settings.signUp === "open",
  );
  const hasProfile = plans.length > 0 && (await profileOf(reads, accountSeq)) !== undefined;
  return plans.map((plan) => {
    const isAvailable = hasProfile || !purchaseNeeds([plan], [], false).needsProfile;
    const { isCurrent: _, ...offer } = presentOffer(plan, undefined, isAvailable, settings);
    return offer;
  });
}

/** Undefined if the portal has none, or if it was deleted. */
export async function meteringBucketOf(
  reads: Reads,
  accountSeq: number,
  { meteringBucket }: Pick<PortalSettings, "meteringBucket">,
): Promise<MeteringBucket | undefined> {
  if (meteringBucket === undefined) return undefined;
  return ifFound(findMeteringBucket(reads, accountSeq, meteringBucket));
}
