import type { Portal, PortalPreviewCreate, PortalUpdate } from "../../../../client/index.ts";
import { listOf } from "../../../components/rows.tsx";
import { providerOf, providerSettings } from "./portal-provider.tsx";

/** The settings of a portal as the fields of its form. */
export const formOf = (portal: Portal | null) => ({
  isEnabled: portal?.isEnabled ?? true,
  title: portal?.title ?? "",
  description: portal?.description ?? "",
  accentColor: portal?.accentColor ?? "",
  logo: portal?.logo,
  host: portal?.host ?? "",
  deployments: portal?.deployments ?? [],
  meteringBucket: portal?.meteringBucket ?? "",
  signUp: portal?.signUp ?? ("closed" as const),
  allowedDomains: portal?.allowedDomains ?? [],
  signUpPlan: portal?.signUpPlan ?? "",
  recommendedPlan: portal?.recommendedPlan ?? "",
  oidc: providerOf(portal),
  oauth: portal?.oauth,
  mails: portal?.mails,
  plans: portal?.plans ?? [],
  keyLimit: String(portal?.keyLimit ?? 10),
  returnOrigins: portal?.returnOrigins ?? [],
  termsUrl: portal?.termsUrl ?? "",
  isReferencePublic: portal?.isReferencePublic ?? false,
  links: portal?.links ?? [],
});

export type PortalFields = ReturnType<typeof formOf>;

export function settingsOf({
  allowedDomains,
  plans,
  links,
  returnOrigins,
  keyLimit,
  isEnabled,
  isReferencePublic,
  title,
  deployments,
  logo,
  oidc,
  oauth,
  mails,
  ...texts
}: PortalFields): PortalUpdate {
  const origins = listOf(returnOrigins);
  const domains = listOf(allowedDomains);
  const provider = providerSettings(oidc);
  const offered = listOf(plans);
  return {
    isEnabled,
    isReferencePublic,
    title,
    deployments,
    keyLimit: Number(keyLimit),
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== "")),
    ...(logo === undefined ? {} : { logo }),
    ...(provider === undefined ? {} : { oidc: provider }),
    ...(oauth === undefined ? {} : { oauth }),
    ...(mails === undefined ? {} : { mails }),
    ...(origins.length === 0 ? {} : { returnOrigins: origins }),
    ...(links.length === 0 ? {} : { links }),
    ...(domains.length === 0 ? {} : { allowedDomains: domains }),
    ...(offered.length === 0 ? {} : { plans: offered }),
  };
}

const isWebUrl = (text: string | undefined): boolean => /^https?:\/\/./.test(text ?? "") && URL.canParse(text ?? "");

/** What the pages of the portal show. Fields that are not typed to the end are left out. */
export function previewOf(form: PortalFields): PortalPreviewCreate {
  const { title, description, accentColor, deployments, signUp, plans, meteringBucket, links, ...rest } =
    settingsOf(form);
  const { termsUrl, isReferencePublic, oauth } = rest;
  const { issuer } = form.oidc;
  return {
    title: title.trim() === "" ? "Your API" : title,
    ...(description === undefined ? {} : { description }),
    ...(/^#[0-9a-f]{6}$/i.test(accentColor ?? "") ? { accentColor } : {}),
    ...(deployments === undefined ? {} : { deployments }),
    ...(signUp === undefined ? {} : { signUp }),
    ...(plans === undefined ? {} : { plans }),
    ...(meteringBucket === undefined ? {} : { meteringBucket }),
    ...(isWebUrl(termsUrl) ? { termsUrl } : {}),
    ...(isReferencePublic === undefined ? {} : { isReferencePublic }),
    ...(oauth === undefined ? {} : { oauth }),
    links: links?.filter(({ label, url }) => label !== "" && isWebUrl(url)) ?? [],
    ...(isWebUrl(issuer) ? { issuer } : {}),
  };
}
