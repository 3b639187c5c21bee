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

/** A list without entries is not set. */
const filled = <Item>(items: Item[]): Item[] | undefined => (items.length === 0 ? undefined : items);

export const settingsOf = (form: PortalFields): PortalUpdate => ({
  ...form,
  keyLimit: Number(form.keyLimit),
  description: form.description || undefined,
  accentColor: form.accentColor || undefined,
  host: form.host || undefined,
  meteringBucket: form.meteringBucket || undefined,
  signUpPlan: form.signUpPlan || undefined,
  recommendedPlan: form.recommendedPlan || undefined,
  termsUrl: form.termsUrl || undefined,
  oidc: providerSettings(form.oidc),
  returnOrigins: filled(listOf(form.returnOrigins)),
  allowedDomains: filled(listOf(form.allowedDomains)),
  plans: filled(listOf(form.plans)),
  links: filled(form.links),
});

const isWebUrl = (text = ""): boolean => /^https?:\/\/./.test(text) && URL.canParse(text);
const webUrl = (text: string | undefined) => (isWebUrl(text) ? text : undefined);

/** What the pages of the portal show. Fields that are not typed to the end are left out. */
export function previewOf(form: PortalFields): PortalPreviewCreate {
  const {
    title,
    description,
    accentColor,
    deployments,
    signUp,
    plans,
    meteringBucket,
    links = [],
    ...rest
  } = settingsOf(form);
  const { termsUrl, isReferencePublic, oauth } = rest;
  return {
    title: title.trim() === "" ? "Your API" : title,
    description,
    accentColor: /^#[0-9a-f]{6}$/i.test(accentColor ?? "") ? accentColor : undefined,
    deployments,
    signUp,
    plans,
    meteringBucket,
    termsUrl: webUrl(termsUrl),
    isReferencePublic,
    oauth,
    links: links.filter(({ label, url }) => label !== "" && isWebUrl(url)),
    issuer: webUrl(form.oidc.issuer),
  };
}
