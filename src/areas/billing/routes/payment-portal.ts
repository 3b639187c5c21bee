import { read, routeScope } from "../../../api/endpoint.ts";
import { Problem } from "../../../core/problems/problem.ts";
import { findMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { bucketPath } from "../../metering-buckets/paths.ts";
import type { PaymentServices } from "../payments/interface/service.ts";
import { providerFor } from "../payments/providers.ts";
import { paymentPortal, paymentPortalInput } from "../schemas/subscription-schema.ts";

export function paymentPortalRoutes(payments: PaymentServices) {
  return routeScope({ inAccountOfCaller: true }, [
    read({
      operationId: "openPaymentPortal",
      method: "POST",
      path: `${bucketPath}/customers/{customerKey}/$payment-portal`,
      summary: "Get a link to the provider's page of a customer",
      description:
        "With Stripe: the customer changes the payment method there, and reads invoices. The link is valid for minutes.",
      access: "bill",
      body: paymentPortalInput,
      response: paymentPortal,
      problems: ["payment_page_missing", "payment_provider_unavailable"],
      handle: async ({ reads, act, params, body }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const { type } = await providerFor(reads, act, bucket);
        const customer = { account: act.account, bucket, customerKey: params.customerKey, returnUrl: body.returnUrl };
        const url = await payments[type]?.portalUrl?.(customer);
        if (url === undefined) throw new Problem("payment_page_missing");
        return { body: { url } };
      },
    }),
  ]);
}
