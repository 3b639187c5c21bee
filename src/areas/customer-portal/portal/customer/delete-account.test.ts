import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { invoicesOf, monthly, newTestBucket, setProfile } from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { useMailServer } from "../../../../../test/support/mail-server.ts";
import { createPlan, subscribe } from "../../../../../test/support/metering.ts";
import { PortalBrowser, setPortal } from "../../../../../test/support/portal.ts";
import { startServer, type TestServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { holdText, tableContent } from "../../../../../test/support/table-content.ts";

const day = 24 * 60 * 60_000;
const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

let count = 0;
const address = () => `visitor-${++count}@acme.example`;

eachEngine((engine) => {
  const { server: smtp, environment: mail } = useMailServer();
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(engine, { environment: mail() });
    await server.client.post(consumers, { name: "acme" });
    await setProfile(server.client);
  });
  afterAll(() => server.stop());
  beforeEach(() => void server.clock.advance(20 * 60_000));

  /** A portal with open sign-up to this plan. */
  const shop = async (signUpPlan: string) => {
    const bucket = await newTestBucket(server.client, server.clock.iso());
    await createPlan(server.client, bucket, { planExternalId: "free", isPublic: true });
    await createPlan(server.client, bucket, { planExternalId: "gold", ...monthly("30.00"), isPublic: true });
    const trial = { planExternalId: "trial", trialDays: 14, trialEndStatus: "canceled", isPublic: true };
    await createPlan(server.client, bucket, trial);
    const second = await createPlan(server.client, bucket, { planExternalId: "second" });
    const meteringBucket = bucket.replace("/v1/metering/", "");
    const { url } = await setPortal(server.client, { meteringBucket, signUp: "open", signUpPlan });
    return { bucket, url: url as string, second };
  };
  const proven = async (url: string, email: string) => {
    const browser = new PortalBrowser(server, url);
    const { body } = await browser.signInByMail(smtp, email, () => server.catchUp());
    return { browser, body };
  };
  const signUp = async (url: string, email: string) => {
    const { browser, body } = await proven(url, email);
    const response = await browser.post("/sign-up", { proof: body.proof });
    return { browser, response };
  };
  const signedUp = async (url: string, email = address()) => {
    const { browser, response } = await signUp(url, email);
    expect(response.status).toBe(200);
    const { data } = (await server.client.get(`${consumers}?manager-email=${email}`)).body;
    return { email, browser, name: data[0].name as string };
  };
  const statusesOf = async (bucket: string, name: string): Promise<string[]> =>
    (await server.client.get(`${bucket}/subscriptions?customerKey=${name}`)).body.data.map(
      ({ status }: { status: string }) => status,
    );
  const choose = (browser: PortalBrowser, planExternalId: string) =>
    browser.post("/subscription/$choose", { planExternalId });

  test("a purchase that is not paid, its payment page and all subscriptions end with the account", async () => {
    const { bucket, url, second } = await shop("free");
    const { browser, name } = await signedUp(url);
    await subscribe(server.client, bucket, [second], { customerKey: name });
    const { body: chosen } = await choose(browser, "gold");
    expect((await statusesOf(bucket, name)).sort()).toEqual(["active", "active", "incomplete"]);
    const price = { currency: "EUR", amount: "10.00" };
    const grant = { meter: "requests", amount: 100 };
    await server.client.post(`${bucket}/credit-packs`, { packExternalId: "units", label: "Units", price, grant });
    const topUp = { packExternalId: "units", below: 10, maximumPerMonth: "30.00", isEnabled: true };
    expect((await server.client.patch(`${bucket}/customers/${name}`, { topUp })).status).toBe(200);
    expect((await browser.delete("/account")).status).toBe(204);
    expect((await server.client.get(`${bucket}/customers/${name}`)).body.topUp.isEnabled).toBe(false);
    expect((await statusesOf(bucket, name)).sort()).toEqual(["canceled", "canceled", "incomplete-expired"]);
    expect((await invoicesOf(server.client, bucket)).map(({ status }: { status: string }) => status)).toEqual(["void"]);
    const page = await browser.fetch(new URL(chosen.url).pathname, {
      method: "POST",
      headers: { accept: "text/html" },
      body: new URLSearchParams({ method: "succeeds" }),
    });
    expect(page.status).toBe(404);
    expect((await statusesOf(bucket, name)).sort()).toEqual(["canceled", "canceled", "incomplete-expired"]);
  });

  test("a plan that is chosen while the account is deleted does not outlive it", async () => {
    const { bucket, url } = await shop("free");
    for (let round = 0; round < 3; round += 1) {
      const { browser, name } = await signedUp(url);
      const [left] = await Promise.all([browser.delete("/account"), choose(browser, "gold"), choose(browser, "gold")]);
      expect(left.status).toBe(204);
      for (const status of await statusesOf(bucket, name)) expect(["canceled", "incomplete-expired"]).toContain(status);
      server.clock.advance(20 * 60_000);
    }
  });

  test("the address signs up again after 31 days, without a trial, and is stored as a hash", async () => {
    const { bucket, url } = await shop("trial");
    const first = await signedUp(url);
    expect(await statusesOf(bucket, first.name)).toEqual(["trialing"]);
    expect((await first.browser.delete("/account")).status).toBe(204);
    await server.catchUp();
    const mails = (await server.client.get(`${bucket}/mails`)).body.data;
    expect(mails).toMatchObject([
      { kind: "welcome", to: first.email, subject: expect.stringMatching(/^Welcome to /) },
      { kind: "account-deleted", to: first.email, subject: expect.stringMatching(/^Your account at .* is deleted$/) },
    ]);
    expect(smtp.to(first.email).filter(({ subject }) => /^Welcome to|is deleted$/.test(subject))).toEqual([]);
    const rows = await tableContent(server.database, "portal_former_customers");
    expect(rows.length).toBeGreaterThan(0);
    expect(holdText(rows, first.email)).toBe(false);
    const early = await signUp(url, first.email.toUpperCase().replace("@ACME.EXAMPLE", "@acme.example"));
    expectProblem(early.response, 409, "account_deleted_recently");
    expect((await server.client.get(`${consumers}?manager-email=${first.email}`)).body.total).toBe(0);
    // Another person is not concerned.
    expect(await statusesOf(bucket, (await signedUp(url)).name)).toEqual(["trialing"]);
    server.clock.advance(31 * day);
    const again = await signedUp(url, first.email);
    expect(await statusesOf(bucket, again.name)).toEqual(["canceled"]);
    const preview = await again.browser.post("/plans/$preview", { planExternalId: "trial" });
    expect(preview.status).toBe(200);
    expect((await choose(again.browser, "trial")).body.subscription.status).toBe("active");
  });

  test("a plan with a trial is bought without it after a return, and a year later with it", async () => {
    const { bucket, url } = await shop("free");
    /** Customers cannot cancel a free plan at once. */
    const cancel = async ({ name }: { name: string }) => {
      const { body } = await server.client.get(`${bucket}/subscriptions?customerKey=${name}`);
      await server.client.post(`${bucket}/subscriptions/${body.data[0].id}/$cancel`, { timing: "now" });
    };
    const first = await signedUp(url);
    await first.browser.delete("/account");
    server.clock.advance(31 * day);
    const again = await signedUp(url, first.email);
    await cancel(again);
    expect((await choose(again.browser, "trial")).body.subscription.status).toBe("active");
    await again.browser.delete("/account");
    server.clock.advance(365 * day);
    const later = await signedUp(url, first.email);
    await cancel(later);
    expect((await choose(later.browser, "trial")).body.subscription.status).toBe("trialing");
  });

  test("a person who leaves the account that they created to another does not sign up again at once", async () => {
    const { url } = await shop("free");
    const jo = await signedUp(url);
    const sam = address();
    await jo.browser.post("/invites", { email: sam });
    const { browser } = await proven(url, sam);
    const { data } = (await browser.get("/people")).body;
    const self = data.find(({ isSelf }: { isSelf: boolean }) => !isSelf);
    expect((await browser.delete(`/people/${self.id}`)).status).toBe(204);
    expectProblem((await signUp(url, jo.email)).response, 409, "account_deleted_recently");
    // A person who was only invited may have an account of their own.
    const ed = address();
    await browser.post("/invites", { email: ed });
    expect((await proven(url, ed)).body.session).toBeDefined();
    const people = (await browser.get("/people")).body.data;
    const other = people.find(({ name }: { name: string }) => name === ed);
    expect((await browser.delete(`/people/${other.id}`)).status).toBe(204);
    await signedUp(url, ed);
  });

  test("an account that the business deleted, and a portal without plans, do not limit sign-up", async () => {
    const { url } = await shop("free");
    const first = await signedUp(url);
    await server.client.delete(`${consumers}/${first.name}`);
    const again = await signedUp(url, first.email);
    await again.browser.delete("/account");
    await setPortal(server.client, { signUp: "open" });
    await signedUp(url, first.email);
  });
});
