import { afterAll, beforeAll, describe, expect } from "bun:test";
import { desktop, misfits, pageProblems } from "../support/console.ts";
import { check, patienceMs, useConsole } from "../support/console-steps.ts";
import { eventually } from "../support/eventually.ts";
import { MeteredModels, type ModelCustomer } from "../support/metered-models.ts";
import { ModelProvider } from "../support/model-provider.ts";
import { until } from "../support/until.ts";

const steps = useConsole();
const { see, press, rows } = steps;
const hour = 3_600_000;
const messages = [{ role: "user", content: "Hi" }];
const page = () => steps.console.page;
const figures = () => page().locator(".figures .figure-value").allInnerTexts();

/** Both themes and a phone are checked by `pageProblems`. */
async function expectToFit(path: string): Promise<void> {
  await steps.console.visit(path);
  expect(await pageProblems(page())).toEqual({});
  for (const size of [
    { width: 1440, height: 900 },
    { width: 390, height: 844 },
  ]) {
    await page().setViewportSize(size);
    expect({ size, misfits: await misfits(page()) }).toEqual({ size, misfits: [] });
  }
  await page().setViewportSize(desktop);
}

describe("without requests to models", () => {
  check("the page explains how to offer models", async () => {
    await steps.console.visit("/");
    await page().getByRole("navigation").getByRole("link", { name: "Models" }).click();
    await page().getByRole("heading", { name: "Models", exact: true }).waitFor();
    await see("No model was requested yet");
    await see("tollgate init my-models --models openai");
    await eventually(() => page().getByLabel("Range").count()).toBe(0);
    const link = page().locator(".empty").getByRole("link", { name: "API reference" });
    const [, operation] = /^\/docs\/operations\/(\w+)$/.exec((await link.getAttribute("href")) ?? "") ?? [];
    const document = await (await fetch(`${steps.console.server.url}/openapi.json`)).text();
    expect(document).toContain(`"operationId":"${operation}"`);
    await expectToFit("/models");
  });
});

describe("with requests to models", () => {
  let provider: ModelProvider;
  let customer: ModelCustomer;
  const usage = { prompt_tokens: 12_000, completion_tokens: 5000, prompt_tokens_details: { cached_tokens: 2000 } };

  beforeAll(async () => {
    const { server } = steps.console;
    // Past requests are created now, so no page that requests current data may be open.
    await steps.console.visit("/settings");
    provider = new ModelProvider();
    const end = Date.now() - 2 * hour;
    server.clock.set(new Date(end - 6 * hour).toISOString());
    const models = await MeteredModels.deploy(server, "models", provider);
    customer = await models.customer();
    provider.respond = ({ path, body }) =>
      path.endsWith("/chat/completions") ? Response.json({ model: body.model, choices: [], usage }) : undefined;
    for (let at = 0; at < 4; at++) {
      server.clock.set(new Date(end - (6 - 2 * at) * hour).toISOString());
      for (let count = 0; count <= at; count++)
        await (await customer.post("chat/completions", { model: "small", messages })).arrayBuffer();
      await (await customer.post("messages", { model: "claude", max_tokens: 100, messages })).arrayBuffer();
      await until(async () => (await customer.records()).length === ((at + 1) * (at + 2)) / 2 + at + 1);
    }
    provider.respond = () => Response.json({ error: { message: "no" } }, { status: 500 });
    await (await customer.post("messages", { model: "claude", max_tokens: 100, messages })).arrayBuffer();
    await until(async () => (await customer.records()).length === 15);
    server.clock.set(new Date().toISOString());
  }, patienceMs);
  afterAll(() => provider?.stop());

  check("the page shows what each model costs and earns, and the errors of providers", async () => {
    await steps.console.visit("/models");
    // A request costs 10,000 × 2 + 2,000 × 0.2 + 5,000 × 10 = 70,400 millionths, and is charged with the factor 1.2.
    await eventually(() => rows("Models")).toEqual([
      expect.stringMatching(/^small\s+10\s+100K\s+20K\s+0\s+50K\s+\$0\.704\s+\$0\.845\s+\$0\.141 \(16\.7%\)$/),
      expect.stringMatching(/^claude\s+5\s/),
    ]);
    await eventually(() => rows("Consumers")).toEqual([expect.stringMatching(/^models-1\s+15\s+[\d.]+K\s/)]);
    await eventually(() => rows("Providers")).toEqual([
      expect.stringMatching(/^openai\s+10\s+None\s+[\d.]+ m?s\s+0\s+\$0\.704$/),
      expect.stringMatching(/^anthropic\s+5\s+1 \(20%\)\s+[\d.]+ m?s\s/),
    ]);
    await eventually(() => figures()).toEqual(["15", "$0.704", "$0.845", "$0.141"]);
    const tokens = page().locator(".card", { has: page().getByText("Tokens by category", { exact: true }) });
    await eventually(() => tokens.locator("tbody tr").count()).toBe(24);
  });

  check("a range is in the address, and one without requests leads to a longer one", async () => {
    await page().getByLabel("Range").selectOption("hour");
    await page().waitForURL(/range=hour/);
    await see("No requests to models in the last hour");
    await press("Show the last 30 days");
    await page().waitForURL(/range=month/);
    await eventually(async () => (await figures())[0]).toBe("15");
  });

  check("the record of a request has its model, tokens and cost", async () => {
    const record = (await customer.records()).find(({ model }) => model?.alias === "small");
    await steps.console.visit(`/requests?request=${record.id}`);
    const panel = page().locator("section", { has: page().getByRole("heading", { name: "Model", exact: true }) });
    await eventually(() => panel.last().innerText()).toMatch(
      /small, served by gpt-real\s+Provider\s+openai\s+Tokens\s+10,000 input, 2,000 cached, 5,000 output\s+Cost\s+\$0\.0704\s+Charge\s+\$0\.0845\s+Time to first byte/,
    );
    await expectToFit(`/requests?request=${record.id}`);
  });

  check("the page is accessible, and fits wide and narrow windows", async () => {
    await expectToFit("/models");
  });

  check("the palette leads to the page", async () => {
    await steps.console.visit("/settings");
    await page().keyboard.press("Control+k");
    await page().getByRole("combobox").fill("Models");
    await page().getByRole("option", { name: "Models" }).click();
    await page().waitForURL(/\/console\/models/);
  });
});
