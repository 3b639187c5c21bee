import type { Stripe } from "stripe";
import { newPaymentMethod, newPortalSession } from "./checkout-objects.ts";
import { invalidRequest, missing } from "./parameters.ts";
import { call, inOrder, page, type Route, setMetadata } from "./routes.ts";

export const checkoutRoutes: Route[] = [
  call<Stripe.Checkout.SessionCreateParams>(
    "POST",
    /^\/v1\/checkout\/sessions$/,
    {
      accepts: {
        mode: "text",
        customer: "text",
        currency: "text",
        success_url: "text",
        cancel_url: "text",
        billing_address_collection: "text",
        tax_id_collection: "hash",
        customer_update: "hash",
        metadata: "hash",
      },
      required: ["mode", "customer", "currency", "success_url"],
    },
    (params, { book }) => {
      const session = book.createSession(book.customer(params.customer!));
      session.currency = params.currency!;
      session.success_url = params.success_url!;
      session.cancel_url = params.cancel_url ?? null;
      session.billing_address_collection = params.billing_address_collection ?? null;
      const asksTaxId = String(params.tax_id_collection?.enabled) === "true";
      if (asksTaxId && params.customer_update?.name !== "auto")
        throw invalidRequest("Tax ID collection requires updating business name on the customer.");
      session.tax_id_collection = { enabled: asksTaxId, required: "never" };
      setMetadata(session, params.metadata);
      return session;
    },
  ),
  call<Stripe.Checkout.SessionListParams>(
    "GET",
    /^\/v1\/checkout\/sessions$/,
    { accepts: { customer: "text", status: "text", limit: "integer", starting_after: "text" } },
    ({ customer, status, ...paging }, { book }) => {
      const found = [...book.sessions.values()].filter(
        (session) => session.customer === customer && (status === undefined || session.status === status),
      );
      return page(inOrder(found), paging, "/v1/checkout/sessions");
    },
  ),
  call<Stripe.SetupIntentRetrieveParams>(
    "GET",
    /^\/v1\/setup_intents\/(\w+)$/,
    { accepts: { expand: "list" } },
    (_params, { book, ids: [id] }) => {
      const intent = book.setupIntents.get(id!);
      if (!intent) throw missing("setupintent", id!, "intent");
      return intent;
    },
  ),
  call<Stripe.PaymentMethodRetrieveParams>(
    "GET",
    /^\/v1\/payment_methods\/(\w+)$/,
    { accepts: { expand: "list" } },
    (_params, { book, ids: [id], livemode }) => {
      const method = newPaymentMethod(id!, livemode, book.seconds);
      const { expires, billing } = book.entered.get(id!) ?? {};
      if (expires) [method.card!.exp_year, method.card!.exp_month] = expires;
      method.billing_details.address = billing ?? null;
      return method;
    },
  ),
  call<Stripe.BillingPortal.SessionCreateParams>(
    "POST",
    /^\/v1\/billing_portal\/sessions$/,
    { accepts: { customer: "text", return_url: "text" }, required: ["customer"] },
    ({ customer, return_url = null }, { book }) =>
      newPortalSession(book.newId("bps"), book.customer(customer!), return_url, book.seconds),
  ),
];
