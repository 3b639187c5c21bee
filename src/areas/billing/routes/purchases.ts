import { routeScope, write } from "../../../api/endpoint.ts";
import { contextIn } from "../../metering-buckets/metering-buckets.ts";
import { bucketPath } from "../../metering-buckets/paths.ts";
import { isUnpaidPurchase } from "../../subscriptions/status.ts";
import { createCheckout } from "../payments/checkouts.ts";
import { providerFor } from "../payments/providers.ts";
import { purchase } from "../purchases/purchases.ts";
import { purchased, purchaseInput } from "../schemas/subscription-schema.ts";

export const checkoutsPath = "/v1/checkouts";

/** `publicUrl` is the address of this server. */
export function purchaseRoutes(publicUrl: () => string) {
  return routeScope({ inAccountOfCaller: true }, [
    write({
      operationId: "purchaseSubscription",
      method: "POST",
      path: `${bucketPath}/subscriptions/$purchase`,
      summary: "Sell plans to a customer",
      description:
        "Creates a subscription that is `incomplete` until it is paid, and `incomplete-expired` after 24 hours. Send the customer to " +
        "`url` to pay; afterwards they go to `returnUrl`, which does not mean that they paid. There is no `url` if nothing is to be " +
        "paid, if the customer's payment method has paid, or if you mark invoices as paid yourself. Replaces free subscriptions of the customer.",
      access: "bill",
      body: purchaseInput,
      response: purchased,
      problems: ["customer_has_subscription", "payment_in_progress", "billing_profile_missing", "meter_rated_twice"],
      handle: async ({ act, params, body }, transaction) => {
        const context = await contextIn(transaction, act, params.bucketId);
        const { bucket } = context;
        const { row } = await purchase(context, body);
        const needsCheckout = isUnpaidPurchase(row) && (await providerFor(transaction, act, bucket)).paysOnline;
        if (!needsCheckout) return { body: { subscriptionId: row.id } };
        const token = await createCheckout(transaction, bucket, body, act.now);
        return { body: { subscriptionId: row.id, url: `${publicUrl()}${checkoutsPath}/${token}` } };
      },
    }),
  ]);
}
