import type { Tollgate } from "../client/index.ts";
import { meteringBucket } from "./metering-bucket.ts";
import { UsageError } from "./usage-error.ts";

/** What commands about usage are about: a subscription by its id, or a customer by their name. */
export async function findSubscription(
  client: Tollgate,
  bucket: string | undefined,
  given: string,
): Promise<{ bucketId: string; subscriptionId: string }> {
  const bucketId = await meteringBucket(client, bucket);
  if (/^sbsc_[0-9A-Za-z]{24}$/.test(given)) return { bucketId, subscriptionId: given };
  const theirs = await client.subscriptions(bucketId).list({ customerKey: given }).all();
  // The newest that is in force is the one that a gateway counts against.
  const inForce = theirs.findLast(({ status }) => status === "active" || status === "trialing") ?? theirs.at(-1);
  if (!inForce)
    throw new UsageError(
      `"${given}" is neither a subscription nor a customer with one.`,
      "What there is: tollgate subscriptions list",
    );
  return { bucketId, subscriptionId: inForce.id };
}
