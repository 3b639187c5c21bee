import { describe, expect, test } from "bun:test";
import { calcPrice, waitForUpdate } from "@pydantic/genai-prices";
import fc from "fast-check";
import { currentPrices } from "../../../scripts/generate-model-prices.ts";
import { amountOf } from "../../lib/amount.ts";
import { targetPrice } from "../artifact/model-price-schema.ts";
import { chargeOf, costOf, type PricedTokens, roundedCost, tierOf, toolCostOf } from "./cost.ts";
import { KnownPrices } from "./known-prices.ts";
import { modelPrice, ratesFor } from "./rates.ts";

const openai = "https://api.openai.com/v1";
const anthropic = "https://api.anthropic.com/v1";
const time = Date.UTC(2026, 10, 1, 12);

type PackagePrice = number | { base: number; tiers: { start: number; price: number }[] } | undefined;

/** The package's prices of a model that are the same at all times. */
function constantPrices(models: readonly { id: string; prices: unknown }[], model: string) {
  const { prices } = models.find(({ id }) => id === model)!;
  return Array.isArray(prices) ? undefined : (prices as Record<string, PackagePrice>);
}

/** The cost in 10^-18, from the decimals of the package's data in fractions of integers. */
function rationalCost(prices: Record<string, PackagePrice>, tokens: PricedTokens): bigint {
  const { input, cached, cacheWrite, cacheWrite1h, output } = tokens;
  const whole = input + cached + cacheWrite;
  const rate = (...keys: string[]): { numerator: bigint; denominator: bigint } => {
    const price = keys.map((key) => prices[key]).find((found) => found !== undefined) ?? 0;
    const value =
      typeof price === "number" ? price : (price.tiers.findLast(({ start }) => whole > start)?.price ?? price.base);
    const [, digits, fraction = ""] = /^(\d+)(?:\.(\d+))?$/.exec(String(value))!;
    return { numerator: BigInt(digits + fraction), denominator: 10n ** BigInt(fraction.length) };
  };
  const parts = [
    [input, rate("input_mtok")],
    [cached, rate("cache_read_mtok", "input_mtok")],
    [cacheWrite - cacheWrite1h, rate("cache_write_mtok", "input_mtok")],
    [cacheWrite1h, rate("cache_write_1h_mtok", "cache_write_mtok", "input_mtok")],
    [output, rate("output_mtok")],
  ] as const;
  const sum = parts.reduce(
    (all, [count, { numerator, denominator }]) => ({
      numerator: all.numerator * denominator + BigInt(count) * numerator * all.denominator,
      denominator: all.denominator * denominator,
    }),
    { numerator: 0n, denominator: 1n },
  );
  const scaled = sum.numerator * 10n ** 12n;
  if (scaled % sum.denominator !== 0n) throw new Error("The cost has more than 18 decimals.");
  return scaled / sum.denominator;
}

test("the shipped prices are those of the package", async () => {
  const { written, wanted } = await currentPrices();
  expect(written).toBe(wanted);
});

