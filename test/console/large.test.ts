import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { seedDatabase } from "../../bench/seed.ts";
import { consumerName, consumerTags } from "../../bench/seeded-consumers.ts";
import { accessibilityProblems, type OpenConsole, openConsole } from "../support/console.ts";
import { type Database, sqlite } from "../support/engines.ts";
import { eventually } from "../support/eventually.ts";
import { deploy, openApi } from "../support/project.ts";
import { runSql } from "../support/run-sql.ts";
import { startServer } from "../support/server.ts";
import { patiently } from "../support/slowdown.ts";
import { until } from "../support/until.ts";

/**
 * Large amounts of data. Pages request only what they show, so 20,000 consumers are representative: with 1,000,000,
 * each page took as long as with a few.
 */
const consumers = 20_000;
const logLines = 10_000;
const patienceMs = patiently(90_000);
const place = { project: "orders", branch: "main" };

let database: Database;
let console: OpenConsole;

beforeAll(async () => {
  database = await sqlite.freshDatabase();
  const server = await startServer(sqlite, { database });
  await server.client.post("/v1/accounts/default/key-buckets/main/consumers?with-api-key=true", {
    name: consumerName(0),
    tags: consumerTags(0, consumers),
  });
  await server.stop();
  seedDatabase(join(database.environment.TOLLGATE_DATA_DIR!, "tollgate.db"), consumers);
  console = await openConsole({ database });
  await console.signIn();
}, patienceMs);

afterAll(async () => {
  await console?.close();
  await database?.drop();
}, patienceMs);

const rows = () => console.page.locator("tbody tr").count();
const foot = () => console.page.locator(".table-foot").innerText();

test(
  "many consumers are paged by the server, and every page can be opened",
  async () => {
    const { page, requestedUrls } = console;
    await console.visit("/consumers?bucket=main");
    await eventually(() => foot()).toContain("1–50 of 20,000");
    await eventually(() => rows()).toBe(50);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByLabel("Page", { exact: true }).fill("400");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: consumerName(consumers - 1) }).waitFor();
    await eventually(() => foot()).toContain("19,951–20,000 of 20,000");
    await page.getByLabel("Page", { exact: true }).fill("9999999");
    await page.keyboard.press("Enter");
    await eventually(() => page.url()).toContain("page=400");
    await page.goBack();
    await page.getByRole("link", { name: consumerName(0) }).waitFor();
    await console.visit("/consumers?bucket=main&tag=cohort%3Dpilot");
    await eventually(() => foot()).toContain("1–50 of 500");
    await console.visit("/keys?bucket=main");
    await eventually(() => rows()).toBe(50);
    const limits = requestedUrls.flatMap((url) => new URL(url).searchParams.get("limit") ?? []).map(Number);
    expect(limits.length).toBeGreaterThan(3);
    expect(Math.max(...limits)).toBeLessThanOrEqual(100);
  },
  patienceMs,
);

test(
  "a long log shows its end, follows new lines, and keeps the DOM small",
  async () => {
    const { page, server } = console;
    const { name } = await deploy(server, place, {
      "openapi.json": openApi({ "/": { "x-tollgate": { upstream: "http://127.0.0.1:9" } } }),
    });
    const write = (from: number, rest = "") =>
      runSql(
        database,
        `INSERT INTO deployment_logs (id, deployment_seq, time, kind, entry, bytes)
         WITH RECURSIVE lines(number) AS (SELECT ${from} UNION ALL SELECT number + 1 FROM lines WHERE number < ${from + logLines - 1})
         SELECT printf('log_%024d', number), (SELECT seq FROM deployments), ${server.clock.now()} + number, 'console',
                json_object('level', 'info', 'message', 'line ' || number || '${rest}'), 100 FROM lines`,
      );
    await write(1);
    await console.visit(`/deployments/${name}?tab=logs&kind=console`);
    await page.getByText(`line ${logLines}`, { exact: true }).waitFor();
    await eventually(() => page.locator(".log-line").count()).toBeLessThanOrEqual(2_000);

    await write(logLines + 1);
    await page.getByText(`line ${2 * logLines}`, { exact: true }).waitFor();
    await eventually(() => page.locator(".log-line").count()).toBeLessThanOrEqual(2_000);
    const isAtEnd =
      "(({ scrollTop, scrollHeight, clientHeight }) => scrollHeight - scrollTop - clientHeight < 24)(document.querySelector('.log'))";
    await until(async () => (await page.evaluate(isAtEnd)) === true);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByRole("button", { name: "Follow" }).waitFor();

    // Also with wrapped lines.
    const rest = `, and ${"words that need more than one line of a phone ".repeat(3)}`;
    await write(2 * logLines + 1, rest);
    await page.setViewportSize({ width: 360, height: 780 });
    await console.visit(`/deployments/${name}?tab=logs&kind=console`);
    await page.getByText(`line ${3 * logLines}, and`).waitFor();
    await until(async () => (await page.evaluate(isAtEnd)) === true);
    await page.setViewportSize({ width: 1280, height: 860 });
  },
  patienceMs,
);

test(
  "the largest metadata is shown, copied and edited",
  async () => {
    const { page, server } = console;
    const lines = Array.from({ length: 300 }, (_, index) => `${index}: ${"x".repeat(40)}`);
    const metadata = { lines, rest: "" };
    metadata.rest = "y".repeat(16_384 - JSON.stringify(metadata).length);
    await server.client.post("/v1/accounts/default/key-buckets/main/consumers", { name: "acme", metadata });
    await console.visit("/consumers/main/acme?tab=details");
    await page.getByText("299: xxxx").first().waitFor();
    await eventually(() => page.locator(".code pre").evaluate((element) => element.clientHeight)).toBeLessThanOrEqual(
      480,
    );
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.setViewportSize({ width: 360, height: 780 });
    await eventually(() => page.evaluate("document.documentElement.scrollWidth - window.innerWidth")).toBe(0);
    await page.setViewportSize({ width: 1280, height: 860 });

    await page.getByRole("button", { name: "Edit" }).click();
    const field = page.getByLabel("Metadata");
    await eventually(async () => JSON.parse(await field.inputValue())).toEqual(metadata);
    console.errors.expect(400);
    await field.fill(JSON.stringify({ ...metadata, rest: `${metadata.rest}y` }));
    console.errors.expect(400);
    await page.getByRole("button", { name: "Save" }).click();
    await page
      .getByText(/16384 bytes/)
      .first()
      .waitFor();
    await field.fill(JSON.stringify({ ...metadata, rest: metadata.rest.slice(1) }));
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const { body } = await server.client.get("/v1/accounts/default/key-buckets/main/consumers/acme");
    expect(body.metadata.rest.length).toBe(metadata.rest.length - 1);
  },
  patienceMs,
);

test("no errors occurred", () => {
  expect(console.errors.take()).toEqual([]);
});
