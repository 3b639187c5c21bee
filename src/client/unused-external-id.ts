import type { Subscription } from "./index.ts";

/** The customer's key, with a number appended if a subscription that is not canceled has it as external id. */
export function unusedExternalId(customer: string, subscriptions: Subscription[]): string {
  const current = subscriptions.filter(({ status }) => status !== "canceled");
  const used = new Set(current.map((each) => each.subscriptionExternalId));
  let externalId = customer;
  for (let number = 2; used.has(externalId); number++) externalId = `${customer}-${number}`;
  return externalId;
}
