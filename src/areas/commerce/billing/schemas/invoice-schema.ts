import { z } from "zod";
import { dateTime, dateTimeInput } from "../../../../core/schemas/schemas.ts";
import { parsePrice } from "../../../../lib/money.ts";
import { customerKeys } from "../../subscriptions/customer-keys-schema.ts";
import { buyerShape, required, sellerShape, taxBehaviors } from "./party-schema.ts";

export const lineKinds = ["plan", "overage", "proration", "credit", "tax", "manual", "pack"] as const;

const invoiceStatuses = ["draft", "open", "paid", "uncollectible", "void"] as const;

export const invoiceLine = z.object({
  kind: z.enum(lineKinds),
  planId: z.string().optional(),
  meter: z.string().optional(),
  description: z.string().optional(),
  funding: z
    .enum(["promotional", "prepaid"])
    .optional()
    .meta({ description: "Of a credit from promotional or prepaid grants, which reduces the invoice before tax." }),
  quantity: z.number(),
  unitAmount: z.string().optional(),
  amount: z.string(),
  isIncluded: z.literal(true).optional().meta({
    description: "Of a tax: the amounts of the other lines include it, so that it does not add to the total.",
  }),
  periodStart: dateTime,
  periodEnd: dateTime,
  credits: z
    .object({ invoiceId: z.string(), line: z.int() })
    .optional()
    .meta({ description: "The line whose amount it credits, counted from 0." }),
});

export const collectionStates = ["pending", "needs_action", "failed", "paid", "void", "error"] as const;

export const refundStates = ["pending", "succeeded", "failed"] as const;

const refund = z.object({ amount: z.string(), state: z.enum(refundStates) }).meta({
  description:
    "Of a credit note: what is returned to the payment method. If that fails, the amount is added to the customer's " +
    "credits instead.",
});

const collection = z
  .object({
    state: z.enum(collectionStates),
    url: z.string().optional().meta({ description: "The provider's page of the invoice, where the customer pays." }),
  })
  .meta({
    description:
      "How far Stripe has come that collects the invoice. `needs_action`: the bank requires a second step of the " +
      "customer, at `url`. `error`: an operator has to look at it, see the comparison.",
  });

export const upcomingExample = {
  type: "invoice" as const,
  customerKey: "acme",
  subscriptionId: "sbsc_0QGzNqW81Kx8VhTb3mPcRdZu",
  status: "draft" as const,
  currency: "EUR",
  taxBehavior: "exclusive" as const,
  lines: [
    {
      kind: "plan" as const,
      planId: "plan_0QGzNqW81Kx8VhTb3mPcRdZu",
      description: "Gold",
      quantity: 1,
      unitAmount: "30.00",
      amount: "30.00",
      periodStart: "2026-01-01T00:00:00.000Z",
      periodEnd: "2026-02-01T00:00:00.000Z",
    },
  ],
  subtotal: "30.00",
  tax: "0.00",
  total: "30.00",
  amountDue: "30.00",
};

