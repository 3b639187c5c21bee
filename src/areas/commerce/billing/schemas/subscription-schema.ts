import { z } from "zod";
import { dateTime, secret, text } from "../../../../core/schemas/schemas.ts";
import { subscription } from "../../subscriptions/schema.ts";
import { upcomingExample, upcomingInvoice } from "./invoice-schema.ts";
import { required } from "./party-schema.ts";

const plans = z.array(required(256)).min(1, "must name at least one plan").max(20, "must name at most 20 plans");
const timing = z.enum(["now", "period-end"]);

export const changeInput = z
  .strictObject({
    planExternalIds: plans,
    timing: timing.optional().meta({ description: "By default `now` if the total fee rises, otherwise `period-end`." }),
  })
  .meta({ id: "SubscriptionChange", examples: [{ planExternalIds: ["price_gold"] }] });

export const changePreview = z
  .object({
    timing,
    on: dateTime,
    invoice: upcomingInvoice.optional().meta({ description: "The invoice of the change, if it has one." }),
    creditNotes: z
      .array(upcomingInvoice)
      .optional()
      .meta({ description: "The credit notes of the change, for fees that the invoice does not credit." }),
    subscription,
  })
  .meta({
    id: "SubscriptionChangePreview",
    description: "What a change of plans would do.",
    examples: [
      {
        timing: "now" as const,
        on: "2026-01-11T00:00:00.000Z",
        invoice: upcomingExample,
        subscription: (subscription.meta()!.examples as z.output<typeof subscription>[])[0]!,
      },
    ],
  });

export const returnUrl = text(2000).refine((value) => {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "";
}, "must be an http or https URL without a user or password");

export const paymentPortalInput = z
  .strictObject({ returnUrl: returnUrl.meta({ description: "Where the customer goes afterwards." }) })
  .meta({ id: "PaymentPortalInput", examples: [{ returnUrl: "https://app.example.com/billing" }] });

export const paymentPortal = z
  .object({ url: secret(z.string()) })
  .meta({ id: "PaymentPortal", examples: [{ url: "https://billing.stripe.com/p/session/test_1" }] });

export const purchaseInput = z
  .strictObject({
    customerKey: required(256),
    planExternalIds: plans,
    returnUrl: returnUrl.meta({ description: "Where the customer goes after the payment." }),
  })
  .meta({
    id: "SubscriptionPurchase",
    examples: [{ customerKey: "acme", planExternalIds: ["price_gold"], returnUrl: "https://app.example.com/billing" }],
  });

export const purchased = z
  .object({
    subscriptionId: z.string(),
    url: secret(
      z.string().meta({ description: "Where the customer pays, if something is to be paid there." }),
    ).optional(),
  })
  .meta({
    id: "PurchasedSubscription",
    examples: [
      {
        subscriptionId: "sbsc_0QGzNqW81Kx8VhTb3mPcRdZu",
        url: "https://api.example.com/v1/checkouts/tgco_00000000000000000000000000000000_2fd27ea3",
      },
    ],
  });

export const cancelSubscriptionInput = z
  .strictObject({
    timing: timing.optional().meta({ default: "period-end" }),
    refund: z.boolean().optional().meta({ description: "Credits the unused rest of the fees; only with `now`." }),
  })
  .optional()
  .meta({ id: "SubscriptionCancel", examples: [{ timing: "period-end" as const }] });

const name = text(512).min(1);

export const eventCorrection = z
  .strictObject({
    source: name.meta({ description: "The `source` of the event." }),
    id: name.meta({ description: "The `id` of the event." }),
    reason: text(1000).min(1).meta({ description: "Why it is taken back, for the audit log." }),
  })
  .meta({ id: "EventVoid", examples: [{ source: "gateway-1", id: "3e4a1c", reason: "Counted twice by a test" }] });

export const voidedEvent = z
  .object({ source: z.string(), id: z.string(), customerKey: z.string(), voidedOn: dateTime })
  .meta({
    id: "VoidedEvent",
    examples: [{ source: "gateway-1", id: "3e4a1c", customerKey: "acme", voidedOn: "2026-01-31T12:00:00.000Z" }],
  });
