import { expect, test } from "bun:test";
import { invoicesOf, monthly, newTestBucket, ok, setProfile } from "../../../../test/support/billing.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { createPlan } from "../../../../test/support/metering.ts";
import { customerBrowser, setPortal } from "../../../../test/support/portal.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  test("a customer reads that buying is not available as long as the account has no billing profile", async () => {
    const bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
    await createPlan(client, bucket, { planExternalId: "gold", ...monthly("30.00"), isPublic: true });
    await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name: "buyer" });
    const { url } = await setPortal(client, { meteringBucket: bucket.replace("/v1/metering/", "") });
    const browser = await customerBrowser(server, url, "buyer");
    for (const action of ["/subscription/$choose", "/plans/$preview"]) {
      const rejected = await browser.post(action, { planExternalId: "gold" });
      expectProblem(rejected, 409, "purchase_unavailable");
      expect(rejected.body.detail).toBe("Buying is not available yet; contact the business.");
    }
    expect(await invoicesOf(client, bucket)).toEqual([]);
    expect((await ok(client.get(`${bucket}/subscriptions`))).data).toEqual([]);
    await setProfile(client);
    expect(await browser.post("/subscription/$choose", { planExternalId: "gold" })).toMatchObject({ status: 200 });
  });
});
