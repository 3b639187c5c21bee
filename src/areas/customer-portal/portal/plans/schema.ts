import { z } from "zod";
import { dateTime, secret, text } from "../../../../core/schemas/schemas.ts";
import { customer, customerPatch } from "../../../commerce/billing/schemas/customer-schema.ts";
import { grant } from "../../../commerce/billing/schemas/grant-schema.ts";
import { invoice, upcomingInvoice } from "../../../commerce/billing/schemas/invoice-schema.ts";
import { pricedOutput } from "../../../commerce/plans/price-schema.ts";
import { subscription } from "../../../commerce/subscriptions/schema.ts";

const { price, rates, rollover, features, description } = pricedOutput;
const planExternalId = text(256).min(1);

const offer = z.object({
  planExternalId: z.string(),
  label: z.string(),
  meters: z.record(z.string(), z.object({ label: z.string().optional(), max: z.number() })),
  trialDays: z.int().optional(),
  isTrialCollectPayment: z.boolean().optional(),
  ...{ price, rates, rollover, features, description },
  isCurrent: z.boolean(),
  isRecommended: z.literal(true).optional(),
  isAvailable: z.boolean().meta({
    description: "False for a plan that the customer would have to buy as long as the business cannot sell plans yet.",
  }),
});

export const publicOffer = offer
  .omit({ isCurrent: true })
  .meta({ id: "PortalOffer", description: "A plan that customers can choose." });

const { status, payment, cancelsOn, planChange } = subscription.shape;

const current = z.object({
  status,
  plans: z.array(z.object({ planExternalId: z.string(), label: z.string() })),
  periodEnd: dateTime,
  trialEndDate: dateTime.optional(),
  ...{ payment, cancelsOn, planChange },
});

const currentExample = {
  status: "active" as const,
  plans: [{ planExternalId: "price_gold", label: "Gold" }],
  periodEnd: "2026-02-28T10:00:00.000Z",
};

export const portalPlans = z
  .object({
    data: z.array(offer).meta({ description: "The plans that the customer can choose." }),
    subscription: current.optional(),
    purchase: current.optional().meta({ description: "A purchase that is not paid yet." }),
    paysOnline: z.boolean().meta({ description: "Whether the customer enters a payment method, or pays invoices." }),
    taxBehavior: invoice.shape.taxBehavior
      .optional()
      .meta({ description: "Whether prices include tax, or tax is added. Absent if there is none." }),
    paymentMethod: z.object({ label: z.string() }).optional(),
    secondStep: z
      .object({ url: z.string(), amountDue: z.string(), currency: z.string() })
      .optional()
      .meta({ description: "A payment that the customer's bank wants confirmed, at the provider's page `url`." }),
  })
  .meta({
    id: "PortalPlans",
    description: "The customer's plan, and those to choose from.",
    examples: [
      {
        data: [
          {
            planExternalId: "price_gold",
            label: "Gold",
            meters: { requests: { max: 100000 } },
            isCurrent: true,
            isAvailable: true,
          },
        ],
        subscription: currentExample,
        paysOnline: true,
      },
    ],
  });

export const planChoice = z
  .strictObject({ planExternalId, timing: z.enum(["now", "period-end"]).optional() })
  .meta({ id: "PortalPlanChoice", examples: [{ planExternalId: "price_gold" }] });

const limitChange = z.object({
  meter: z.string(),
  label: z.string().optional(),
  before: z.number().optional().meta({ description: "Absent if no current plan has the meter." }),
  after: z.number().optional().meta({ description: "Absent if the new plan does not have the meter." }),
  used: z.number().meta({ description: "In the current period." }),
});

