import { describe, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { deploy, openApi } from "../support/project.ts";
import { useConsole } from "../support/use-console.ts";

// The first steps on Home: what completes them, and what does not.

const user = useConsole();
const { check } = user;
const bucket = "/v1/accounts/default/key-buckets/main";
const dayMs = 86_400_000;

const heading = (name: string) => user.page.getByRole("heading", { name, exact: true }).waitFor();
const countOf = async (path: string, count: "requests" | "verifications") =>
  (await user.server.client.get(`/v1/accounts/default/analytics${path}`)).body.series[0]?.totals[count] ?? 0;

describe("the first steps", () => {
  check("show how an API verifies keys by itself, in each language, as the documented programs do", async () => {
    const documents = ["sell-your-api.md", "client.md"].map((name) =>
      readFileSync(join(import.meta.dir, "../../docs", name), "utf8"),
    );
    const documented = new Set(documents.flatMap((text) => text.split("\n").map((line) => line.trim())));
    await user.show("/");
    const section = user.page.getByRole("region", { name: "Protect your own API" });
    for (const language of ["Express", "FastAPI", "Flask", "Django", "Go"]) {
      await section.getByRole("tab", { name: language, exact: true }).click();
      const snippet = await section.getByRole("tabpanel").locator("pre").innerText();
      expect(snippet).toContain(user.server.url);
      const lines = snippet.replaceAll(user.server.url, "http://127.0.0.1:8787").split("\n");
      const unknown = lines.filter((line) => !documented.has(line.trim().replace(/^import tollgate /, "tollgate ")));
      expect(unknown).toEqual([]);
    }
  });

  check("are not completed by responses with 404, of the gateway or of a route", async () => {
    const { call } = await deploy(
      user.server,
      { project: "shop", branch: "main" },
      {
        "openapi.json": openApi({ "/orders": { "x-tollgate": { handler: "modules/none.ts" } } }),
        "modules/none.ts": 'export default () => new Response("no such order", { status: 404 });',
      },
    );
    for (const path of ["/robots.txt", "/orders"]) await call(path);
    await user.until(async () => (await countOf("", "requests")) === 2, "both requests to be counted");
    await user.show("/");
    await heading("Get to your first request");
    const last = user.page.locator(".step", { hasText: "Send the first request" });
    await user.until(async () => (await last.getAttribute("data-done")) === null, "the last step to be open");
    await user.page.locator(".step[data-done]", { hasText: "Deploy a gateway" }).waitFor();
  });

  check("do not return after a quiet week", async () => {
    const { client, clock } = user.server;
    await user.show("/settings");
    const today = clock.now();
    const { body } = await client.post(`${bucket}/consumers`, { name: "initech", apiKeys: [{}] });
    clock.set(new Date(today - 9 * dayMs).toISOString());
    await client.post(`${bucket}/verify-key`, { key: body.apiKeys[0].key });
    const from = new Date(today - 10 * dayMs).toISOString();
    await user.until(async () => (await countOf(`/verifications?from=${from}`, "verifications")) === 1, "the count");
    clock.set(new Date(today).toISOString());
    await user.until(async () => (await countOf("/verifications", "verifications")) === 0, "a quiet day");
    await user.show("/");
    await heading("Home");
  });
});
