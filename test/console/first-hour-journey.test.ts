import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { type OpenConsole, openConsole } from "../support/console.ts";
import { eventually } from "../support/eventually.ts";
import { adminToken } from "../support/server-settings.ts";
import { patienceMs, withErrors } from "../support/use-console.ts";

// An operator's first hour, from the token to an invoice, with the number of clicks and typed fields.

const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => Response.json({ from: "the upstream" }) });
let console: OpenConsole;
beforeAll(async () => {
  console = await openConsole({ environment: { TOLLGATE_EGRESS: "any" } });
  console.server.clock.set(new Date().toISOString());
}, patienceMs);
afterAll(async () => {
  await console?.close();
  upstream.stop(true);
}, patienceMs);

test(
  "from the first sign-in to a guarded request and the draft of an invoice in 10 clicks and 4 fields",
  () =>
    withErrors(console, async () => {
      const { page, server } = console;
      let clicks = 0;
      let fields = 0;
      const click = async (target: Locator) => {
        clicks += 1;
        await target.click();
      };
      const type = async (label: string | RegExp, text: string) => {
        fields += 1;
        await page.getByLabel(label).first().fill(text);
      };
      const dialog = page.getByRole("dialog");
      const button = (name: string) => page.getByRole("button", { name, exact: true });
      const place = (name: string) => page.locator(".frame > .sidebar .nav").getByRole("link", { name, exact: true });

      await type("Token", adminToken);
      await click(button("Sign in"));

      await click(place("Plans"));
      await click(button("Create your first plan"));
      await type(/^Label/, "Gold");
      await type(/^Price/, "30");
      await click(dialog.getByRole("button", { name: "Create plan" }));
      await eventually(async () => (await server.client.get("/v1/metering")).body.data[0]?.keyBucket).toBe("main");

      await click(place("Home"));
      await click(page.getByRole("link", { name: "Put it in front of a URL" }));
      await type("URL of your API", upstream.url.origin);
      await dialog.getByLabel("Subscribe my-api-first to").waitFor();
      await click(dialog.getByRole("button", { name: "Create gateway" }));
      await page.getByText("The gateway is live").waitFor();
      const line = (await dialog.locator("pre, code").filter({ hasText: "curl" }).first().innerText()).trim();
      await click(button("I have stored the key"));

      expect(await Bun.spawn(["sh", "-c", `${line} -sS`]).exited).toBe(0);
      await click(place("Requests"));
      const request = page
        .getByRole("table", { name: "Requests" })
        .getByRole("row", { name: /GET.*200.*my-api-first/ });
      await request.waitFor();

      await server.catchUp();
      await click(place("Billing"));
      const draft = page.getByRole("table", { name: "Invoices" }).getByRole("row", { name: /my-api-first/ });
      await draft.getByText("Draft").waitFor();
      await draft
        .getByText(/30\.00/)
        .first()
        .waitFor();
      expect({ clicks, fields }).toEqual({ clicks: 10, fields: 4 });
    }),
  patienceMs,
);