export const choicePreview = z
  .object({
    isPurchase: z.boolean().meta({ description: "Whether it is bought, and not changed." }),
    timing: z.enum(["now", "period-end"]),
    on: dateTime,
    limits: z
      .array(limitChange)
      .meta({ description: "What each meter allows in a period now, what the new plan allows, and what was used." }),
    invoice: upcomingInvoice.omit({ customerKey: true }).optional(),
    creditNotes: z
      .array(upcomingInvoice.omit({ customerKey: true }))
      .optional()
      .meta({ description: "For fees that the invoice does not credit." }),
  })
  .meta({
    id: "PortalPlanPreview",
    description: "What choosing a plan would do.",
    examples: [
      {
        isPurchase: false,
        timing: "period-end" as const,
        on: "2026-02-28T10:00:00.000Z",
        limits: [{ meter: "requests", before: 100000, after: 1000, used: 4200 }],
      },
    ],
  });

export const chosenPlan = z
  .object({
    subscription: current.optional(),
    url: secret(
      z.string().meta({ description: "Where the customer pays. The plan is active once it is paid." }),
    ).optional(),
  })
  .meta({ id: "PortalChosenPlan", examples: [{ subscription: currentExample }] });

export const portalCancelInput = z
  .strictObject({ timing: z.enum(["now", "period-end"]).optional() })
  .optional()
  .meta({ id: "PortalPlanCancel", examples: [{}] });

export const portalCheckoutInput = z
  .strictObject({
    returnTo: z
      .enum(["plans", "credit"])
      .optional()
      .meta({ description: "The page that the customer comes back to.", default: "plans" }),
  })
  .optional()
  .meta({ id: "PortalCheckoutCreate", examples: [{ returnTo: "credit" as const }] });

export const checkoutLink = z.object({ url: secret(z.string()) }).meta({
  id: "PortalCheckoutLink",
  examples: [{ url: "https://main-1a2b3c4.portal.example.com/portal/api/checkouts/tgco_…" }],
});

export const billingDetails = customer
  .pick({ email: true, legalName: true, address: true, taxIds: true })
  .extend({ isRequired: z.boolean().meta({ description: "Whether buying needs a name and an address." }) })
  .meta({
    id: "PortalBillingDetails",
    description: "The name and address on invoices.",
    examples: [{ legalName: "Acme GmbH", isRequired: false }],
  });

export const billingPatch = customerPatch
  .pick({ email: true, legalName: true, address: true, taxIds: true })
  .meta({ id: "PortalBillingUpdate", examples: [{ legalName: "Acme GmbH" }] });

export const creditOutput = grant
  .pick({
    ...{ id: true, meter: true, currency: true, amount: true, balance: true, status: true, effectiveOn: true },
    ...{ expiresOn: true, reason: true },
  })
  .meta({ id: "PortalCredit", description: "Credits of the customer: units of a meter, or money." });

const { spendCap, spendCaps, creditLimit, creditLimits } = customer.shape;

export const spending = z
  .object({
    currency: z
      .string()
      .optional()
      .meta({ description: "The currency of a new cap without one: that of the customer." }),
    currencies: z
      .array(z.string())
      .optional()
      .meta({ description: "If there are several: that of the customer, of the current plan, and of caps." }),
    overage: z
      .enum(["bill", "prepaid", "block"])
      .optional()
      .meta({
        description:
          "What happens to usage beyond the current plan: it is billed, paid from credits of money, or rejected. If its " +
          "meters differ, the first of these that applies to one.",
      }),
    ...{ spendCap, spendCaps, creditLimit, creditLimits },
    credits: z.array(creditOutput).meta({ description: "Those that can be used now or later, the oldest first." }),
  })
  .meta({
    id: "PortalSpending",
    description: "What limits the cost of usage beyond the plan, and the credits that pay for it.",
    examples: [{ currency: "EUR", spendCap: { amount: "50.00", action: "block" as const }, credits: [] }],
  });

export const spendingPatch = customerPatch
  .pick({ spendCap: true, spendCaps: true })
  .meta({ id: "PortalSpendingUpdate", examples: [{ spendCap: { amount: "50.00", action: "block" as const } }] });

export const portalInvoice = invoice
  .omit({ customerKey: true, subscriptionId: true })
  .meta({ id: "PortalInvoice", examples: invoice.meta()!.examples as z.output<typeof invoice>[] });