export const invoice = z
  .object({
    id: z.string(),
    number: z.string().optional().meta({ description: "Set when the invoice is finalized; numbers have no gaps." }),
    type: z.enum(["invoice", "credit-note"]),
    correctsId: z.string().optional().meta({ description: "The invoice that a credit note corrects." }),
    customerKey: z.string(),
    subscriptionId: z.string().optional(),
    purchaseId: z.string().optional().meta({ description: "The purchase of the credit pack that it sells." }),
    status: z.enum(invoiceStatuses),
    currency: z.string(),
    seller: z.object(sellerShape).optional(),
    buyer: z.object(buyerShape).optional(),
    taxBehavior: z
      .enum(taxBehaviors)
      .meta({ description: "Whether the amounts of lines are without tax (`exclusive`) or with it (`inclusive`)." }),
    taxNote: z
      .string()
      .optional()
      .meta({ description: "Why the customer pays no tax: reverse charge or an exemption." }),
    lines: z.array(invoiceLine),
    subtotal: z.string().meta({ description: "Without tax." }),
    tax: z.string(),
    total: z.string(),
    amountDue: z.string(),
    writtenOff: z.string().optional().meta({ description: "Overage beyond a cap, which is not billed." }),
    fromCredits: z.string().optional().meta({ description: "What paid grants pay of the total." }),
    credited: z.string().optional().meta({ description: "The sum of its credit notes." }),
    netted: z
      .string()
      .optional()
      .meta({ description: "What later invoices credit of its fees, with tax. It is not a part of `credited`." }),
    refunded: z
      .string()
      .optional()
      .meta({ description: "The part of its credit notes that is returned to the payment method." }),
    refund: refund.optional(),
    finalizesOn: dateTime.optional().meta({ description: "When a draft is finalized." }),
    finalizedOn: dateTime.optional(),
    dueOn: dateTime.optional(),
    failedOn: dateTime.optional().meta({ description: "When a payment failed, or the due date passed without one." }),
    paidOn: dateTime.optional(),
    reference: z.string().optional(),
    collection: collection.optional(),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "Invoice",
    description: "What a customer owes. A finalized invoice never changes, but its payment does.",
    examples: [
      {
        id: "inv_0QGzNqW81Kx8VhTb3mPcRdZu",
        ...upcomingExample,
        number: "ACME-000001",
        status: "open" as const,
        createdOn: "2026-01-01T00:00:00.000Z",
        updatedOn: "2026-01-01T00:00:00.000Z",
      },
    ],
  });

export const invoiceQuery = z.object({
  customerKey: z.string().optional(),
  customerKeys: customerKeys("invoices"),
  subscriptionId: z.string().optional(),
  status: z.enum(invoiceStatuses).optional(),
});

export const payment = z
  .object({
    type: z.enum(["payment", "refund"]),
    customerKey: z.string(),
    invoiceId: z.string().meta({ description: "The invoice that was paid, or whose payment is returned." }),
    creditNoteId: z.string().optional().meta({ description: "Of a refund." }),
    number: z.string().optional().meta({ description: "Of the invoice, or of the credit note of a refund." }),
    currency: z.string(),
    amount: z.string().meta({ description: "Never negative." }),
    state: z.enum(["pending", "succeeded"]).meta({ description: "`pending`: a refund that is on its way." }),
    paidOn: dateTime.meta({ description: "When it was paid, or when the refund was started." }),
    reference: z.string().optional(),
  })
  .meta({
    id: "Payment",
    description: "Money that a customer paid for an invoice, or that was returned.",
    examples: [
      {
        type: "payment" as const,
        customerKey: "acme",
        invoiceId: "inv_0QGzNqW81Kx8VhTb3mPcRdZu",
        number: "ACME-000001",
        currency: "EUR",
        amount: "30.00",
        state: "succeeded" as const,
        paidOn: "2026-01-01T00:00:00.000Z",
      },
    ],
  });

export const paymentQuery = z.object({
  customerKey: z.string().optional(),
  from: dateTimeInput.optional().meta({ format: "date-time", description: "Paid at this time or later." }),
  to: dateTimeInput.optional().meta({ format: "date-time", description: "Paid before this time." }),
});

const month = z
  .string()
  .regex(/^(19|20|21)\d\d-(0[1-9]|1[0-2])$/, "must be a month, such as 2026-01")
  .meta({ description: "A month of UTC, such as 2026-01." });

export const revenueQuery = z.object({
  from: month.optional().meta({ description: "The first month; by default 11 months before the last." }),
  to: month.optional().meta({ description: "The last month; this one by default." }),
});

export const revenue = z
  .object({
    from: z.string(),
    to: z.string(),
    data: z.array(
      z.object({
        month: z.string(),
        currency: z.string(),
        planId: z.string().optional().meta({ description: "Missing for lines without a plan." }),
        fees: z.string(),
        overage: z.string(),
        credits: z.string(),
        total: z.string(),
      }),
    ),
  })
  .meta({
    id: "Revenue",
    description: "What was invoiced in each month, by currency and plan, without taxes.",
    examples: [
      {
        from: "2026-01",
        to: "2026-01",
        data: [
          {
            month: "2026-01",
            currency: "EUR",
            planId: "plan_0QGzNqW81Kx8VhTb3mPcRdZu",
            fees: "300.00",
            overage: "13.00",
            credits: "0.00",
            total: "313.00",
          },
        ],
      },
    ],
  });

