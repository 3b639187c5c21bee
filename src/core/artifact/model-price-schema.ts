import { z } from "zod";
import { minorDigits } from "../../lib/currencies.ts";
import { parsePrice } from "../../lib/money.ts";

const decimal = z
  .string("must be a decimal as text, such as 0.15")
  .refine(
    (value) => parsePrice(value) !== undefined,
    "must be a decimal that is not negative, such as 0.15, with at most 12 decimals",
  );

/** Per million tokens. */
const rates = {
  input: decimal.meta({
    description: "Per million tokens of input that are neither read from a cache nor written to one.",
  }),
  cached: decimal
    .optional()
    .meta({ description: "Per million tokens that are read from a cache; by default as `input`." }),
  cacheWrite: decimal.optional().meta({
    description: "Per million tokens that are written to a cache; by default as `input`.",
  }),
  cacheWrite1h: decimal.optional().meta({
    description: "Per million tokens that are written to a cache for an hour; by default as `cacheWrite`.",
  }),
  output: decimal.meta({ description: "Per million tokens of output, reasoning included." }),
  audioInput: decimal.optional().meta({ description: "Per million tokens of spoken input; by default as `input`." }),
  audioOutput: decimal.optional().meta({ description: "Per million tokens of spoken output; by default as `output`." }),
};

const above = z
  .array(
    z.strictObject({
      inputTokens: z.int().min(1).max(1_000_000_000),
      ...rates,
    }),
  )
  .min(1)
  .max(10, "must have at most 10 steps")
  .refine(
    (steps) => steps.every(({ inputTokens }, at) => at === 0 || inputTokens > steps[at - 1]!.inputTokens),
    "must be in the order of inputTokens, without repetition",
  )
  .optional()
  .meta({ description: "Prices of all tokens of a request whose whole input is larger than `inputTokens`." });

const tierName = z.string().regex(/^[a-z0-9_-]{1,64}$/, "must be 1 to 64 characters of a-z, 0-9, _ and -");

/** The price of a target: `"free"`, or decimals per million tokens. */
export const targetPrice = z
  .union(
    [
      z.literal("free"),
      z.strictObject({
        currency: z
          .string()
          .refine((value) => minorDigits(value) !== undefined, "must be a currency of ISO 4217, such as USD"),
        ...rates,
        above,
        tiers: z
          .record(tierName, z.strictObject({ ...rates, above }))
          .optional()
          .meta({ description: "Prices of service tiers other than the default." }),
        tools: z
          .record(tierName, decimal)
          .optional()
          .meta({ description: "The price per call of tools that the provider runs, such as `web_search`." }),
      }),
    ],
    'must be "free", or an object with currency, input and output',
  )
  .meta({ description: 'Decimals as text, per million tokens, or `"free"`. By default that of the known model.' });

export type TargetPrice = z.output<typeof targetPrice>;

/**
 * Returns the name that a tool has in `tools` of a price: its type without the date of its version, such as
 * `web_search` for `web_search_20250305` and `web_search_preview`.
 */
export function pricedToolName(type: string): string {
  return type.replace(/_(?:\d{8}|\d{4}_\d{2}_\d{2})$/, "").replace(/_preview$/, "");
}
