import { z } from "zod";
import { exactNumber, isMeterName, meterNameText } from "../../core/schemas/meters.ts";
import { dateTime, dateTimeInput, email, secret, text } from "../../core/schemas/schemas.ts";
import { parsePrice } from "../../lib/money.ts";
import { currencyCode } from "../metering/price-schema.ts";
import { subscription } from "../metering/schema.ts";

const required = (maximum: number) => text(maximum).min(1, "must not be empty");

export const country = z
  .string()
  .regex(/^[A-Z]{2}$/, "must be a country of ISO 3166, such as DE")
  .meta({ description: "Two letters of ISO 3166, such as DE." });

const address = z.strictObject({
  line1: required(256),
  line2: text(256).optional(),
  postalCode: text(32).optional(),
  city: text(128).optional(),
  state: text(128).optional(),
  country,
});

const berlin = { line1: "Hauptstr. 1", postalCode: "10115", city: "Berlin", country: "DE" };

const addressOutput = z.object({
  line1: z.string(),
  line2: z.string().optional(),
  postalCode: z.string().optional(),
  city: z.string().optional(),
  state: z.string().optional(),
  country: z.string(),
});

const days = (maximum: number) =>
  z.int("must be an integer").min(0, "must be at least 0").max(maximum, `must be at most ${maximum}`);

const percentage = z.string("must be a decimal as text, such as 19").refine((value) => {
  const price = parsePrice(value);
  return price !== undefined && price <= 100n * 10n ** 12n;
}, "must be a decimal from 0 to 100, such as 19 or 7.7");

export const billingProfileInput = z
  .strictObject({
    legalName: required(256),
    address,
    taxId: required(64).optional(),
    numberPrefix: z
      .string()
      .regex(/^[A-Za-z0-9/_-]{1,16}$/, "must be 1 to 16 characters of A-Z, a-z, 0-9, /, _ and -")
      .meta({ description: "Begins the number of each invoice." }),
    termsDays: days(365).optional().meta({ description: "The days from an invoice to its due date.", default: 14 }),
    graceDays: days(365)
      .optional()
      .meta({ description: "The days from a failed payment to the end of access.", default: 3 }),
    taxRates: z
      .array(z.strictObject({ name: required(64), percentage, country: country.optional() }))
      .max(100, "must have at most 100 rates")
      .optional()
      .meta({ description: "Added to invoices of customers in the country, or of all without one." }),
  })
  .meta({
    id: "BillingProfileInput",
    examples: [
      {
        legalName: "Acme GmbH",
        address: { line1: "Hauptstr. 1", postalCode: "10115", city: "Berlin", country: "DE" },
        numberPrefix: "ACME-",
        termsDays: 14,
        taxRates: [{ name: "VAT", percentage: "19", country: "DE" }],
      },
    ],
  });

const sellerShape = {
  legalName: z.string(),
  address: addressOutput,
  taxId: z.string().optional(),
};

export const billingProfile = z
  .object({
    ...sellerShape,
    numberPrefix: z.string(),
    termsDays: z.int(),
    graceDays: z.int(),
    taxRates: z
      .array(z.object({ name: z.string(), percentage: z.string(), country: z.string().optional() }))
      .optional(),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "BillingProfile",
    description: "The seller that invoices name, and the terms of payment.",
    examples: [
      {
        legalName: "Acme GmbH",
        address: berlin,
        numberPrefix: "ACME-",
        termsDays: 14,
        graceDays: 3,
        createdOn: "2026-01-01T00:00:00.000Z",
        updatedOn: "2026-01-01T00:00:00.000Z",
      },
    ],
  });

export const providerTypes = ["manual", "sandbox", "stripe"] as const;
export const providerModes = ["live", "test"] as const;

export const paymentProviderInput = z
  .strictObject({
    type: z.enum(providerTypes),
    secretKey: secret(
      z
        .string()
        .max(256, "must have at most 256 characters")
        .regex(/^(sk|rk)_(live|test)_[A-Za-z0-9]+$/, "must be a secret key of Stripe, such as sk_test_…")
        .meta({
          description: "A secret or restricted key of Stripe. It is not returned; without it, the stored one stays.",
        }),
    ).optional(),
    webhookSecret: secret(
      z
        .string()
        .max(256, "must have at most 256 characters")
        .regex(/^whsec_[A-Za-z0-9+/=_-]+$/, "must be the signing secret of a webhook endpoint of Stripe: whsec_…")
        .meta({ description: "Signs Stripe's events. It is not returned; without it, the stored one stays." }),
    ).optional(),
  })
  .meta({ id: "PaymentProviderInput", examples: [{ type: "sandbox" as const }] });

