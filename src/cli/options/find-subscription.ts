import type { Subscription, SubscriptionCreate, Tollgate } from "../../client/index.ts";
import { UsageError } from "../process/usage-error.ts";
import { meteringBucket } from "./metering-bucket-option.ts";

/** Finds a subscription by its id, or by the name of its customer. */
export async function findSubscription(
  client: Tollgate,
  bucket: string | undefined,
  given: string,
): Promise<{ bucketId: string; subscriptionId: string }> {
  const bucketId = await meteringBucket(client, bucket);
  if (/^sbsc_[0-9A-Za-z]{24}$/.test(given)) return { bucketId, subscriptionId: given };
  const subscriptions = await client.subscriptions(bucketId).list({ customerKey: given }).all();
  // A gateway counts against the newest active subscription.
  const newest = subscriptions.findLast(isActive) ?? subscriptions.at(-1);
  if (!newest)
    throw new UsageError(
      `"${given}" is neither a subscription nor a customer with one.`,
      "List them: tollgate subscriptions list",
    );
  return { bucketId, subscriptionId: newest.id };
}

export function isActive({ status }: Subscription): boolean {
  return status === "active" || status === "trialing";
}

/**
 * Cancels the replaced subscriptions first, because the new one may reuse an external id. If creation fails, they are
 * resumed.
 */
export async function replaceSubscriptions(
  client: Tollgate,
  bucketId: string,
  replaced: Subscription[],
  input: SubscriptionCreate,
): Promise<Subscription> {
  const subscriptions = client.subscriptions(bucketId);
  const canceled: Subscription[] = [];
  try {
    for (const each of replaced) {
      await subscriptions.update(each.id, { status: "canceled" });
      canceled.push(each);
    }
    return await subscriptions.create(input);
  } catch (error) {
    for (const { id, status } of canceled) await subscriptions.update(id, { status });
    throw error;
  }
}
