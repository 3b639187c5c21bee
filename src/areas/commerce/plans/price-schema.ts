import { z } from "zod";
import { exactNumber, meterName, meterNameText } from "../../../core/schemas/meters.ts";
import { fewMembers, namedRecord, text } from "../../../core/schemas/schemas.ts";
import { minorDigits } from "../../../lib/currencies.ts";
import { parsePrice } from "../../../lib/money.ts";
import { parseMinor } from "../../../lib/text/minor-units.ts";

const decimalText = "must be a decimal that is not negative, such as 0.0015, with at most 12 decimals";

export const currencyCode = z
  .string()
  .refine((value) => minorDigits(value) !== undefined, "must be a currency of ISO 4217, such as EUR")
  .meta({ description: "A currency of ISO 4217, such as EUR." });

const decimal = z
  .string('must be a decimal as text, such as "10.00"')
  .refine((value) => parsePrice(value) !== undefined, decimalText)
  .meta({ description: "A decimal as text, with at most 12 decimals." });

const intervals = ["month", "year"] as const;

const planPrice = z
  .strictObject({ currency: currencyCode, amount: decimal, interval: z.enum(intervals) })
  .superRefine(({ currency, amount }, context) => {
    const digits = minorDigits(currency);
    if (digits === undefined || parsePrice(amount) === undefined || parseMinor(amount, digits) !== undefined) return;
    const message =
      digits === 0 ? `must be whole in ${currency}` : `must have at most ${digits} decimals in ${currency}`;
    context.addIssue({ code: "custom", path: ["amount"], message });
  })
  .meta({ description: "The fee for each billing period, charged in advance." });

const tier = z.strictObject({
  upTo: exactNumber
    .refine((value) => value > 0, "must be greater than 0")
    .nullable()
    .meta({ description: "The last unit of the tier, counted beyond the plan's maximum. Null for the last tier." }),
  unitAmount: decimal,
  flatAmount: decimal.optional().meta({ description: "Charged once if the tier is reached." }),
});

const maxTiers = 100;
const overages = ["block", "bill", "prepaid"] as const;
const tierModes = ["graduated", "volume", "package"] as const;

const meterRate = z
  .strictObject({
    overage: z.enum(overages).meta({
      description:
        "What happens to usage beyond the plan's maximum. `bill`: it is allowed and billed. `prepaid`: it is allowed as far " +
        "as money grants cover its price, and `block` in a trial. `block`: it is rejected.",
    }),
    tiers: z
      .array(tier)
      .min(1, "must have at least one tier")
      .max(maxTiers, `must have at most ${maxTiers} tiers`)
      .optional()
      .meta({ description: "Required for `bill` and `prepaid`. Tiers count units beyond the plan's maximum." }),
    tierMode: z
      .enum(tierModes)
      .optional()
      .meta({
        description:
          "`graduated`: each unit has the price of its tier. `volume`: all units have the price of the tier that they " +
          "reach, with only its `flatAmount`. `package`: units are sold in packages of `packageSize`, and `unitAmount` " +
          "is the price of a package.",
      }),
    packageSize: exactNumber.refine((value) => value > 0, "must be greater than 0").optional(),
  })
  .superRefine(({ overage, tiers, tierMode, packageSize }, context) => {
    const fail = (path: (string | number)[], message: string) => context.addIssue({ code: "custom", path, message });
    const isPriced = overage !== "block";
    if (isPriced && tiers === undefined) fail(["tiers"], `is required for ${overage}`);
    if (isPriced && tierMode === undefined) fail(["tierMode"], `is required for ${overage}`);
    if (tierMode === "package" && packageSize === undefined) fail(["packageSize"], "is required for package");
    if (tierMode !== "package" && packageSize !== undefined) fail(["packageSize"], "is for the tierMode package");
    let last = 0;
    for (const [index, { upTo }] of (tiers ?? []).entries()) {
      const isLast = index === tiers!.length - 1;
      if (isLast !== (upTo === null)) fail(["tiers", index, "upTo"], "must be null in the last tier, and only there");
      else if (upTo !== null && upTo <= last) fail(["tiers", index, "upTo"], "must be larger than in the tier before");
      last = upTo ?? last;
    }
  });

const planRates = namedRecord(meterName, meterNameText, meterRate).meta({
  description: "The prices of usage beyond `max`, by meter. At most one plan of a subscription rates a meter.",
});

const maxPeriods = 120;

const meterRollover = z.strictObject({
  maximum: exactNumber
    .refine((value) => value > 0, "must be greater than 0")
    .meta({ description: "The most units that are carried over from one period." }),
  periods: z.int().min(1).max(maxPeriods).default(1).meta({ description: "After how many periods they expire." }),
});

const planRollover = namedRecord(meterName, meterNameText, meterRollover).meta({
  description:
    "What is carried over of unused units at a renewal, by meter: at most `maximum`, as a meter grant that expires after " +
    "`periods`. It exists an hour after the end of the period, once the fee of that period is paid.",
});

const featureValue = z.union([z.literal(true), z.number(), text(256)], "must be true, a number or text");
const featureNames = z.record(z.string(), featureValue).superRefine((features, context) => {
  for (const name of Object.keys(features))
    if (name === "" || !text(128).safeParse(name).success)
      context.addIssue({ code: "custom", path: [name], message: "must have a name of 1 to 128 characters" });
});

const planFeatures = fewMembers(100, featureNames, "features").meta({
  description: "What the plan includes besides its meters: true, a number or text for each name.",
});

/** The fields of a plan that are about money and how customers see it. */
export const pricedFields = {
  price: planPrice,
  rates: planRates,
  rollover: planRollover,
  features: planFeatures,
  description: text(1000),
  isPublic: z.boolean().meta({ description: "Whether customers see the plan in the portal." }),
  position: z.int().min(0).max(1_000_000).meta({
    description: "Where the plan is in the list that customers see.",
  }),
};

export type PlanPrice = z.output<typeof planPrice>;
export type MeterRate = z.output<typeof meterRate>;
export type PlanRates = Record<string, MeterRate>;
export type PlanRollover = Record<string, z.output<typeof meterRollover>>;
export type PlanFeatures = Record<string, true | number | string>;

/** The same fields in responses. */
export const pricedOutput = {
  price: z.object({ currency: z.string(), amount: z.string(), interval: z.enum(intervals) }).optional(),
  rates: z
    .record(
      z.string(),
      z.object({
        overage: z.enum(overages),
        tiers: z
          .array(z.object({ upTo: z.number().nullable(), unitAmount: z.string(), flatAmount: z.string().optional() }))
          .optional(),
        tierMode: z.enum(tierModes).optional(),
        packageSize: z.number().optional(),
      }),
    )
    .optional(),
  rollover: z.record(z.string(), z.object({ maximum: z.number(), periods: z.int() })).optional(),
  features: z.record(z.string(), z.union([z.boolean(), z.number(), z.string()])).optional(),
  description: z.string().optional(),
  isPublic: z.boolean().optional(),
  position: z.int().optional(),
};
