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

/** The paths of all pages of the console and their tabs, below /console, for an account with these resources. */
export function consolePages(names: Names): string[] {
  const { keyBucket, consumer, plan, subscription, webhook, invoice } = names;
  const metering = `bucket=${names.meteringBucket}`;
  const tabs = (start: string, ...values: string[]) => values.map((value) => `${start}tab=${value}`);
  return [
    "/",
    `/consumers?bucket=${keyBucket}`,
    `/consumers/${keyBucket}/${consumer}`,
    ...tabs(`/consumers/${keyBucket}/${consumer}?`, "keys", "usage", "requests", "billing", "people", "activity"),
    `/keys?bucket=${keyBucket}`,
    `/plans?${metering}`,
    `/plans?${metering}&plan=${plan}`,
    `/subscriptions?${metering}`,
    `/subscriptions?${metering}&subscription=${subscription}`,
    ...tabs(`/billing?${metering}&`, "invoices", "unpaid", "payments", "customers", "revenue"),
    ...(invoice ? [`/billing?${metering}&invoice=${invoice}`] : []),
    "/deployments",
    ...tabs(
      `/deployments/${names.deployment}?`,
      ...["overview", "routes", "versions", "requests", "logs", "variables", "details"],
    ),
    "/domains",
    "/requests",
    "/models",
    "/webhooks",
    `/webhooks/${webhook}`,
    "/audit-log",
    `/search?q=${consumer}`,
    ...tabs(
      "/settings?",
      "people",
      "tokens",
      "issuers",
      "buckets",
      "portal",
      "billing",
      "exports",
      "sessions",
      "system",
    ),
  ];
}
