import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  billed,
  invoicesOf,
  monthly,
  moveTo,
  ok,
  rated,
  setProfile,
  use,
} from "../../../../../test/support/billing.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { useMailServer } from "../../../../../test/support/mail-server.ts";
import { createPlan, newMeteringBucket, subscribe, subscribed } from "../../../../../test/support/metering.ts";
import { portalPath, setPortal } from "../../../../../test/support/portal.ts";
import { startServer, type TestServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { customerMailKinds } from "../../../common/mail/message.ts";

const start = "2031-01-01T00:00:00.000Z";
const day = 24 * 60 * 60 * 1000;
const email = "billing@acme.example";

eachEngine((engine) => {
  const { server: smtp, environment: mail } = useMailServer();
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer(engine, { environment: mail() });
    await setProfile(server.client);
  });
  afterAll(() => server.stop());

  /** A subscription in a trial, so that the customer has an address before the first invoice. */
  async function inTrial(plan: object) {
    const trial = { status: "trialing", trialEndDate: "2031-01-02T00:00:00.000Z" };
    const scene = await billed(server.client, start, plan, trial);
    await ok(server.client.patch(`${scene.bucket}/customers/acme`, { email }));
    return scene;
  }

  const mailsOf = async (bucket: string) => (await ok(server.client.get(`${bucket}/mails`))).data;
  const kindsOf = async (bucket: string) =>
    (await mailsOf(bucket)).map(({ kind, createdOn }: { kind: string; createdOn: string }) => [
      kind,
      createdOn.slice(0, 10),
    ]);

  test("the mail of a test bucket is stored at its time, once each, and never sent", async () => {
    const { client } = server;
    const { bucket } = await inTrial(monthly("30.00"));
    await moveTo(client, bucket, "2031-01-25T00:00:00.000Z");
    expect(await kindsOf(bucket)).toEqual([
      ["invoice", "2031-01-02"],
      ["payment-failed", "2031-01-16"],
      ["access-ending", "2031-01-18"],
      ["access-ended", "2031-01-19"],
    ]);
    const [invoice] = await invoicesOf(client, bucket);
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$collect`));
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`));
    expect((await kindsOf(bucket)).slice(4).toSorted()).toEqual([
      ["access-restored", "2031-01-25"],
      ["receipt", "2031-01-25"],
    ]);
    const [first, , ending] = await mailsOf(bucket);
    expect(first).toMatchObject({
      to: email,
      subject: `Invoice ${invoice.number} of Seller GmbH: ${invoice.total} EUR`,
    });
    expect(first.text).toContain("It is due on 2031-01-16.");
    expect(first.html).not.toMatch(/<img|src=|http/);
    expect(ending.text).toContain(`${invoice.number}: ${invoice.total} EUR`);
    await server.catchUp();
    expect(smtp.to(email)).toEqual([]);
  });

  test("mail about an end of access that does not come is not written", async () => {
    const { client } = server;
    const { bucket } = await inTrial(monthly("30.00"));
    await moveTo(client, bucket, "2031-01-02T00:00:00.000Z");
    const [invoice] = await invoicesOf(client, bucket);
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`));
    await moveTo(client, bucket, "2031-01-30T00:00:00.000Z");
    expect(await kindsOf(bucket)).toEqual([
      ["invoice", "2031-01-02"],
      ["receipt", "2031-01-02"],
    ]);
    expectProblem(await client.anonymous().get(`${bucket}/mails`), 401, "unauthenticated");
    expectProblem(await client.get("/v1/metering/mtr_none/mails"), 404, "not_found");
  });

  test("usage beyond the plan that costs 80 % and all of a cap is mailed, once each", async () => {
    const { client } = server;
    const { bucket } = await billed(client, start, rated("0.10", { max: 0 }));
    await ok(client.patch(`${bucket}/customers/acme`, { email, spendCap: { amount: "10.00", action: "notify" } }));
    for (const [day, requests] of [50, 30, 10, 10, 10].entries()) {
      await use(client, bucket, requests);
      await moveTo(client, bucket, `2031-01-0${day + 2}T00:00:00.000Z`);
    }
    const limit = "your limit of 10.00 EUR";
    const mails = await mailsOf(bucket);
    expect(mails).toMatchObject([
      { kind: "spending", to: email, subject: `Usage beyond your plan has cost 80 % of ${limit}` },
      { kind: "spending", to: email, subject: `Usage beyond your plan has cost ${limit}` },
    ]);
    expect(mails[1].text).toContain("Nothing is rejected");
    await ok(client.patch(`${bucket}/customers/acme`, { spendCap: { amount: "12.00", action: "block" } }));
    await use(client, bucket, 20);
    await moveTo(client, bucket, "2031-01-10T00:00:00.000Z");
    expect((await mailsOf(bucket)).at(-1).text).toContain("rejected until the next period begins on 2031-02-01");
  });

  test("a reached cap of other buckets is mailed within a minute, once", async () => {
    const { client } = server;
    const { bucket } = await subscribed(client, rated("0.10", { max: 0 }));
    const recipient = "spending@acme.example";
    const spendCap = { amount: "10.00", action: "block" };
    await ok(client.patch(`${bucket}/customers/acme`, { email: recipient, spendCap }));
    await use(client, bucket, 100);
    for (let times = 0; times < 2; times += 1) {
      await server.runTasks();
      await server.catchUp();
      expect(smtp.to(recipient).map(({ subject }) => subject)).toEqual([
        "Usage beyond your plan has cost your limit of 10.00 EUR",
      ]);
    }
  });

  test("the portal's texts are those of the mail, escaped, and a mail that is switched off is not written", async () => {
    const { client } = server;
    const { bucket } = await inTrial(monthly("30.00"));
    const meteringBucket = bucket.split("/").at(-1)!;
    const mails = {
      invoice: { subject: "Acme: {subject}", greeting: "Hello <b>from</b> Acme," },
      "payment-failed": { isEnabled: false },
    };
    await ok(client.post(`/v1/accounts/${account}/key-buckets`, { name: "mails" }));
    const portal = portalPath("mails");
    await setPortal(client, { title: "Acme Weather", meteringBucket, mails }, portal);
    await setProfile(client, { bankDetails: "IBAN DE00\nBIC ACME" });
    await moveTo(client, bucket, "2031-01-25T00:00:00.000Z");
    const all = await mailsOf(bucket);
    expect(all.map(({ kind }: { kind: string }) => kind)).toEqual(["invoice", "access-ending", "access-ended"]);
    const [{ subject, text, html }] = all;
    expect(subject).toMatch(/^Acme: Invoice \S+ of Seller GmbH: /);
    expect(text).toStartWith("Hello <b>from</b> Acme,\n\nPlease pay");
    expect(text).toContain("IBAN DE00\nBIC ACME");
    expect(html).toContain("Hello &lt;b&gt;from&lt;/b&gt; Acme,");
    const preview = `${portal}/$preview-mail`;
    for (const kind of customerMailKinds) {
      const { body } = await client.post(preview, { kind, subject: "A: {subject}", greeting: "Hi <i>" });
      expect(body.subject).toStartWith("A: ");
      expect(body.text).toStartWith("Hi <i>\n\n");
      expect(body.html).toContain("Hi &lt;i&gt;");
    }
    expectProblem(await client.post(preview, { kind: "sign-in" }), 400, "validation_failed", { pointer: "/kind" });
    const twoLines = { title: "Acme", mails: { invoice: { subject: "a\nb" } } };
    expectProblem(await client.raw("PUT", portal, JSON.stringify(twoLines)), 400, "validation_failed", {
      pointer: "/mails/invoice/subject",
    });
    expectProblem(await client.anonymous().post(preview, { kind: "invoice" }), 401, "unauthenticated");
    expect((await client.delete(portal)).status).toBe(204);
    await setProfile(client);
  });

  test("without a portal, the billing profile has the texts of the mail", async () => {
    const { client } = server;
    await setProfile(client, {
      mails: { invoice: { subject: "Hi: {subject}" }, "access-ending": { isEnabled: false } },
    });
    const { bucket } = await inTrial(monthly("30.00"));
    await moveTo(client, bucket, "2031-01-25T00:00:00.000Z");
    const all: { kind: string; subject: string }[] = await mailsOf(bucket);
    expect(all.map(({ kind }) => kind)).toEqual(["invoice", "payment-failed", "access-ended"]);
    expect(all[0]!.subject).toMatch(/^Hi: Invoice \S+ of Seller GmbH: /);
    const path = `/v1/accounts/${account}/billing-profile`;
    expect((await client.get(path)).body.mails.invoice).toEqual({ subject: "Hi: {subject}" });
    const preview = (mail: object) => client.post(`${path}/$preview-mail`, mail);
    expect((await preview({ kind: "card-expires", greeting: "Hi <i>" })).body).toMatchObject({
      subject: expect.stringMatching(/^Your card expires at the end of/),
      html: expect.stringContaining("Hi &lt;i&gt;"),
    });
    expectProblem(await preview({ kind: "welcome" }), 400, "validation_failed", { pointer: "/kind" });
    await setProfile(client);
  });

  test("a change of plans is mailed once, and not what it was before another change", async () => {
    const { client } = server;
    const { bucket, subscription } = await billed(client, start, monthly("30.00"));
    const gold = await createPlan(client, bucket, { ...monthly("50.00"), label: "Gold" });
    await ok(client.patch(`${bucket}/customers/acme`, { email }));
    const path = `${bucket}/subscriptions/${subscription.id}`;
    await ok(client.patch(path, { planExternalIds: [gold.planExternalId] }));
    await ok(client.patch(path, { planExternalIds: [gold.planExternalId] }));
    const changed = (await mailsOf(bucket)).filter(({ kind }: { kind: string }) => kind === "plan-changed");
    expect(changed).toMatchObject([{ to: email, subject: "Your plan is now Gold" }]);
  });

  test("what credits paid is listed in the mail of an invoice", async () => {
    const { client } = server;
    const { bucket } = await inTrial(monthly("31.00"));
    await ok(client.post(`${bucket}/customers/acme/grants`, { currency: "EUR", amount: "7.00", funding: "paid" }));
    await moveTo(client, bucket, "2031-01-02T00:00:00.000Z");
    const [{ subject, text }] = await mailsOf(bucket);
    expect(subject).toEndWith(": 23.00 EUR");
    expect(text).toContain("30.00 EUR\nPaid from credits: -7.00 EUR");
  });

  test("mail of other buckets is sent once, when it is due, in the account's name", async () => {
    const { client, clock } = server;
    const bucket = await newMeteringBucket(client);
    const free = await createPlan(client, bucket, { meters: { requests: { max: 1 } } });
    const plan = await createPlan(client, bucket, monthly("30.00"));
    const { id } = await subscribe(client, bucket, [free], { customerKey: "acme" });
    await ok(client.patch(`${bucket}/customers/acme`, { email }));
    await ok(client.patch(`${bucket}/subscriptions/${id}`, { planExternalIds: [plan.planExternalId] }));
    const sent = async (): Promise<string[]> => {
      await server.runTasks();
      await server.catchUp();
      const aboutMoney = smtp.to(email).filter(({ subject }) => !subject.startsWith("Your plan is now "));
      return aboutMoney.map(({ subject }) => subject.replace(/ .*/, ""));
    };
    expect(await sent()).toEqual(["Invoice"]);
    const [mail, ...others] = smtp.to(email).toSorted((one, other) => one.subject.localeCompare(other.subject));
    expect(others.map(({ subject }) => subject)).toEqual([`Your plan is now ${plan.label}`]);
    expect(mail!.from).toContain(account);
    expect(mail!.text).toContain("Please pay 30.00 EUR for invoice");
    expect(mail!.attachments).toEqual([expect.stringMatching(/^invoice-[\w-]+\.pdf$/)]);
    clock.advance(15 * day);
    expect((await sent()).slice(1)).toEqual(["Payment"]);
    clock.advance(1.5 * day);
    expect((await sent()).slice(2)).toEqual(["Your"]);
    expect(smtp.to(email).at(-1)!.subject).toBe("Your access ends tomorrow");
    clock.advance(day);
    await sent();
    expect(smtp.to(email).at(-1)!.subject).toBe("Your access has ended");
    const [invoice] = await invoicesOf(client, bucket);
    await ok(client.post(`/v1/accounts/${account}/key-buckets`, { name: "main" }));
    const { url } = await setPortal(client, { meteringBucket: bucket.split("/").at(-1)!, accentColor: "#aa0000" });
    await ok(client.post(`${bucket}/invoices/${invoice.id}/$mark-paid`));
    await sent();
    const receipt = smtp.to(email).find(({ subject }) => subject.startsWith("Receipt"))!;
    expect(receipt.url).toBe(`${url}/invoices`);
    expect(receipt.from).toContain("Weather");
    expect(receipt.html).toContain("background:#aa0000");
    expect(receipt.attachments).toEqual(mail!.attachments);
    expect(
      smtp
        .to(email)
        .slice(5)
        .map(({ subject }) => subject.slice(0, 11))
        .toSorted(),
    ).toEqual(["Receipt for", "Your access"]);
    expect(await sent()).toHaveLength(6);
    expect((await ok(client.get(`${bucket}/mails`))).total).toBe(0);
  });
});
