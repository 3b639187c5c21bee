import { settingsPages } from "../../src/web/console/shell/settings-pages.ts";

interface Names {
  keyBucket: string;
  consumer: string;
  deployment: string;
  meteringBucket: string;
  plan: string;
  subscription: string;
  webhook: string;
  invoice?: string;
}

const tabs = (start: string, ...values: string[]) => values.map((value) => `${start}tab=${value}`);
const settings = tabs("/settings?", ...settingsPages.map(({ value }) => value));

/** The paths of all pages of the console and their tabs, below /console, for an account with these resources. */
export function consolePages(names: Names): string[] {
  const { keyBucket, consumer, plan, subscription, webhook, invoice } = names;
  const metering = `bucket=${names.meteringBucket}`;
  return [
    "/",
    `/consumers?bucket=${keyBucket}`,
    `/consumers/${keyBucket}/${consumer}`,
    ...tabs(`/consumers/${keyBucket}/${consumer}?`, "keys", "usage", "requests", "billing", "people", "activity"),
    `/keys?bucket=${keyBucket}`,
    `/plans?${metering}`,
    `/plans?${metering}&plan=${plan}`,
    `/plans/simulations?${metering}`,
    `/subscriptions?${metering}`,
    `/subscriptions?${metering}&subscription=${subscription}`,
    ...tabs(`/billing?${metering}&`, "invoices", "unpaid", "payments", "customers", "packs", "revenue"),
    ...(invoice ? [`/billing?${metering}&invoice=${invoice}`] : []),
    "/deployments",
    ...tabs(`/deployments/${names.deployment}?`, ...["overview", "routes", "requests", "logs", "versions", "settings"]),
    "/domains",
    "/requests",
    "/models",
    "/webhooks",
    `/webhooks/${webhook}`,
    "/audit-log",
    `/search?q=${consumer}`,
    ...settings,
  ];
}

/** The paths of the pages that an account without any resource has. */
export function emptyPages(): string[] {
  const lists = [
    "consumers",
    "keys",
    "plans",
    "plans/simulations",
    "subscriptions",
    "billing",
    "deployments",
    "domains",
    "requests",
  ];
  return [
    "/",
    ...[...lists, "models", "webhooks", "audit-log", "search?q=acme"].map((path) => `/${path}`),
    ...settings,
  ];
}
