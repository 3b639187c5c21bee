import { stream, submit } from "../../../../api/endpoint.ts";
import { invalid, Problem } from "../../../../core/problems/problem.ts";
import { preferredType } from "../../../../lib/http/accept.ts";
import { HttpHeaders } from "../../../../platform/http1/message/headers.ts";
import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../../../platform/http1/message/http-response.ts";
import type { Reads, Storage } from "../../../../platform/storage/storage.ts";
import { bucketPath, inBucket } from "../../metering-buckets/in-bucket.ts";
import { findCheckout } from "../payments/checkouts.ts";
import type { Checkout, CheckoutLook, CheckoutPage, CheckoutStep, PaymentServices } from "../payments/interface.ts";
import { checkout, checkoutForm } from "../payments/provider-schema.ts";
import { providerFor } from "../payments/providers.ts";
import { paymentPortal, paymentPortalInput } from "../schemas/subscription-schema.ts";

export interface CheckoutServices {
  storage: Storage;
  payments: PaymentServices;
}

const types = ["text/html", "application/json"] as const;

/**
 * The addresses where customers pay. Their token is the credential, so that a browser needs no other; the form therefore
 * needs no check of its origin.
 */
export function checkoutRoutes(
  { storage, payments }: CheckoutServices,
  { path, name }: { path: string; name: "" | "Portal" },
) {
  const template = `${path}/{checkoutToken}` as const;
  const pageOf = async (reads: Reads, found: Checkout) => {
    const { type } = await providerFor(reads, found, found.bucket);
    return payments[type]?.checkout;
  };
  return [
    stream({
      operationId: `open${name}Checkout`,
      method: "GET",
      path: template,
      summary: "Open the page where a customer pays",
      description:
        "A page of the sandbox, or a redirect to that of the payment provider. The token in the address is valid for a day.",
      access: "anyone",
      otherTypes: ["text/html"],
      response: checkout,
      problems: ["payment_page_missing", "payment_provider_unavailable"],
      handle: async ({ reads, act, params, request }) => {
        const found = await findCheckout(reads, params.checkoutToken, act.now);
        const page = await pageOf(reads, found);
        // The provider was changed after the address was created.
        if (!page) throw new Problem("payment_page_missing");
        if ("urlOf" in page) return redirect(await page.urlOf(found));
        return stepResponse(
          page,
          found,
          await page.currentStep(reads, found),
          await page.lookOf(reads, found),
          request,
        );
      },
    }),
    submit({
      operationId: `submit${name}Checkout`,
      path: template,
      summary: "Choose a payment method of the sandbox, and pay",
      description:
        "Once everything is paid, redirects to the `returnUrl` of the purchase, or shows a page that leads there to clients that accept HTML.",
      access: "anyone",
      form: checkoutForm,
      response: checkout,
      handle: async ({ act, params, form, request }) => {
        const { found, page, step, look } = await storage.write(async (transaction) => {
          const found = await findCheckout(transaction, params.checkoutToken, act.now);
          const page = await pageOf(transaction, found);
          if (!page || "urlOf" in page) throw invalid("", "is only for payment methods of the sandbox");
          const step = await page.submit(transaction, { ...act, account: found.account }, found, form);
          return { found, page, step, look: await page.lookOf(transaction, found) };
        });
        // Programs follow the redirect; people see that the payment was made.
        const isSeen = step !== undefined || request.headers.get("accept")?.includes("text/html");
        return isSeen ? stepResponse(page, found, step, look, request) : redirect(found.returnUrl);
      },
    }),
  ];
}

function redirect(location: string): HttpResponse {
  return new HttpResponse(303, new HttpHeaders({ location, "cache-control": "no-store" }), "");
}

function stepResponse(
  page: CheckoutPage,
  found: Checkout,
  step: CheckoutStep | undefined,
  look: CheckoutLook | undefined,
  request: HttpRequest,
) {
  if (step && preferredType(request.headers.get("accept"), types) !== "text/html") return { body: presentStep(step) };
  const { html, policy } = page.render(found, step, look);
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  };
  return new HttpResponse(200, new HttpHeaders(headers), html);
}

function presentStep({ step, due, failure }: CheckoutStep) {
  return {
    step,
    ...(failure === undefined ? {} : { failure }),
    due: due.map(({ seller: _, lines: __, ...shown }) => shown),
  };
}

export function paymentPortalRoutes(payments: PaymentServices) {
  return [
    inBucket.read({
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
      handle: async ({ reads, act, bucket, params, body }) => {
        const { type } = await providerFor(reads, act, bucket);
        const customer = { account: act.account, bucket, customerKey: params.customerKey, returnUrl: body.returnUrl };
        const url = await payments[type]?.portalUrl?.(customer);
        if (url === undefined) throw new Problem("payment_page_missing");
        return { body: { url } };
      },
    }),
  ];
}