export const paymentProvider = z
  .object({
    mode: z.enum(providerModes),
    type: z.enum(providerTypes),
    webhookUrl: z.string().optional().meta({ description: "Where Stripe sends its events." }),
    updatedOn: dateTime.optional(),
  })
  .meta({
    id: "PaymentProvider",
    description:
      "How invoices are paid: `manual` by marking them as paid, `sandbox` without money, for tests, `stripe` by Stripe.",
    examples: [{ mode: "test" as const, type: "sandbox" as const }],
  });

export const sandboxMethods = ["succeeds", "fails", "needs-action"] as const;

export const paymentMethodOutput = z.union([
  z.object({ type: z.literal("sandbox"), behavior: z.enum(sandboxMethods) }),
  z.object({
    type: z.literal("stripe"),
    kind: z.string().meta({ description: "Such as `card` or `sepa_debit`." }),
    brand: z.string().optional(),
    last4: z.string().optional(),
  }),
]);

export const paymentMethodInput = z
  .strictObject({ type: z.literal("sandbox"), behavior: z.enum(sandboxMethods) })
  .meta({
    id: "PaymentMethodInput",
    description: "A payment method of the sandbox: its payments succeed, fail, or need a second step.",
    examples: [{ type: "sandbox" as const, behavior: "succeeds" as const }],
  });

const taxIds = z.array(required(64)).max(10, "must have at most 10 tax ids");

const cap = z
  .strictObject({
    amount: z
      .string("must be a decimal as text, such as 50.00")
      .refine((value) => parsePrice(value) !== undefined, "must be a decimal that is not negative, such as 50.00"),
    action: z.enum(["block", "notify"]),
  })
  .meta({ description: "In the currency of the subscription. `block` rejects usage that would cost more." });

const capOutput = z.object({ amount: z.string(), action: z.enum(["block", "notify"]) });

export const customerPatch = z
  .strictObject({
    email: email.nullable().optional(),
    legalName: required(256).nullable().optional(),
    address: address.nullable().optional(),
    taxIds: taxIds.nullable().optional(),
    currency: currencyCode.nullable().optional(),
    spendCap: cap.nullable().optional(),
    creditLimit: cap.nullable().optional(),
  })
  .meta({ id: "CustomerUpdate", examples: [{ email: "billing@acme.example", legalName: "Acme GmbH" }] });

const buyerShape = {
  customerKey: z.string(),
  email: z.string().optional(),
  legalName: z.string().optional(),
  address: addressOutput.optional(),
  taxIds: z.array(z.string()).optional(),
};