export const documentQuery = z.object({
  format: z.enum(["pdf"]).optional().meta({ description: "As `Accept: application/pdf`, for links." }),
});

export const markPaidInput = z
  .strictObject({ paidOn: dateTimeInput.optional(), reference: required(256).optional() })
  .optional()
  .meta({ id: "InvoicePayment", examples: [{ reference: "transfer 4711" }] });

const creditAmount = z
  .string("must be a decimal as text")
  .refine((value) => (parsePrice(value) ?? 0n) > 0n, "must be a decimal greater than 0");

export const creditInput = z
  .strictObject({
    lines: z
      .array(
        z.strictObject({
          description: required(256),
          amount: creditAmount.meta({ description: "With tax." }),
          line: z.int().min(0).optional().meta({
            description: "The line of the invoice that it credits, counted from 0; by default all lines, by amount.",
          }),
        }),
      )
      .min(1, "must have at least one line")
      .max(100, "must have at most 100 lines"),
    to: z
      .enum(["balance", "payment-method"])
      .optional()
      .meta({
        description:
          "Where what was paid already goes: to the customer's credits (`balance`, the default), or back to the payment " +
          "method, as far as it has paid the invoice.",
      }),
    reference: required(256)
      .optional()
      .meta({ description: "Of a refund outside of Tollgate, such as a bank transfer." }),
  })
  .meta({
    id: "InvoiceCredit",
    examples: [{ lines: [{ description: "Outage on 3 May", amount: "5.00" }] }],
  });

export const upcomingInvoice = invoice.omit({ id: true, createdOn: true, updatedOn: true }).meta({
  id: "UpcomingInvoice",
  description: "The next invoice of a subscription, if nothing more is used.",
  examples: [upcomingExample],
});

const inMonth = { month: z.string(), currency: z.string() };
const lateSums = z.array(z.object({ currency: z.string(), amount: z.string(), invoices: z.number() }));

export const recurringRevenue = z
  .object({
    from: z.string(),
    to: z.string(),
    months: z.array(
      z.object({
        ...inMonth,
        start: z
          .string()
          .meta({ description: "What the month before ended with. It and the changes add up to `end`." }),
        new: z.string().meta({ description: "Of customers who paid no fees in the month before." }),
        expansion: z.string().meta({ description: "What customers pay more." }),
        contraction: z.string().meta({ description: "What customers pay less: negative." }),
        churn: z.string().meta({ description: "Of customers who pay no fees any more: negative." }),
        end: z.string(),
        customers: z.number().meta({ description: "The number of customers who pay fees at the end." }),
      }),
    ),
    plans: z.array(z.object({ ...inMonth, planId: z.string(), amount: z.string() })),
    topCustomers: z
      .array(z.object({ customerKey: z.string(), currency: z.string(), amount: z.string() }))
      .meta({ description: "Those who pay most in the last month: at most 10 of each currency." }),
    overdue: lateSums.meta({ description: "Open invoices now that were not paid by their due date." }),
    failed: lateSums.meta({ description: "Open invoices now whose payment failed before their due date." }),
  })
  .meta({
    id: "RecurringRevenue",
    description: "The fees of a month at the end of each month, yearly ones divided by twelve, and why they changed.",
    examples: [
      {
        from: "2026-01",
        to: "2026-01",
        months: [
          {
            month: "2026-01",
            currency: "EUR",
            start: "1100.00",
            new: "120.00",
            expansion: "60.00",
            contraction: "-10.00",
            churn: "-30.00",
            end: "1240.00",
            customers: 31,
          },
        ],
        plans: [{ month: "2026-01", currency: "EUR", planId: "plan_0QGzNqW81Kx8VhTb3mPcRdZu", amount: "1240.00" }],
        topCustomers: [{ customerKey: "acme", currency: "EUR", amount: "240.00" }],
        overdue: [{ currency: "EUR", amount: "49.00", invoices: 1 }],
        failed: [],
      },
    ],
  });
