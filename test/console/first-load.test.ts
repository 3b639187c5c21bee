import { afterAll, beforeAll, expect, test } from "bun:test";
import { type BusyAccount, fillAccount } from "../support/busy-account.ts";
import { type OpenConsole, openConsole, settled } from "../support/console.ts";
import { until } from "../support/until.ts";
import { patienceMs, withErrors } from "../support/use-console.ts";

let console: OpenConsole;
let busy: BusyAccount;
beforeAll(async () => {
  console = await openConsole();
  busy = await fillAccount(console.server);
  const { client } = console.server;
  await client.post("/v1/accounts/default/key-buckets", { name: "payments" });
  const { body } = await client.post("/v1/accounts/default/key-buckets/payments/consumers", {
    name: "initech",
    apiKeys: [{}],
  });
  await client.post("/v1/accounts/default/key-buckets/payments/verify-key", { key: body.apiKeys[0].key });
  await until(async () => {
    const { series } = (await client.get("/v1/accounts/default/analytics/verifications")).body;
    return series[0].totals.verifications === 1;
  });
  await console.signIn();
}, patienceMs);
afterAll(async () => {
  await busy?.stop();
  await console?.close();
}, patienceMs);

test(
  "the first load of Home of a full account has few requests and bytes",
  () =>
    withErrors(console, async () => {
      const { page, server } = console;
      await page.goto(`${server.url}/console/settings`);
      await settled(page);
      await page.waitForLoadState("networkidle");
      const session = await page.context().newCDPSession(page);
      await session.send("Network.enable");
      await session.send("Network.clearBrowserCache");
      const requests = new Map<string, { url: string; bytes: number }>();
      session.on("Network.requestWillBeSent", ({ requestId, request }) => {
        if (request.url.startsWith("http")) requests.set(requestId, { url: request.url, bytes: 0 });
      });
      session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
        const request = requests.get(requestId);
        if (request) request.bytes = encodedDataLength;
      });
      await page.goto(`${server.url}/console/`);
      await settled(page);
      await page.waitForLoadState("networkidle");
      // A busy server has not computed all of the overview at first: it is requested again.
      const isRepeated = ({ url }: { url: string }, first: number) =>
        url.endsWith("/overview") && loaded.findIndex((other) => other.url === url) < first;
      const loaded = [...requests.values()];
      const bytes = loaded.reduce((sum, request) => sum + request.bytes, 0);
      const urls = loaded.map((request) => `${request.bytes} ${request.url.replace(server.url, "")}`);
      expect(bytes).toBeLessThanOrEqual(350_000);
      expect({ few: loaded.filter((request, index) => !isRepeated(request, index)).length <= 25, urls }).toEqual({
        few: true,
        urls,
      });
    }),
  patienceMs,
);
