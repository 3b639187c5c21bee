import { afterAll, beforeAll, expect, test } from "bun:test";
import { buildWebIfOutdated } from "../scripts/web-build.ts";
import { readWebPack } from "../src/server/pages/web-pack.ts";
import { type OpenPage, openPage } from "./support/chromium.ts";
import { accessibilityProblemsOfThemes, desktop, misfits, settled } from "./support/console.ts";
import { sqlite } from "./support/engines.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { adminToken } from "./support/server-settings.ts";
import { patiently } from "./support/slowdown.ts";

/** Browsers are slow on a busy machine. */
const patienceMs = patiently(120_000);

// The page does not depend on the engine.
let server: TestServer;
let docs: OpenPage;
beforeAll(async () => {
  // Before the server starts, which reads it once.
  await buildWebIfOutdated(["docs"]);
  server = await startServer(sqlite);
  // The path parameters of the reference are filled in with these names.
  await server.client.post("/v1/accounts/default/key-buckets/main/consumers", { name: "acme" });
  docs = await openPage(`${server.url}/docs`);
  docs.page.setDefaultTimeout(patienceMs / 2);
  await heading("Tollgate").waitFor();
}, patienceMs);
afterAll(async () => {
  await docs?.close();
  await server?.stop();
});

const heading = (name: string) => docs.page.getByRole("heading", { name, level: 1, exact: true });
const side = () => docs.page.locator(".docs-side");

test("every operation has a page with its method and path", async () => {
  const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { operationId: string; summary: string }>>;
  };
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { operationId, summary }]) => ({
      method: method.toUpperCase(),
      path,
      page: `operations/${operationId}`,
      label: summary,
    })),
  );
  const pageOf = async (name: string) => {
    const response = await fetch(`${server.url}/docs/pages/${name}.json`);
    expect({ name, status: response.status, type: response.headers.get("content-type") }).toEqual({
      name,
      status: 200,
      type: "application/json",
    });
    return response.json() as Promise<Record<string, never>>;
  };
  const { reference } = (await pageOf("navigation")) as unknown as {
    reference: { entries: { page: string; label: string; method?: string; path?: string }[] }[];
  };
  const listed = reference
    .flatMap(({ entries }) => entries)
    .filter(({ method }) => method !== undefined)
    .map(({ page, label, method, path }) => ({ method: method!, path: path!, page, label }));
  const inOrder = (entries: typeof documented) => entries.toSorted((one, other) => (one.page < other.page ? -1 : 1));
  expect(inOrder(listed)).toEqual(inOrder(documented));
  for (const { page, method, path } of documented)
    expect(await pageOf(page)).toMatchObject({ operation: { method, path } });
});

test(
  "an operation is found by its path, and shows its fields, samples and errors",
  async () => {
    const { page } = docs;
    await side().getByRole("searchbox").fill("verify-key");
    await side()
      .getByRole("link", { name: /Verify/ })
      .first()
      .click();
    await page.waitForURL(`${server.url}/docs/operations/verifyKey`);
    await open("createConsumer");
    await page.getByRole("article").getByText("managers", { exact: true }).first().waitFor();
    expect(await page.locator(".samples pre").innerText()).toContain("Authorization: Bearer YOUR_TOKEN");
    expect(await page.locator(".samples pre").innerText()).toContain(`${server.url}/v1/accounts/default/key-buckets`);
  },
  patienceMs,
);

test(
  "a request can be tried with a token, and is rejected without one",
  async () => {
    const { page } = docs;
    docs.errors.expect(401);
    await open("whoAmI");
    expect(await tryIt()).toContain("401");
    const token = page.getByLabel("Token");
    expect(await token.getAttribute("type")).toBe("password");
    expect(await page.locator(".try-it").innerText()).toContain("The admin token was printed at the first start");
    await token.fill(adminToken);
    const response = await tryIt();
    expect(response).toContain("200");
    expect(response).toContain('"role": "admin"');
    expect(await accessibilityProblemsOfThemes(page)).toEqual({ light: [], dark: [] });
    const stored = () => JSON.stringify({ ...localStorage, ...sessionStorage });
    expect(await page.evaluate(stored)).not.toContain(adminToken);
  },
  patienceMs,
);

