import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import moved from "../docs/moved.json" with { type: "json" };
import { buildWebIfOutdated } from "../scripts/web-build.ts";
import { slugOf } from "../src/builder/site/markdown.ts";
import { catalogue } from "../src/core/problems/catalogue.ts";
import { type OpenPage, openPage } from "./support/chromium.ts";
import { accessibilityProblemsOfThemes, desktop, misfits } from "./support/console.ts";
import { sqlite } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { startServer, type TestServer } from "./support/server.ts";
import { patiently } from "./support/slowdown.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const patienceMs = patiently(180_000);

// The pages do not depend on the engine.
let server: TestServer;
/** The HTML of each page by its address. */
const pages = new Map<string, string>();

beforeAll(async () => {
  // Before the server starts, which reads it once.
  await buildWebIfOutdated(["docs"]);
  server = await startServer(sqlite);
  const start = await text("/docs/guides");
  pages.set("/docs/guides", start);
  const guides = hrefsOf(start).filter((href) => href.startsWith("/docs/guides/") && !/[#.]/.test(href));
  for (const guide of new Set(guides)) pages.set(guide, await text(guide));
}, patienceMs);
afterAll(() => server?.stop());

async function text(path: string): Promise<string> {
  const response = await fetch(server.url + path);
  expect({ path, status: response.status }).toEqual({ path, status: 200 });
  return response.text();
}

const hrefsOf = (html: string): string[] => [...html.matchAll(/(?<= href=")[^"]*/g)].map(([href]) => decoded(href));
const idsOf = (html: string): Set<string> => new Set([...html.matchAll(/(?<= id=")[^"]*/g)].map(([id]) => decoded(id)));
const decoded = (html: string): string => html.replaceAll("&amp;", "&").replaceAll("&#x27;", "'");

test("every guide is served as HTML that needs no scripts, and as Markdown", async () => {
  expect(pages.size).toBeGreaterThan(100);
  for (const [address, html] of pages) {
    const [, title] = /<h1>(.+?)<\/h1>/.exec(html) ?? [];
    expect({ address, hasTitle: title !== undefined, hasText: html.includes("<p") }).toEqual({
      address,
      hasTitle: true,
      hasText: true,
    });
    expect(html).toContain('aria-current="page"');
    const [markdown] = /(?<=<link rel="alternate" href=")[^"]+/.exec(html)!;
    const response = await fetch(server.url + markdown);
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(await response.text()).toMatch(/^# /m);
  }
});

test("every link, anchor and picture of the guides exists", async () => {
  const broken: string[] = [];
  const statuses = new Map<string, number>();
  const statusOf = async (path: string) => {
    if (!statuses.has(path)) statuses.set(path, (await fetch(server.url + path)).status);
    return statuses.get(path);
  };
  for (const [address, html] of pages) {
    const pictures = [...html.matchAll(/(?<= src=")[^"]*/g)].map(([src]) => src);
    for (const href of [...hrefsOf(html), ...pictures]) {
      // The console is built on its own.
      if (/^(https?|mailto):|^\/console$/.test(href)) continue;
      const [path, anchor] = href.split("#") as [string, string | undefined];
      const target = path === "" ? address : path;
      const isFound = (await statusOf(await apiPage(target))) === 200;
      const html = pages.get(target);
      if (!isFound || (anchor !== undefined && anchor !== "main" && html && !idsOf(html).has(anchor)))
        broken.push(`${address}: ${href}`);
    }
  }
  expect(broken).toEqual([]);
});

/** Pages of the reference are rendered by scripts: their content is at another address. */
async function apiPage(path: string): Promise<string> {
  return /^\/docs\/(operations|schemas)\//.test(path) ? path.replace("/docs/", "/docs/pages/").concat(".json") : path;
}

test("llms.txt lists each guide as Markdown", async () => {
  const listed = [...(await text("/llms.txt")).matchAll(/\]\((\/docs\/guides\/[^)]+)\.md\)/g)].map(([, page]) => page!);
  expect(listed.toSorted()).toEqual([...pages.keys()].filter((page) => page !== "/docs/guides").sort());
});

test("every guide to which the console, the command line and errors lead exists", () => {
  const root = join(import.meta.dir, "..");
  const files = [...new Bun.Glob("src/{web,cli,builder}/**/*.{ts,tsx}").scanSync(root)];
  const targets = new Set(Object.keys(catalogue).map((code) => `errors#${slugOf(code)}`));
  let emptyStates = 0;
  for (const file of files.filter((each) => !each.includes(".test."))) {
    const source = readFileSync(join(root, file), "utf8");
    for (const [target] of source.matchAll(/(?<=(guide="|\/docs\/guides\/))[a-z][\w/#-]*/g)) targets.add(target);
    emptyStates += source.match(/ guide="/g)?.length ?? 0;
  }
  expect(emptyStates).toBeGreaterThan(30);
  const missing = [...targets].filter((target) => {
    const [page, anchor] = target.split("#") as [string, string | undefined];
    const html = pages.get(`/docs/guides/${page}`);
    return !html || (anchor && !idsOf(html).has(anchor));
  });
  expect(missing).toEqual([]);
});

test("the former addresses of sections lead to sections that exist", () => {
  const broken = Object.entries(moved).flatMap(([page, sections]) =>
    Object.values(sections).filter((target) => {
      const [path, anchor] = target.split("#") as [string, string | undefined];
      const html = pages.get(path);
      return !pages.has(`/docs/guides/${page}`) || !html || (anchor !== undefined && !idsOf(html).has(anchor));
    }),
  );
  expect(broken).toEqual([]);
});

test("an unknown guide is 404", async () => {
  const response = await fetch(`${server.url}/docs/guides/no-such-guide`);
  expect([response.status, await response.text()]).toEqual([404, expect.stringContaining("/docs/guides")]);
});

test(
  "the export has each page as a file, with links below its base",
  async () => {
    const folder = await temporaryFolder("docs");
    let site: Bun.Server<undefined> | undefined;
    try {
      const command = [process.execPath, join(import.meta.dir, "../scripts/docs.ts"), folder.path, "/tollgate/docs"];
      expect(await Bun.spawn(command, { stdout: "ignore" }).exited).toBe(0);
      for (const address of [...pages.keys(), "/docs", "/docs/operations/createConsumer"]) {
        const html = await Bun.file(join(folder.path, address.slice("/docs".length), "index.html")).text();
        expect(html).toContain('src="/tollgate/docs/assets/');
        expect(html).toMatch(/<meta name="description" content="[^"]/);
        expect(html).not.toMatch(/(href|src)="\/docs|noindex/);
      }
      site = Bun.serve({
        port: 0,
        fetch: async ({ url }) => {
          const path = join(folder.path, new URL(url).pathname.replace("/tollgate/docs", ""));
          return new Response(Bun.file((await Bun.file(path).exists()) ? path : join(path, "index.html")));
        },
      });
      const exported = await openPage(`${site.url}tollgate/docs/operations/createConsumer`);
      await exported.page.getByRole("heading", { level: 1, name: "Create a consumer" }).waitFor();
      expect(await exported.page.getByLabel("Samples").innerText()).toContain("http://127.0.0.1:8787/v1/");
      // No server is behind static files.
      expect(await exported.page.getByRole("button", { name: "Try it" }).count()).toBe(0);
      const links = await exported.page
        .getByRole("link")
        .evaluateAll((all) => all.map((link) => link.getAttribute("href")!));
      expect(links).toContain("/tollgate/docs/llms.txt");
      expect(links.filter((href) => !/^(#|\/tollgate\/docs)/.test(href))).toEqual([]);
      await exported.close();
    } finally {
      await site?.stop(true);
      await folder.remove();
    }
  },
  patienceMs,
);

/** Pages of different kinds: a list, prose with code, tables, and pictures. */
const looked = ["", "/tour", "/billing", "/errors", "/concepts"];

describe("in a browser", () => {
  let guides: OpenPage;
  beforeAll(async () => {
    guides = await openPage(`${server.url}/docs/guides`);
  });
  afterAll(() => guides?.close());

  const search = (page: Page) => {
    const side = page.locator(".docs-side");
    return {
      field: side.getByRole("searchbox"),
      results: side.getByRole("list", { name: "Results" }).getByRole("link"),
    };
  };

  test("a slash begins a search", async () => {
    const { page } = guides;
    await page.keyboard.press("/");
    await page.keyboard.type("webhooks");
    await eventually(() => search(page).field.inputValue()).toBe("webhooks");
    await eventually(() => search(page).results.count()).toBeGreaterThan(0);
  });

  test.each([
    ["how to sell", "/docs/guides/sell-your-api"],
    ["mcp", "/docs/guides/agents"],
    ["TOLLGATE_PUBLIC_URL", "#tollgate-public-url"],
    ["quota_exceeded", "/docs/guides/errors#quota-exceeded"],
    ["consumers create", "/docs/guides/cli#consumers-create"],
    ["createConsumer", "/docs/operations/createConsumer"],
    // Questions, as a reader who is new would ask them.
    ["how do I return money?", "/docs/guides/refunds"],
    ["what happens when PostgreSQL is down?", "/docs/guides/failures#postgresql-becomes-unavailable-and-returns"],
    ["which policy counts tokens?", "/docs/guides/policies/usage"],
    ["rotate the encryption key", "/docs/guides/encryption-keys#rotate-the-key"],
    ["SSO", "/docs/guides/people#sign-in-with-openid-connect"],
    ["key rotation", "/docs/operations/rollOneKey"],
    ["RAM", "/docs/guides/sizing#memory-cpu-and-disk"],
    ["webhok signatur", "/docs/guides/webhooks#verify-a-message"],
    ["refnds", "/docs/guides/refunds"],
    ["GDPR", "/docs/guides/data-protection"],
    ["can I use gRPC?", "/docs/guides/graphql-and-grpc"],
    ["delete a customer's data", "/docs/guides/data-protection#delete-data-on-request"],
    ["yearly plan", "/docs/guides/yearly-plans"],
    ["a payment failed", "/docs/guides/failed-payments"],
    ["docker compose", "/docs/guides/docker-compose"],
    ["how much memory does it need?", "/docs/guides/sizing#memory-cpu-and-disk"],
    ["sign in with Google", "/docs/guides/people#google"],
    ["import existing keys", "/docs/guides/migration#import"],
  ])(
    "a search for %s finds it among the first three",
    async (words, address) => {
      const { field, results } = search(guides.page);
      // Results of the search before would be taken for those of this one.
      await field.fill("");
      await eventually(() => results.count()).toBe(0);
      await field.fill(words);
      const first = () => results.evaluateAll((links) => links.slice(0, 3).map((link) => link.getAttribute("href")!));
      await eventually(async () => (await first()).some((href) => href.endsWith(address))).toBe(true);
    },
    patienceMs,
  );

  test("a result shows where the text has the words, and decisions are not before what operators look for", async () => {
    const { field, results } = search(guides.page);
    await field.fill("charge a card again");
    const excerpts = () => results.locator(".docs-excerpt").allInnerTexts();
    await eventually(async () => (await excerpts()).slice(0, 3).join(" ")).toMatch(/charge|card/);
    for (const words of ["audit log", "webhooks", "canary releases", "certificates", "metrics", "validate"]) {
      await field.fill(words);
      await eventually(() => results.first().innerText()).toMatch(new RegExp(words.slice(0, 5), "i"));
      const hrefs = await results.evaluateAll((links) => links.slice(0, 3).map((link) => link.getAttribute("href")!));
      expect({ words, decisions: hrefs.filter((href) => href.includes("/decisions/")) }).toEqual({
        words,
        decisions: [],
      });
    }
  });

  test("the former address of a section leads to its page", async () => {
    await guides.page.goto(`${server.url}/docs/guides/operating#encryption-keys`);
    await guides.page.waitForURL(`${server.url}/docs/guides/encryption-keys`);
  });

  test(
    "pages are accessible, and fit a phone",
    async () => {
      const { page } = guides;
      for (const path of looked) {
        await page.setViewportSize(desktop);
        await page.goto(`${server.url}/docs/guides${path}`);
        const themes = await accessibilityProblemsOfThemes(page);
        await page.setViewportSize({ width: 390, height: 844 });
        expect({ path, themes, misfits: await misfits(page) }).toEqual({
          path,
          themes: { light: [], dark: [] },
          misfits: [],
        });
      }
      await page.setViewportSize(desktop);
      expect(guides.errors.take()).toEqual([]);
    },
    patienceMs,
  );

  test.each(looked)(
    "the first view of %s has less than 150 kB, and nothing moves",
    async (path) => {
      const first = await openPage(`${server.url}/docs/guides${path}`);
      try {
        const { bytes, shift } = (await first.page.evaluate(measured)) as { bytes: number; shift: number };
        expect(bytes).toBeLessThan(150_000);
        // Painted when it is complete (`rel=expect`): later rows would widen columns. Fonts that come later are not used.
        expect(shift).toBeLessThan(0.002);
      } finally {
        await first.close();
      }
    },
    patienceMs,
  );
});

/** What the page has loaded, and how far its elements have moved. */
const measured = `document.fonts.ready.then(() => new Promise((resolve) => {
  let shift = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { shift += value; }))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => {
    const loaded = ["navigation", "resource"].flatMap((type) => performance.getEntriesByType(type));
    resolve({ shift, bytes: loaded.reduce((sum, { transferSize }) => sum + transferSize, 0) });
  }, 100);
}))`;
