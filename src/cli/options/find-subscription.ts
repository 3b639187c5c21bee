import type { Subscription, Tollgate } from "../../client/index.ts";
import { UsageError } from "../process/usage-error.ts";

/** The id of a subscription, given its id or the name of its customer. */
export async function findSubscriptionId(
  subscriptions: ReturnType<Tollgate["subscriptions"]>,
  given: string,
): Promise<string> {
  if (/^sbsc_[0-9A-Za-z]{24}$/.test(given)) return given;
  const theirs = await subscriptions.list({ customerKey: given }).all();
  // A gateway counts against the newest active subscription.
  const newest = theirs.findLast(isActive) ?? theirs.at(-1);
  if (!newest)
    throw new UsageError(
      `"${given}" is neither a subscription nor a customer with one.`,
      "List them: tollgate subscriptions list",
    );
  return newest.id;
}

export function isActive({ status }: Subscription): boolean {
  return status === "active" || status === "trialing";
}
