import { describe, expect, test } from "bun:test";
import { buildProject, type Files } from "../../../test/support/gateway-project.ts";

const providers = {
  openai: { api: "openai", url: "https://api.openai.com/v1" },
  own: { api: "openai", url: "https://models.example.com/v1" },
};
const known = { targets: [{ provider: "openai", model: "gpt-5" }], maxOutputTokens: 100 };
const unknown = { targets: [{ provider: "own", model: "llama" }], maxOutputTokens: 100 };
const priced = (price: unknown) => ({ targets: [{ provider: "own", model: "llama", price }], maxOutputTokens: 100 });

async function errorsOf(aliases: object, meters: object, routing: object = { handler: "models" }): Promise<string[]> {
  const files: Files = {
    "openapi.json": JSON.stringify({
      openapi: "3.1.0",
      info: { title: "T", version: "1" },
      paths: { "/v1/{path+}": { "x-tollgate-any": { "x-tollgate": { ...routing, policies: ["key", "usage"] } } } },
    }),
    "tollgate.json": JSON.stringify({
      policies: {
        key: { type: "api-key", options: { bucket: "main" } },
        usage: { type: "usage", options: { bucketId: "main", meters } },
      },
      models: { providers, aliases },
    }),
  };
  const { errors } = await buildProject(files);
  return errors.map(({ message }) => message);
}

const cost = { usd: { count: "cost", factor: 1.2 } };

describe("a policy usage with count", () => {
  test("counts models whose targets are known, priced or free", async () => {
    const price = { currency: "USD", input: "1", output: "2" };
    expect(await errorsOf({ known, own: priced(price), free: priced("free") }, cost)).toEqual([]);
    expect(await errorsOf({ unknown }, { tokens: { count: "tokens" }, calls: { count: "requests" } })).toEqual([]);
  });

  test("a cost without a price is an error", async () => {
    expect(await errorsOf({ known, unknown }, cost)).toEqual([
      'counts the cost of "unknown", whose target own/llama has no price and is not a known model: give it a "price"',
    ]);
    const meters = { ...cost, other: { count: "tokens" } };
    expect(await errorsOf({ known, unknown }, { ...meters, usd: { count: "cost", aliases: ["known"] } })).toEqual([]);
  });

  test("costs in several currencies are an error", async () => {
    const euros = priced({ currency: "EUR", input: "1", output: "2" });
    expect(await errorsOf({ known, euros }, cost)).toEqual([
      "counts costs in several currencies: USD and EUR. Use a meter for each.",
    ]);
  });

  test("every model is counted, and aliases exist", async () => {
    expect(await errorsOf({ known, unknown }, { tokens: { count: "tokens", aliases: ["known", "x"] } })).toEqual([
      'no meter counts requests to "unknown": add it to the aliases of a meter',
      'is not an alias of "models"',
    ]);
  });

  test("needs a models route, and a models route needs it", async () => {
    const elsewhere = await errorsOf({ known }, cost, { upstream: "https://api.example.com" });
    expect(elsewhere).toContain(
      '"count" needs a route with the handler "models", and ANY /v1/{path+} has another target',
    );
    const header = await errorsOf({ known }, { tokens: { header: "x-tokens" } });
    expect(header).toEqual([expect.stringContaining('has the handler "models": its meters need "count"')]);
  });

  test("is not mixed with other sources", async () => {
    expect(await errorsOf({ known }, { a: { count: "tokens", header: "x" } })).toEqual([
      '"meters.a" must have "count", or "header", "pointer", "event" and "default", not both',
    ]);
    expect(await errorsOf({ known }, { a: { header: "x", factor: 2 } })).toEqual([
      '"meters.a" must have "aliases" and "factor" only beside "count"',
    ]);
    expect(await errorsOf({ known }, { a: { count: "tokens" }, b: { header: "x" } })).toEqual([
      '"meters.b" must have "count", as another meter',
    ]);
    expect(await errorsOf({ known }, { a: { count: "all" } })).toHaveLength(1);
  });
});