describe("known prices", () => {
  test("by the host of the provider, not by text in its path or a longer name", async () => {
    const prices = await KnownPrices.load();
    const known = (url: string, model = "gpt-5") => prices.has(url, model);
    for (const url of [
      "https://api.openai.com/v1",
      "https://api.openai.com:443/v1",
      "https://probe.openai.azure.com/openai/v1",
      "https://api.moonshot.cn/v1",
      "https://router.huggingface.co/groq/openai/v1",
      "https://generativelanguage.googleapis.com/v1beta/openai",
    ]) {
      const model = /moonshot/.test(url)
        ? "kimi-k2.5"
        : /groq/.test(url)
          ? "openai/gpt-oss-120b"
          : /google/.test(url)
            ? "gemini-2.5-flash"
            : "gpt-5";
      expect([url, known(url, model)]).toEqual([url, true]);
    }
    for (const url of [
      "http://localhost/probe.openai.azure.com/v1",
      "http://127.0.0.1:8000/https://api.openai.com/v1",
      "https://api.openai.com.example.test/v1",
      "https://api.openai.community/v1",
      "https://example.test/openai.azure.com",
      "https://example.test/x.googleapis.com",
      "https://openai.azure.com.example.test/v1",
    ])
      for (const model of ["gpt-5", "gemini-2.5-flash"]) expect([url, known(url, model)]).toEqual([url, false]);
  });

  test("by the URL of the provider and the name of the model, with or without a date", async () => {
    const prices = await KnownPrices.load();
    const price = prices.find(openai, "gpt-5-2025-08-07", time)!;
    expect(price.currency).toBe("USD");
    expect(price).toEqual(prices.find(openai, "gpt-5", time)!);
    expect(prices.isSame(openai, "gpt-5", "gpt-5-2025-08-07")).toBe(true);
    expect(prices.isSame(openai, "gpt-5", "gpt-5-mini")).toBe(false);
    expect(prices.find(openai, "no-such-model", time)).toBeUndefined();
    expect(prices.find("http://127.0.0.1:8000/v1", "gpt-5", time)).toBeUndefined();
  });

  test("have a date from which they apply, and prices above a context length", async () => {
    const prices = await KnownPrices.load();
    const before = prices.find(anthropic, "claude-sonnet-4-6", Date.parse("2026-03-12"))!;
    const after = prices.find(anthropic, "claude-sonnet-4-6", Date.parse("2026-03-13"))!;
    expect(ratesFor(before, 200_000)).toEqual(ratesFor(after, 200_000));
    expect(ratesFor(before, 200_001).input).toBe(2n * ratesFor(after, 200_001).input);
  });

  test("give the cost that the package computes, to the precision of its numbers", async () => {
    const prices = await KnownPrices.load();
    const providers = (await waitForUpdate())!;
    const urls = { anthropic, openai, groq: "https://api.groq.com/openai/v1", deepseek: "https://api.deepseek.com/v1" };
    const names = Object.keys(urls) as (keyof typeof urls)[];
    const models = names.flatMap((id) =>
      providers.find((one) => one.id === id)!.models.map(({ id: model }) => ({ id, model })),
    );
    const tokens = fc.integer({ min: 0, max: 300_000 });
    const usage = fc.record({
      input: tokens,
      cached: tokens,
      cacheWrite: tokens,
      cacheWrite1h: fc.nat(5000),
      output: tokens,
    });
    let compared = 0;
    let inRationals = 0;
    fc.assert(
      fc.property(
        fc.constantFrom(...models),
        usage,
        fc.integer({ min: 0, max: 700 }),
        ({ id, model }, counts, days) => {
          const moment = time - days * 86_400_000 + days * 3_600_000;
          const price = prices.find(urls[id], model, moment);
          if (!price) return;
          const { input, cached, output } = counts;
          const cacheWrite = counts.cacheWrite + counts.cacheWrite1h;
          const expected = calcPrice(
            {
              input_tokens: input + cached + cacheWrite,
              cache_read_tokens: cached,
              cache_write_tokens: cacheWrite,
              cache_write_1h_tokens: counts.cacheWrite1h,
              output_tokens: output,
            },
            model,
            { providerId: id, timestamp: new Date(moment) },
          )!;
          const exact = costOf(price, { ...counts, cacheWrite });
          const data = constantPrices(providers.find((one) => one.id === id)!.models, model);
          if (data) {
            expect(exact).toBe(rationalCost(data, { ...counts, cacheWrite }));
            inRationals += 1;
          }
          const cost = Number(exact) / 1e18;
          expect(Math.abs(cost - expected.total_price)).toBeLessThanOrEqual(1e-9 * Math.max(1, expected.total_price));
          compared += 1;
        },
      ),
      { numRuns: 2000 },
    );
    expect(compared).toBeGreaterThan(1000);
    expect(inRationals).toBeGreaterThan(500);
  });
});

describe("prices of a target", () => {
  const price = modelPrice(
    targetPrice.parse({
      currency: "USD",
      input: "3",
      cached: "0.3",
      output: "15",
      above: [{ inputTokens: 200000, input: "6", output: "22.5" }],
      tiers: { flex: { input: "1.5", output: "7.5" } },
      tools: { web_search: "0.01" },
    }),
  );
  const tokens = { input: 1000, cached: 2000, cacheWrite: 300, cacheWrite1h: 100, output: 7 };

  test("are exact, and what has no price of its own costs as input", () => {
    expect(roundedCost(costOf(price, tokens))).toBe(amountOf(0.003 + 0.0006 + 0.0009 + 0.000105)!);
    const large = { ...tokens, cached: 199_000 };
    expect(costOf(price, large)).toBe((1000n + 199_000n + 300n) * 6n * 10n ** 12n + 7n * 225n * 10n ** 11n);
  });

  test("those of the tier that was served count, and an unknown one is reported", () => {
    expect(costOf(tierOf(price, "flex").steps, tokens)).toBe(3300n * 15n * 10n ** 11n + 7n * 75n * 10n ** 11n);
    for (const tier of [undefined, "default", "standard"])
      expect(tierOf(price, tier)).toMatchObject({ isPriced: true });
    expect(tierOf(price, "priority")).toMatchObject({ steps: price, isPriced: false });
    expect(tierOf(modelPrice("free"), "priority").isPriced).toBe(true);
  });

  test("tools cost per call", () => {
    const calls = new Map([
      ["web_search", 3],
      ["file_search", 1],
    ]);
    expect(toolCostOf(price, calls)).toEqual({ cost: 3n * 10n ** 16n, unpriced: ["file_search"] });
  });

  test("cost times factor is rounded half up, once", () => {
    const half = 500_000_000n;
    expect(chargeOf(half, amountOf(1)!)).toBe(1n);
    expect(chargeOf(half - 1n, amountOf(1)!)).toBe(0n);
    expect(chargeOf(1_250_000_000n, amountOf(1.2)!)).toBe(2n);
    expect(chargeOf(3n * 10n ** 18n, amountOf(1.2)!)).toBe(amountOf(3.6)!);
  });

  test.each([
    [{ input: "1", output: "1" }, "currency"],
    [{ currency: "USD", input: 1, output: "1" }, "input"],
    [{ currency: "USD", input: "-1", output: "1" }, "input"],
    [{ currency: "XXQ", input: "1", output: "1" }, "currency"],
    [{ currency: "USD", input: "1", output: "1", above: [{ inputTokens: 5, input: "1" }] }, "output"],
  ])("%j is rejected", (value, name) => {
    const { error } = targetPrice.safeParse(value);
    expect(JSON.stringify(error?.issues)).toContain(name);
  });
});
