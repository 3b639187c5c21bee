import { read } from "../../../api/endpoint.ts";
import { notFound } from "../../../core/problems/problem.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { findMeteringBucket } from "../../metering-buckets/metering-buckets.ts";
import { providerModes } from "../schemas/settings-schema.ts";
import { comparison, comparisonQuery, paymentPortal, paymentPortalInput } from "../schemas/stripe-schema.ts";
import type { StripeAccounts } from "../stripe/accounts.ts";
import { compareInvoices } from "../stripe/comparison.ts";
import type { StripePages } from "../stripe/hosted-pages.ts";
import { area, bucketPath, inAccountOfCaller } from "./shared.ts";

const defaultMilliseconds = 30 * 24 * 60 * 60 * 1000;

export function stripeRoutes(pages: StripePages, accounts: StripeAccounts) {
  return [
    read({
      operationId: "comparePayments",
      path: "/v1/accounts/{accountName}/payment-provider/{mode}/comparison",
      area,
      summary: "Compare invoices with the payment provider",
      description:
        "With Stripe: fetches its invoices, and returns those whose status or amount is not that of ours. Changes nothing.",
      access: "bill",
      query: comparisonQuery,
      response: comparison,
      problems: ["payment_provider_unavailable"],
      handle: async ({ reads, act, account, params, query }) => {
        const mode = providerModes.find((each) => each === params.mode);
        if (!mode) throw notFound("payment provider");
        const since = query.since ?? act.now - defaultMilliseconds;
        const compared = await compareInvoices({ accounts, reads, accountSeq: account.seq, mode, since });
        const body = { ...compared, since: formatDateTime(compared.since) };
        return { body, revision: { id: `comparison-${mode}-${account.id}`, version: "now" }, composed: true };
      },
    }),
    read({
      operationId: "openPaymentPortal",
      method: "POST",
      path: `${bucketPath}/customers/{customerKey}/$payment-portal`,
      area,
      inAccountOfCaller,
      summary: "Get a link to the provider's page of a customer",
      description:
        "With Stripe: the customer changes the payment method there, and reads invoices. The link is valid for minutes.",
      access: "bill",
      body: paymentPortalInput,
      response: paymentPortal,
      problems: ["payment_page_missing", "payment_provider_unavailable"],
      handle: async ({ reads, act, params, body }) => {
        const bucket = await findMeteringBucket(reads, act.account.seq, params.bucketId);
        const { customerKey } = params;
        const url = await pages.portalUrl({ account: act.account, bucket, customerKey, returnUrl: body.returnUrl });
        return { body: { url } };
      },
    }),
  ];
}