export const customer = z
  .object({
    ...buyerShape,
    currency: z.string().optional(),
    spendCap: capOutput.optional().meta({ description: "The customer's cap of the cost of overage in a period." }),
    creditLimit: capOutput.optional().meta({ description: "The operator's cap. The lower one applies." }),
    paymentMethod: paymentMethodOutput.optional(),
    balances: z
      .array(z.object({ currency: z.string(), amount: z.string() }))
      .optional()
      .meta({
        description: "The sums of the customer's money grants, which pay overage and the next invoices.",
      }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({
    id: "Customer",
    description: "Who pays for the subscriptions of a customerKey.",
    examples: [
      {
        customerKey: "acme",
        email: "billing@acme.example",
        createdOn: "2026-01-01T00:00:00.000Z",
        updatedOn: "2026-01-01T00:00:00.000Z",
      },
    ],
  });

const meterOfGrant = z
  .string()
  .refine(isMeterName, `must be ${meterNameText}`)
  .meta({ description: "Units of this meter, used after the maximum of the plan." });

const grantAmount = z
  .union([exactNumber, z.string()], "must be a number of units, or a decimal of the currency as text")
  .refine(
    (value) => (typeof value === "number" ? value > 0 : (parsePrice(value) ?? 0n) > 0n),
    "must be greater than 0: a number of units, or a decimal of the currency as text",
  )
  .meta({ description: "A number of the meter's units, or a decimal of the currency as text." });

const fundings = ["promotional", "paid"] as const;

export const grantInput = z
  .strictObject({
    meter: meterOfGrant.optional(),
    currency: currencyCode.optional().meta({ description: "Money in this currency, instead of a meter." }),
    amount: grantAmount,
    funding: z.enum(fundings).meta({
      description: "Promotional money reduces an invoice before tax, paid money pays it after tax.",
    }),
    priority: z
      .int("must be an integer")
      .min(0, "must be at least 0")
      .max(100, "must be at most 100")
      .optional()
      .meta({ description: "Lower ones are used first, then the first to expire, then the oldest.", default: 50 }),
    effectiveOn: dateTimeInput.optional().meta({ format: "date-time", description: "Now by default." }),
    expiresOn: dateTimeInput.optional().meta({ format: "date-time" }),
    reason: required(256).optional(),
  })
  .meta({
    id: "GrantInput",
    examples: [{ currency: "EUR", amount: "25.00", funding: "promotional" as const, reason: "Welcome" }],
  });

const amountOutput = z.union([z.number(), z.string()]);
const grantExample = {
  id: "grnt_0QGzNqW81Kx8VhTb3mPcRdZu",
  customerKey: "acme",
  currency: "EUR",
  amount: "25.00",
  balance: "12.50",
  funding: "promotional" as const,
  priority: 50,
  status: "active" as const,
  effectiveOn: "2026-01-01T00:00:00.000Z",
  createdOn: "2026-01-01T00:00:00.000Z",
  updatedOn: "2026-01-01T00:00:00.000Z",
};

export const grant = z
  .object({
    id: z.string(),
    customerKey: z.string(),
    meter: z.string().optional(),
    currency: z.string().optional(),
    amount: amountOutput,
    balance: amountOutput.meta({ description: "What is left, with the usage so far." }),
    funding: z.enum(fundings),
    priority: z.int(),
    status: z.enum(["scheduled", "active", "depleted", "expired", "voided"]),
    effectiveOn: dateTime,
    expiresOn: dateTime.optional(),
    voidedOn: dateTime.optional(),
    reason: z.string().optional(),
    invoiceId: z.string().optional().meta({ description: "The invoice that it is the rest of." }),
    createdOn: dateTime,
    updatedOn: dateTime,
  })
  .meta({ id: "Grant", description: "Credits of a customer: units of a meter, or money.", examples: [grantExample] });

export const grantEntry = z
  .object({
    id: z.string(),
    kind: z.enum(["granted", "consumed", "expired", "voided"]),
    amount: amountOutput.meta({ description: "Negative if the balance fell." }),
    balance: amountOutput.meta({ description: "After the entry." }),
    hour: dateTime.optional().meta({ description: "The hour of the usage." }),
    subscriptionId: z.string().optional(),
    meter: z.string().optional(),
    invoiceId: z.string().optional(),
    createdOn: dateTime,
  })
  .meta({
    id: "GrantEntry",
    description: "An entry of a grant's ledger. It never changes.",
    examples: [
      {
        id: "grnte_0QGzNqW81Kx8VhTb3mPcRdZu",
        kind: "granted" as const,
        amount: "25.00",
        balance: "25.00",
        createdOn: "2026-01-01T00:00:00.000Z",
      },
    ],
  });

export const lineKinds = ["plan", "overage", "proration", "credit", "tax", "manual"] as const;

export const invoiceStatuses = ["draft", "open", "paid", "uncollectible", "void"] as const;

const line = z.object({
  kind: z.enum(lineKinds),
  planId: z.string().optional(),
  meter: z.string().optional(),
  description: z.string().optional(),
  funding: z.literal("promotional").optional().meta({ description: "Of a credit from promotional grants." }),
  quantity: z.number(),
  unitAmount: z.string().optional(),
  amount: z.string(),
  periodStart: dateTime,
  periodEnd: dateTime,
});

export const collectionStates = ["pending", "needs_action", "failed", "paid", "void", "error"] as const;

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

const upcomingExample = {
  type: "invoice" as const,
  customerKey: "acme",
  subscriptionId: "sbsc_0QGzNqW81Kx8VhTb3mPcRdZu",
  status: "draft" as const,
  currency: "EUR",
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
    status: z.enum(invoiceStatuses),
    currency: z.string(),
    seller: z.object(sellerShape).optional(),
    buyer: z.object(buyerShape).optional(),
    lines: z.array(line),
    subtotal: z.string(),
    tax: z.string(),
    total: z.string(),
    amountDue: z.string(),
    writtenOff: z.string().optional().meta({ description: "Overage beyond a cap, which is not billed." }),
    fromCredits: z.string().optional().meta({ description: "What paid grants pay of the total." }),
    credited: z.string().optional().meta({ description: "The sum of its credit notes." }),
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
  subscriptionId: z.string().optional(),
  status: z.enum(invoiceStatuses).optional(),
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
        planId: z.string().optional().meta({ description: "Missing for credit notes and lines without a plan." }),
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
      .array(z.strictObject({ description: required(256), amount: creditAmount }))
      .min(1, "must have at least one line")
      .max(100, "must have at most 100 lines"),
  })
  .meta({ id: "InvoiceCredit", examples: [{ lines: [{ description: "Outage on 3 May", amount: "5.00" }] }] });

export const upcomingInvoice = invoice.omit({ id: true, createdOn: true, updatedOn: true }).meta({
  id: "UpcomingInvoice",
  description: "The next invoice of a subscription, if nothing more is used.",
  examples: [upcomingExample],
});

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

const returnUrl = text(2000).refine((value) => {
  const url = URL.parse(value);
  return url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "";
}, "must be an http or https URL without a user or password");

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

export const comparisonQuery = z.object({
  since: dateTimeInput.optional().meta({ description: "By default 30 days ago." }),
});

const side = z.object({
  status: z.string(),
  amount: z.int().meta({ description: "In the minor units of the provider." }),
});

export const comparison = z
  .object({
    since: dateTime,
    compared: z.int().meta({ description: "The number of invoices of ours that were compared, at most 10,000." }),
    differences: z.array(
      z.object({
        kind: z.enum(["missing", "unknown", "twice", "status", "amount", "failing"]).meta({
          description:
            "`missing`: Stripe does not have it. `unknown`: we do not have it. `twice`: Stripe has several. `status`, `amount`: they differ. " +
            "`failing`: it could not be sent to Stripe yet, see `detail`.",
        }),
        invoiceId: z.string().optional(),
        bucketId: z.string().optional(),
        number: z.string().optional(),
        stripeId: z.string().optional(),
        ours: side.optional(),
        stripe: side.optional(),
        detail: z.string().optional(),
      }),
    ),
  })
  .meta({
    id: "PaymentComparison",
    description: "The invoices that are not the same here and at the payment provider.",
    examples: [{ since: "2026-01-01T00:00:00.000Z", compared: 12, differences: [] }],
  });

export const paymentPortalInput = z
  .strictObject({ returnUrl: returnUrl.meta({ description: "Where the customer goes afterwards." }) })
  .meta({ id: "PaymentPortalInput", examples: [{ returnUrl: "https://app.example.com/billing" }] });

export const paymentPortal = z
  .object({ url: z.string() })
  .meta({ id: "PaymentPortal", examples: [{ url: "https://billing.stripe.com/p/session/test_1" }] });

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

export const checkoutForm = z
  .strictObject({ method: z.enum(sandboxMethods).optional(), confirm: z.enum(["yes", "no"]).optional() })
  .meta({ id: "CheckoutForm", examples: [{ method: "succeeds" as const }] });

export const checkout = z
  .object({
    step: z.enum(["method", "confirmation"]).meta({ description: "What the customer has to do." }),
    failure: z.enum(["declined", "not-confirmed"]).optional(),
    due: z.array(z.object({ number: z.string().optional(), currency: z.string(), amountDue: z.string() })),
  })
  .meta({
    id: "Checkout",
    description: "What a customer has to do at the sandbox to pay what is due.",
    examples: [{ step: "method" as const, due: [{ number: "ACME-000001", currency: "EUR", amountDue: "30.00" }] }],
  });

export const cancelInput = z
  .strictObject({
    timing: timing.optional().meta({ default: "period-end" }),
    refund: z.boolean().optional().meta({ description: "Credits the unused rest of the fees; only with `now`." }),
  })
  .optional()
  .meta({ id: "SubscriptionCancel", examples: [{ timing: "period-end" as const }] });

export const testMail = z
  .object({
    id: z.string(),
    kind: z.string().meta({
      description: "`invoice`, `receipt`, `payment-failed`, `access-ending`, `access-ended` or `access-restored`.",
    }),
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    html: z.string(),
    createdOn: dateTime,
  })
  .meta({
    id: "TestMail",
    description: "A mail of a test bucket, which was not sent.",
    examples: [
      {
        id: "mail_0QGzNqW81Kx8VhTb3mPcRdZu",
        kind: "access-restored",
        to: "billing@acme.example",
        subject: "Your access is restored",
        text: "Your invoices are paid.",
        html: "<p>Your invoices are paid.</p>",
        createdOn: "2026-01-31T10:00:00.000Z",
      },
    ],
  });

export const clockInput = z
  .strictObject({ now: dateTimeInput })
  .meta({ id: "ClockMove", examples: [{ now: "2026-03-01T00:00:00.000Z" }] });
