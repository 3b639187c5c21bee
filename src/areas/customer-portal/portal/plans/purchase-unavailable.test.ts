import { expect, test } from "bun:test";
import {
  invoicesOf,
  monthly,
  moveTo,
  newTestBucket,
  ok,
  profile,
  setProfile,
} from "../../../../../test/support/billing.ts";
import { useConfiguredAccount } from "../../../../../test/support/configured-account.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { createPlan, subscribe } from "../../../../../test/support/metering.ts";
import { customerBrowser, setPortal } from "../../../../../test/support/portal.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";

interface Offer {
  planExternalId: string;
  isAvailable: boolean;
}

const noProfile = "Plans with a price cannot be bought yet: the account has no billing profile.";
const noProvider = "The account has no payment provider: a bought plan is active once you mark its invoice as paid.";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const configured = useConfiguredAccount(server);

  test("a customer reads that buying is not available as long as the account has no billing profile", async () => {
    const bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
    await createPlan(client, bucket, { planExternalId: "gold", ...monthly("30.00"), isPublic: true });
    await createPlan(client, bucket, { planExternalId: "free", isPublic: true });
    // A trial is not paid yet.
    await createPlan(client, bucket, { planExternalId: "tried", ...monthly("30.00"), isPublic: true, trialDays: 14 });
    await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name: "buyer" });
    const { url } = await setPortal(client, { meteringBucket: bucket.replace("/v1/metering/", "") });
    const browser = await customerBrowser(server, url, "buyer");
    const offers = async () =>
      (await browser.get("/plans")).body.data.map(({ planExternalId, isAvailable }: Offer) => [
        planExternalId,
        isAvailable,
      ]);
    expect(await offers()).toEqual([
      ["gold", false],
      ["free", true],
      ["tried", true],
    ]);
    for (const action of ["/subscription/$choose", "/plans/$preview"]) {
      const rejected = await browser.post(action, { planExternalId: "gold" });
      expectProblem(rejected, 409, "purchase_unavailable");
      expect(rejected.body.detail).toBe("Buying is not available yet; contact the business.");
    }
    expect(await invoicesOf(client, bucket)).toEqual([]);
    expect((await ok(client.get(`${bucket}/subscriptions`))).data).toEqual([]);
    await setProfile(client);
    expect(await offers()).toEqual([
      ["gold", true],
      ["free", true],
      ["tried", true],
    ]);
    expect(await browser.post("/subscription/$choose", { planExternalId: "gold" })).toMatchObject({ status: 200 });
  });

  test("an invoice has the display name of the consumer, unless the customer has a legal name", async () => {
    await setProfile(client);
    const bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
    const plan = await createPlan(client, bucket, monthly("30.00"));
    const consumer = `/v1/accounts/${account}/key-buckets/main/consumers`;
    await ok(client.post(consumer, { name: "shown", displayName: "Shown Inc" }));
    const buyers = async () => (await invoicesOf(client, bucket)).map(({ buyer }) => buyer.legalName);
    await subscribe(client, bucket, [plan], { customerKey: "shown" });
    expect(await buyers()).toEqual(["Shown Inc"]);
    await ok(client.patch(`${bucket}/customers/shown`, { legalName: "Legal Ltd" }));
    await moveTo(client, bucket, "2031-02-01T01:00:00.000Z");
    // Another consumer of the name is not in the key bucket of the metering bucket.
    await ok(client.patch(bucket, { keyBucket: "main" }));
    await ok(client.patch(`${bucket}/customers/shown`, { legalName: null }));
    await ok(client.patch(`${consumer}/shown`, { displayName: null }));
    await ok(client.post(consumer.replace("main", "other"), { name: "shown", displayName: "Another Inc" }));
    await moveTo(client, bucket, "2031-03-01T01:00:00.000Z");
    expect((await buyers()).toSorted()).toEqual(["Legal Ltd", "Shown Inc", undefined]);
  });

  test("with buyerAddress, a customer enters a name and an address before the first payment", async () => {
    await setProfile(client, { buyerAddress: "required" });
    const bucket = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
    await createPlan(client, bucket, { planExternalId: "gold", ...monthly("30.00"), isPublic: true });
    await createPlan(client, bucket, { planExternalId: "free", isPublic: true });
    await client.post(`/v1/accounts/${account}/key-buckets/main/consumers`, { name: "addressed" });
    const { url } = await setPortal(client, { meteringBucket: bucket.replace("/v1/metering/", "") });
    const browser = await customerBrowser(server, url, "addressed");
    const choose = (planExternalId: string) => browser.post("/subscription/$choose", { planExternalId });
    expect(await choose("free")).toMatchObject({ status: 200 });
    const rejected = async () => expectProblem(await choose("gold"), 409, "buyer_details_missing");
    await rejected();
    expect((await browser.get("/billing")).body).toEqual({ isRequired: true });
    const patch = (details: object) => browser.send("PATCH", "/billing", details);
    expect((await patch({ legalName: "Jo", address: { country: "DE" } })).body).toEqual({
      ...{ legalName: "Jo", address: { country: "DE" }, isRequired: true },
    });
    await rejected();
    expect(await invoicesOf(client, bucket)).toEqual([]);
    expect((await patch({ address: { line1: "Hauptstr. 1", country: "DE" } })).status).toBe(200);
    expect(await choose("gold")).toMatchObject({ status: 200 });
    const [invoice] = await invoicesOf(client, bucket);
    expect(invoice.buyer).toMatchObject({ legalName: "Jo", address: { line1: "Hauptstr. 1", country: "DE" } });
    await setProfile(client);
    expect((await browser.get("/billing")).body.isRequired).toBe(false);
  });

  test("the portal and a plan of the configuration show what is missing before plans can be bought", async () => {
    const accountPath = `/v1/accounts/${configured.name}`;
    const other = configured.client;
    const planned = async (configuration: object) => (await ok(configured.plan(configuration))).steps;
    const gold = { label: "Gold", meters: { requests: { max: 100 } }, ...monthly("30.00"), isPublic: true };
    const configuration = {
      meteringBuckets: { shop: {} },
      plans: { shop: { gold, free: { label: "Free", meters: { requests: { max: 100 } } } } },
      keyBuckets: { main: {} },
      portals: { main: { title: "Acme", meteringBucket: "shop" } },
    };
    const notesOf = (steps: { name: string; notes?: string[] }[]) =>
      Object.fromEntries(steps.flatMap(({ name, notes }) => (notes ? [[name, notes]] : [])));
    expect(notesOf(await planned(configuration))).toEqual({ gold: [noProfile, noProvider] });
    const created = {
      meteringBuckets: { shop: {} },
      plans: { shop: { free: { label: "Free", meters: { requests: { max: 100 } } } } },
    };
    expect(notesOf(await planned(created))).toEqual({});

    await other.post("/v1/metering", { name: "shop" });
    await other.post("/v1/metering/shop/plans", {
      planExternalId: "free",
      label: "Free",
      meters: { requests: { max: 100 } },
      isPublic: true,
    });
    const portalPath = `${accountPath}/key-buckets/main/portal`;
    await other.post(`${accountPath}/key-buckets`, { name: "main" });
    const settings = JSON.stringify({ title: "Acme", meteringBucket: "shop" });
    const put = () => ok(other.raw("PUT", portalPath, settings));
    expect((await put()).warnings).toBeUndefined();
    await ok(other.post("/v1/metering/shop/plans", { planExternalId: "gold", ...gold }));
    expect((await put()).warnings).toEqual([noProfile, noProvider]);
    expect(notesOf(await planned({ portals: { main: { title: "New", meteringBucket: "shop" } } }))).toEqual({
      main: [noProfile, noProvider],
    });

    // The warnings are part of what the ETag identifies.
    const before = await other.get(portalPath);
    const read = () => other.raw("GET", portalPath, undefined, { "if-none-match": before.headers.get("etag")! });
    expect((await read()).status).toBe(304);
    await ok(other.raw("PUT", `${accountPath}/billing-profile`, JSON.stringify(profile)));
    expect((await read()).body.warnings).toEqual([noProvider]);
    await ok(other.raw("PUT", `${accountPath}/payment-provider/live`, JSON.stringify({ type: "manual" })));
    expect((await read()).body.warnings).toBeUndefined();
    // A condition that was read with warnings still holds: the portal itself did not change.
    const ifMatch = { "if-match": before.headers.get("etag")! };
    await ok(other.raw("PUT", portalPath, settings.replace("Acme", "New"), ifMatch));
  });
});