test.each<[operation: string, status: string]>([
  ["listConsumers", "200"],
  ["rollKey", "204"],
  ["listKeyBuckets", "200"],
])(
  "%s works with what the page fills in, and with the token of the page before",
  async (operation, status) => {
    // By a link of the page: a new document has no token.
    await side().getByRole("searchbox").fill(operation);
    await side().locator(`a[href="/docs/operations/${operation}"]`).click();
    await docs.page.waitForURL(`${server.url}/docs/operations/${operation}`);
    expect(await tryIt()).toStartWith(status);
  },
  patienceMs,
);

test(
  "an upload takes a file as its body",
  async () => {
    const { page } = docs;
    docs.errors.expect(404);
    await open("uploadSource");
    await page.getByRole("button", { name: "Try it" }).click();
    await page.getByLabel("Body").setInputFiles({ name: "a.tar.gz", mimeType: "", buffer: Buffer.from("not gzip") });
    const sent = page.waitForRequest((request) => request.method() === "PUT");
    await page.getByRole("button", { name: "Send request" }).click();
    expect((await sent).headers()["content-type"]).toBe("application/gzip");
    await page.locator(".try-result .status", { hasText: "404" }).waitFor();
  },
  patienceMs,
);

test(
  "nothing overflows in a window of 390 px",
  async () => {
    const { page } = docs;
    await page.setViewportSize({ width: 390, height: 844 });
    try {
      for (const path of ["", "/operations/createConsumer", "/operations/createSubscription", "/schemas/Consumer"]) {
        await page.goto(`${server.url}/docs${path}`);
        await page.getByRole("article").waitFor();
        await settled(page);
        expect({ path, misfits: await misfits(page) }).toEqual({ path, misfits: [] });
      }
    } finally {
      await page.setViewportSize(desktop);
    }
  },
  patienceMs,
);

test(
  "an unknown page says so",
  async () => {
    const { page } = docs;
    docs.errors.expect(404);
    await page.goto(`${server.url}/docs/operations/noSuchOperation`);
    await page.getByText("It does not exist, or was deleted.").waitFor();
  },
  patienceMs,
);

test("no other server is called, and no errors occur", () => {
  expect(docs.requestedUrls.length).toBeGreaterThan(3);
  const elsewhere = docs.requestedUrls.filter((url) => !url.startsWith(`${server.url}/`) && !url.startsWith("data:"));
  expect(elsewhere).toEqual([]);
  expect(docs.errors.take()).toEqual([]);
});

test("the page has at most 150 kB of script, and a policy without inline code", async () => {
  const files = (await readWebPack("docs"))!;
  const scripts = files.filter(({ path }) => path.endsWith(".js")).map(({ body }) => body.length);
  expect(scripts.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(150_000);
  const policy = (await fetch(`${server.url}/docs`)).headers.get("content-security-policy");
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("style-src 'self';");
  expect(policy).toContain("require-trusted-types-for 'script'");
});

async function open(operation: string): Promise<void> {
  await docs.page.goto(`${server.url}/docs/operations/${operation}`);
  await docs.page.locator(".op-line").waitFor();
}

/** Sends the request and returns the response that the page shows. */
async function tryIt(): Promise<string> {
  const { page } = docs;
  const send = page.getByRole("button", { name: "Send request" });
  const begin = page.getByRole("button", { name: "Try it" });
  await send.or(begin).waitFor();
  if (await begin.isVisible()) await begin.click();
  const responded = page.waitForResponse((response) => response.url().startsWith(`${server.url}/v1/`));
  await send.click();
  await responded;
  // The result before this one is removed when the request is sent.
  await page.locator(".try-it button[type=submit]:not([disabled])").waitFor();
  return page.locator(".try-result").innerText();
}
