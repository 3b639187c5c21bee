/**
 * `npm run generate`: writes the prices of known models, from the data of the package `@pydantic/genai-prices`, to
 * src/core/model-prices/known-prices.txt.
 */
import { join } from "node:path";
import { type ConditionalPrice, type MatchLogic, type ModelPrice, waitForUpdate } from "@pydantic/genai-prices";
import packageJson from "../node_modules/@pydantic/genai-prices/package.json" with { type: "json" };

const path = join(import.meta.dir, "../src/core/model-prices/known-prices.txt");

/** In the order in which the data has them. */
const rateKeys = ["input_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok", "output_mtok"] as const;

const audioKeys = ["input_audio_mtok", "output_audio_mtok"] as const;

/** Keys whose usage is not counted by category: models with others have no known price. */
const ignoredKeys = /^(?:web_searches|storage_searches)_kcount$|_(?:audio|image|video)(?:_\w+)?_mtok$/;

export async function currentPrices(): Promise<{ written: string; wanted: string }> {
  const written = (await Bun.file(path).exists()) ? await Bun.file(path).text() : "";
  return { written, wanted: await wantedPrices() };
}

async function wantedPrices(): Promise<string> {
  const providers = (await waitForUpdate()) ?? [];
  const lines = providers.flatMap(({ id, api_pattern, fallback_model_providers, models }) => {
    const provider = JSON.stringify([id, api_pattern, ...(fallback_model_providers ?? [])]);
    const known = models.map(({ match, prices }) => {
      const all = (Array.isArray(prices) ? prices : [{ prices }]).map(conditional);
      // The first model that matches counts, also if its price cannot be computed.
      return ` ${JSON.stringify([matcher(match), ...(all.includes(undefined) ? [] : all)])}`;
    });
    return [provider, ...known];
  });
  return `# Prices in USD per million tokens: data of @pydantic/genai-prices ${packageJson.version}, © Pydantic Services Inc., MIT.
# Written by \`npm run generate\`; do not edit. A line is a provider, or a model of it. known-prices.ts reads it.
${lines.join("\n")}
`;
}

type Matcher = string | { or: Matcher[] } | { and: Matcher[] };

/** Texts begin with how they match: = equal, ^ begin, $ end, * anywhere, / regular expression. */
function matcher(match: MatchLogic): Matcher {
  if ("or" in match) return { or: match.or.map(matcher) };
  if ("and" in match) return { and: match.and.map(matcher) };
  if ("equals" in match) return `=${match.equals.toLowerCase()}`;
  if ("starts_with" in match) return `^${match.starts_with.toLowerCase()}`;
  if ("ends_with" in match) return `$${match.ends_with.toLowerCase()}`;
  if ("contains" in match) return `*${match.contains.toLowerCase()}`;
  return `/${match.regex}`;
}

/** Rates, then when they apply, then the rates above a number of tokens. Undefined if they cannot be computed. */
function conditional({
  constraint,
  prices,
}: Partial<ConditionalPrice> & { prices: ModelPrice }): unknown[] | undefined {
  const keys = Object.keys(prices).filter((key) => prices[key] !== undefined);
  if (prices.input_mtok === undefined) return undefined;
  if (keys.some((key) => !rateKeys.includes(key as never) && !ignoredKeys.test(key))) return undefined;
  const steps = new Set<number>();
  for (const key of rateKeys) {
    const price = prices[key];
    if (typeof price === "object") for (const { start } of price.tiers) steps.add(start);
  }
  const all = audioKeys.some((key) => prices[key] !== undefined) ? [...rateKeys, ...audioKeys] : rateKeys;
  const ratesAt = (inputTokens: number) => all.map((key) => rateText(prices[key], inputTokens)).join("/");
  const when = !constraint
    ? ""
    : constraint.type === "start_date"
      ? constraint.start_date
      : `${constraint.start_time}/${constraint.end_time}`;
  const above = [...steps].sort((a, b) => a - b).map((start) => [start, ratesAt(start + 1)]);
  return [ratesAt(0), when, ...above];
}

function rateText(price: ModelPrice[string], inputTokens: number): string {
  if (price === undefined) return "";
  let rate = typeof price === "number" ? price : price.base;
  if (typeof price === "object") for (const tier of price.tiers) if (inputTokens > tier.start) rate = tier.price;
  return rate.toFixed(12).replace(/\.?0+$/, "");
}

if (import.meta.main) await Bun.write(path, (await currentPrices()).wanted);
