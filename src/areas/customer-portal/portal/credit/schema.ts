import { z } from "zod";
import { dateTime, secret } from "../../../../core/schemas/schemas.ts";
import { customerPatch } from "../../../commerce/billing/schemas/customer-schema.ts";
import { creditEntry } from "../../../commerce/billing/schemas/grant-schema.ts";
import { upcomingInvoice } from "../../../commerce/billing/schemas/invoice-schema.ts";
import { pack, packPurchase, packPurchaseInput, topUpOutput } from "../../../commerce/billing/schemas/pack-schema.ts";
import { creditOutput } from "../plans/schema.ts";

const offeredPack = pack.pick({ packExternalId: true, label: true, price: true, grant: true });
const amount = z.union([z.number(), z.string()]);

const openPurchase = packPurchase
  .pick({
    id: true,
    label: true,
    isTopUp: true,
    total: true,
    createdOn: true,
    expiresOn: true,
    needsAction: true,
    url: true,
  })
  .extend({
    hasFailed: z.literal(true).optional().meta({ description: "A payment was declined." }),
  });

const packExample = {
  packExternalId: "credits_100",
  label: "100,000 requests",
  price: { currency: "EUR", amount: "10.00" },
  grant: { meter: "requests", amount: 100_000, expiresInDays: 365 },
};

export const creditOverview = z
  .object({
    packs: z.array(offeredPack).meta({ description: "The credit that the customer can buy, in order." }),
    isAvailable: z.boolean().meta({ description: "False as long as the business cannot sell yet." }),
    taxBehavior: upcomingInvoice.shape.taxBehavior
      .optional()
      .meta({ description: "Whether prices include tax, or tax is added. Absent if there is none." }),
    paysOnline: z.boolean().meta({ description: "Whether the customer enters a payment method, or pays invoices." }),
    paymentMethod: z.object({ label: z.string() }).optional(),
    hasPlan: z.boolean().meta({ description: "Without a plan, credit cannot be used." }),
    meters: z.record(z.string(), z.string()).meta({ description: "The labels of meters, by their names." }),
    left: z
      .array(z.object({ meter: z.string().optional(), currency: z.string().optional(), amount }))
      .optional()
      .meta({ description: "What can be used now, by meter and currency. Needs the scope `usage:read`." }),
    credits: z
      .array(creditOutput)
      .optional()
      .meta({ description: "Those that can be used now or later, the first to expire first. Needs `usage:read`." }),
    purchases: z.array(openPurchase).meta({ description: "Those that are not paid yet." }),
    topUp: topUpOutput
      .extend({
        spent: z.string().optional().meta({ description: "What top-ups of this month cost, with tax." }),
        currency: z.string().optional().meta({ description: "Of the price. Absent if the pack was deleted." }),
      })
      .optional(),
  })
  .meta({
    id: "PortalCreditOverview",
    description: "The customer's credit, and what there is to buy.",
    examples: [
      {
        packs: [packExample],
        isAvailable: true,
        paysOnline: true,
        hasPlan: true,
        meters: { requests: "Requests" },
        left: [{ meter: "requests", amount: 5000 }],
        credits: [],
        purchases: [],
      },
    ],
  });

export const creditPatch = customerPatch.pick({ topUp: true }).meta({
  id: "PortalCreditUpdate",
  examples: [{ topUp: { packExternalId: "credits_100", below: 1000, maximumPerMonth: "50.00", isEnabled: true } }],
});

export const packChoice = packPurchaseInput
  .pick({ packExternalId: true })
  .meta({ id: "PortalPackChoice", examples: [{ packExternalId: "credits_100" }] });

export const packPreview = z
  .object({ invoice: upcomingInvoice.omit({ customerKey: true }), expiresOn: dateTime.optional() })
  .meta({
    id: "PortalPackPreview",
    description: "What buying credit would cost.",
    examples: [
      {
        invoice: (upcomingInvoice.meta()!.examples as z.output<typeof upcomingInvoice>[])[0]!,
        expiresOn: "2027-01-01T00:00:00.000Z",
      },
    ],
  });

export const boughtPack = z
  .object({
    state: packPurchase.shape.state,
    url: secret(
      z.string().meta({ description: "Where the customer pays. The credit is there once it is paid." }),
    ).optional(),
  })
  .meta({ id: "PortalBoughtPack", examples: [{ state: "paid" as const }] });

export const portalCreditEntry = creditEntry
  .pick({
    ...{ id: true, kind: true, amount: true, hour: true, meter: true, currency: true, reason: true },
    createdOn: true,
  })
  .meta({
    id: "PortalCreditEntry",
    description: "An entry of the history of the customer's credit.",
    examples: [
      {
        id: "grnte_0QGzNqW81Kx8VhTb3mPcRdZu",
        kind: "granted" as const,
        amount: "25.00",
        currency: "EUR",
        reason: "Welcome",
        createdOn: "2026-01-01T00:00:00.000Z",
      },
    ],
  });
