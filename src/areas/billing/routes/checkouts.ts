import { stream, submit } from "../../../api/endpoint.ts";
import { invalid, Problem } from "../../../core/problems/problem.ts";
import { preferredType } from "../../../lib/http/accept.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { Storage } from "../../../platform/storage/storage.ts";
import { type Checkout, findCheckout, type HostedCheckout } from "../checkout/checkouts.ts";
import { chooseMethod, confirmCheckout, currentStep, type SandboxStep } from "../checkout/sandbox.ts";
import { checkoutPage, checkoutPolicy } from "../checkout/sandbox-page.ts";
import { presentInvoice } from "../invoices/present-invoice.ts";
import { sandboxMethods } from "../schemas/customer-schema.ts";
import { checkout, checkoutForm } from "../schemas/subscription-schema.ts";
import { type ProviderType, providerFor } from "../settings/providers.ts";

export interface CheckoutServices {
  storage: Storage;
  /** The pages of payment providers, by their type. */
  hosted: Partial<Record<ProviderType, HostedCheckout>>;
}

const types = ["text/html", "application/json"] as const;

/**
 * The addresses where customers pay. Their token is the credential, so that a browser needs no other; the form therefore
 * needs no check of its origin.
 */
export function checkoutRoutes(
  { storage, hosted }: CheckoutServices,
  { path, area, name }: { path: string; area: string; name: "" | "Portal" },
) {
  const template = `${path}/{checkoutToken}` as const;
  return [
    stream({
      operationId: `open${name}Checkout`,
      method: "GET",
      path: template,
      area,
      summary: "Open the page where a customer pays",
      description:
        "A page of the sandbox, or a redirect to that of the payment provider. The token in the address is valid for a day.",
      access: "anyone",
      otherTypes: ["text/html"],
      response: checkout,
      problems: ["payment_page_missing", "payment_provider_unavailable"],
      handle: async ({ reads, act, params }, request) => {
        const found = await findCheckout(reads, params.checkoutToken, act.now);
        const provider = await providerFor(reads, found, found.bucket);
        const page = hosted[provider];
        if (page) return redirect(await page.urlOf(found));
        // The provider was changed after the address was created.
        if (provider !== "sandbox") throw new Problem("payment_page_missing");
        const step = await currentStep(reads, found);
        const type = preferredType(request.headers.get("accept"), types);
        return type === "text/html" ? pageResponse(found, step) : { body: presentStep(step) };
      },
    }),
    submit({
      operationId: `submit${name}Checkout`,
      path: template,
      area,
      summary: "Choose a payment method of the sandbox, and pay",
      description: "Redirects to the `returnUrl` of the purchase once everything is paid.",
      access: "anyone",
      form: checkoutForm,
      response: checkout,
      handle: async ({ act, params, form, request }) => {
        const { found, step } = await storage.write(async (transaction) => {
          const found = await findCheckout(transaction, params.checkoutToken, act.now);
          if ((await providerFor(transaction, found, found.bucket)) !== "sandbox")
            throw invalid("", "is only for payment methods of the sandbox");
          const by = { ...act, account: found.account };
          const confirmed = form?.get("confirm");
          if (confirmed === "yes" || confirmed === "no")
            return { found, step: await confirmCheckout(transaction, by, found, confirmed === "yes") };
          const behavior = sandboxMethods.find((method) => method === form?.get("method"));
          if (!behavior) throw invalid("/method", `must be one of ${sandboxMethods.join(", ")}`);
          return { found, step: await chooseMethod(transaction, by, found, behavior) };
        });
        if (!step) return redirect(found.returnUrl);
        const type = preferredType(request.headers.get("accept"), types);
        return type === "text/html" ? pageResponse(found, step) : { body: presentStep(step) };
      },
    }),
  ];
}

function presentStep({ step, open, failure }: SandboxStep) {
  const due = open.map((row) => {
    const { number, currency, amountDue } = presentInvoice(row);
    return { ...(number === undefined ? {} : { number }), currency, amountDue };
  });
  return { step, ...(failure === undefined ? {} : { failure }), due };
}

function redirect(location: string): HttpResponse {
  return new HttpResponse(303, new HttpHeaders({ location, "cache-control": "no-store" }), "");
}

function pageResponse(found: Checkout, step: SandboxStep): HttpResponse {
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": checkoutPolicy(found),
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
  };
  return new HttpResponse(200, new HttpHeaders(headers), checkoutPage(found, step));
}
