import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Locator } from "playwright-core";
import { buildWebIfOutdated } from "../../scripts/web-build.ts";
import { newTestBucket, setProfile } from "../support/billing.ts";
import { type OpenPage, openPage } from "../support/chromium.ts";
import { sqlite } from "../support/engines.ts";
import { useMailServer } from "../support/mail-server.ts";
import { createPlan } from "../support/metering.ts";
import { setPortal } from "../support/portal.ts";
import { startServer, type TestServer } from "../support/server.ts";
import { account } from "../support/server-settings.ts";
import { patiently } from "../support/slowdown.ts";

const patienceMs = patiently(120_000);
const { server: smtp, environment: mail } = useMailServer();
// The pages do not depend on the engine.
let server: TestServer;
let opened: OpenPage;
let url: string;
let bucket: string;

beforeAll(async () => {
  await buildWebIfOutdated(["portal"]);
  server = await startServer(sqlite, { environment: mail() });
  const { client } = server;
  await client.post(`/v1/accounts/${account}/key-buckets`, { name: "main" });
  bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
  const shown = { isPublic: true, meters: { requests: { label: "requests", max: 1000 } } };
  await createPlan(client, bucket, { planExternalId: "free", label: "Free", ...shown, position: 1 });
  const price = { currency: "EUR", amount: "30.00", interval: "month" };
  await createPlan(client, bucket, { planExternalId: "gold", label: "Gold", ...shown, price, position: 2 });
  await setProfile(client);
  const meteringBucket = bucket.replace("/v1/metering/", "");
  const settings = { title: "Acme Weather", meteringBucket, signUpPlan: "free", signUp: "open" };
  url = (await setPortal(client, settings)).url;
  opened = await openPage(url);
}, patienceMs);
afterAll(async () => {
  await opened?.close();
  await server?.stop();
});

test(
  "a visitor buys a plan of the landing page with 7 clicks: account, first key and payment",
  async () => {
    const { page } = opened;
    const dialog = page.getByRole("dialog").last();
    let clicks = 0;
    const click = async (target: Locator) => {
      clicks += 1;
      await target.click();
    };
    await click(page.getByRole("link", { name: "Choose Gold" }));
    await page.getByText("You chose Gold: €30.00 per month").waitFor();
    await page.getByLabel("Email").fill("jo@initech.example");
    await click(page.getByRole("button", { name: "Continue" }));
    await page.getByLabel("Code").waitFor();
    await server.catchUp();
    // The code signs in as soon as it is whole.
    await page.getByLabel("Code").fill(smtp.to("jo@initech.example").at(-1)!.code!);
    await click(page.getByRole("button", { name: "Create account" }));
    await page.getByRole("heading", { name: "Your first key" }).waitFor();
    expect(await dialog.locator(".key-value pre").innerText()).toMatch(/^tg_[0-9a-f]{32}_[0-9a-f]{8}$/);
    await click(dialog.getByRole("button", { name: "I have stored it" }));
    // The plan of the landing page is what the dialog offers; the address no longer names it.
    const due = dialog.getByRole("row", { name: /Due now/ });
    await due.getByText("€30.00").waitFor();
    expect(page.url()).toBe(`${url}/plans`);
    await click(dialog.getByRole("button", { name: "Continue to payment" }));
    await click(page.getByLabel("Card that succeeds"));
    await click(page.getByRole("button", { name: "Pay €30.00", exact: true }));
    await page.getByRole("region", { name: "Your plan" }).getByRole("heading", { name: "Gold" }).waitFor();
    expect(clicks).toBe(7);
    const { data } = (await server.client.get(`${bucket}/subscriptions`)).body;
    expect(data.map(({ status }: { status: string }) => status)).toEqual(["canceled", "active"]);
    expect(opened.errors.take()).toEqual([]);
  },
  patienceMs,
);
