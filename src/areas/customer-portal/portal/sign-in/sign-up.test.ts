import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { useMailServer } from "../../../../../test/support/mail-server.ts";
import { PortalBrowser, portalPath, setPortal } from "../../../../../test/support/portal.ts";
import { startServer, type TestServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../../test/support/table-content.ts";

const bucket = `/v1/accounts/${account}/key-buckets/main`;
const requests = `${portalPath()}/access-requests`;

let count = 0;
const address = (domain = "acme.example") => `visitor-${++count}@${domain}`;

eachEngine((engine) => {
  const { server: smtp, environment: mail } = useMailServer();
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    server = await startServer(engine, { environment: mail() });
    const { client } = server;
    await client.post(`${bucket}/consumers`, { name: "acme" });
    await client.post("/v1/metering", { name: "plans" });
    const meters = { requests: { max: 100 } };
    await client.post("/v1/metering/plans/plans", { label: "Free", planExternalId: "free", meters });
  });
  afterAll(() => server.stop());
  beforeEach(() => void server.clock.advance(20 * 60_000));

  const open = async (settings: object) => {
    url = (await setPortal(server.client, { meteringBucket: "plans", signUpPlan: "free", ...settings })).url;
  };
  const newBrowser = () => new PortalBrowser(server, url);
  const proven = async (email = address(), browser = newBrowser()) => {
    const { body } = await browser.signInByMail(smtp, email, () => server.catchUp());
    return { email, browser, body };
  };

  describe("open", () => {
    beforeEach(() => open({ signUp: "open" }));

    test("creates a customer with a random name, a subscription, a first key and its manager", async () => {
      const { email, browser, body } = await proven();
      expect(smtp.to(email).at(-1)!.subject).toBe("Create an account at Weather");
      expect(body).toEqual({ proof: expect.stringMatching(/^tgpp_/), email, signUp: "open" });
      expectProblem(await browser.get("/session"), 401, "session_required");
      const { body: created, headers } = await browser.post("/sign-up", { proof: body.proof, name: " Acme GmbH " });
      expect(headers.get("cache-control")).toBe("no-store");
      expect(created.key).toMatch(/^tg_/);
      expect(created).toMatchObject({
        isRequested: false,
        session: { consumer: { name: "Acme GmbH" }, subject: email, isManager: true },
      });
      const { data } = (await server.client.get(`${bucket}/consumers?manager-email=${email}&include-managers=true`))
        .body;
      expect(data).toHaveLength(1);
      const [consumer] = data;
      expect(consumer).toMatchObject({ displayName: "Acme GmbH", managers: [{ email }] });
      expect(consumer.name).toMatch(/^customer-[0-9a-f]{16}$/);
      expect(consumer.name).not.toContain(email.split("@")[0]);
      const verified = await server.client.post(`${bucket}/verify-key`, { key: created.key });
      expect(verified.body).toMatchObject({ valid: true, keyId: created.keyId, consumer: { name: consumer.name } });
      const subscriptions = await server.client.get(`/v1/metering/plans/subscriptions?customerKey=${consumer.name}`);
      expect(subscriptions.body.data).toMatchObject([{ status: "active", planExternalIds: ["free"] }]);
      expect((await browser.get("/usage")).body).toMatchObject({ meters: { requests: { max: 100 } } });
      const details = { email, legalName: "Acme GmbH" };
      expect((await browser.get("/billing")).body).toEqual({ ...details, isRequired: false });
      const { body: customer } = await server.client.get(`/v1/metering/plans/customers/${consumer.name}`);
      expect(customer).toMatchObject(details);
      const { body: log } = await server.client.get(`/v1/accounts/${account}/audit-log?limit=20`);
      const entry = log.data.find((each: { action: string }) => each.action === "consumer.created");
      expect(entry.actor).toEqual({ type: "manager", id: email, name: email });
      await server.catchUp();
      expect(smtp.to(email).at(-1)).toMatchObject({ subject: "Welcome to Weather", url: `${url}/` });
      // The proof is used up, and the person signs in from now on.
      expectProblem(await newBrowser().post("/sign-up", { proof: body.proof }), 401, "proof_invalid");
      expect((await proven(email)).body.session).toMatchObject({ consumer: { name: "Acme GmbH" } });
      expect(smtp.to(email).at(-1)!.subject).toBe("Sign in to Weather");
    });

    test("two proofs of a person create one customer", async () => {
      const email = address();
      const proofs = [(await proven(email)).body.proof, (await proven(email)).body.proof];
      const responses = await Promise.all(proofs.map((proof) => newBrowser().post("/sign-up", { proof })));
      expect(responses.map(({ status }) => status)).toEqual([200, 200]);
      expect(responses.filter(({ body }) => body.key !== undefined)).toHaveLength(1);
      expect((await server.client.get(`${bucket}/consumers?manager-email=${email}`)).body.total).toBe(1);
    });

    test("is rejected whole if the plan no longer exists", async () => {
      const meters = { requests: { max: 1 } };
      const brief = { label: "Brief", planExternalId: "brief", meters };
      const { body: plan } = await server.client.post("/v1/metering/plans/plans", brief);
      await open({ signUp: "open", signUpPlan: "brief" });
      await server.client.delete(`/v1/metering/plans/plans/${plan.id}`);
      const { browser, body, email } = await proven();
      expectProblem(await browser.post("/sign-up", { proof: body.proof }), 409, "sign_up_unavailable");
      expect((await server.client.get(`${bucket}/consumers?manager-email=${email}`)).body.total).toBe(0);
      await open({ signUp: "open" });
      expect((await browser.post("/sign-up", { proof: body.proof })).status).toBe(200);
    });
  });

  test("closed: no mail is sent to others, and a proof from before no longer creates a customer", async () => {
    await open({ signUp: "open" });
    const { browser, body } = await proven();
    await open({ signUp: "closed" });
    expectProblem(await browser.post("/sign-up", { proof: body.proof }), 403, "no_portal_access");
    const email = address();
    await newBrowser().post("/sign-in", { email });
    await server.catchUp();
    expect(smtp.to(email)).toEqual([]);
  });

  const hostileNames = [
    ["a line break", "Acme\n\nYour account is locked"],
    ["a line separator", "Acme\u2028Your account is locked"],
    ["a bidirectional control", "Acme \u202emoc.elpmaxe"],
    ["an isolate", "\u2066Acme"],
    ["an invisible character", "Ac\u200bme"],
    ["a filler without a width", "\u3164\u3164"],
    ["joiners alone", "\u200d\u200c"],
    ["a link", "Visit https://evil.example/x"],
    ["a link without a domain", "Visit http://1.2.3.4"],
    ["a domain", "evil.example"],
    ["a mail address", "help@evil.example"],
    ["an ideographic full stop in a domain", "evil\u3002example"],
  ] as const;

  test.each(hostileNames)(
    "a name with %s is rejected wherever it is given: mail to strangers has it",
    async (_, name) => {
      await open({ signUp: "open" });
      const { browser, body, email } = await proven();
      expectProblem(await browser.post("/sign-up", { proof: body.proof, name }), 400, "validation_failed", {
        pointer: "/name",
      });
      expect((await server.client.get(`${bucket}/consumers?manager-email=${email}`)).body.total).toBe(0);
      const before = (await server.client.get(requests)).body.total;
      const given = await server.client.post(requests, { email: address(), name });
      expectProblem(given, 400, "validation_failed", { pointer: "/name" });
      expect((await server.client.get(requests)).body.total).toBe(before);
      // The proof is still valid, and other names of any script pass.
      const names = ["St. Jo & Söhne e.V.", "東京ガス株式会社", "می\u200cخواهم", "🏳️‍🌈 J.P. Co."];
      const accepted = names[hostileNames.findIndex((each) => each[1] === name) % names.length];
      const { session } = (await browser.post("/sign-up", { proof: body.proof, name: accepted })).body;
      expect(session.consumer.name).toBe(accepted);
      const invited = address();
      expect((await browser.post("/invites", { email: invited })).status).toBe(200);
      await server.catchUp();
      const [mail] = smtp.to(invited);
      expect(mail!.text).toContain(`the API keys and usage of ${accepted} at Weather`);
    },
  );

  test("domains: only addresses of these domains get a mail", async () => {
    await open({ signUp: "domains", allowedDomains: ["Initech.example"] });
    expect((await proven(address("initech.example"))).body).toMatchObject({ signUp: "open" });
    for (const domain of ["acme.example", "sub.initech.example", "initech.example.evil.example"]) {
      const email = address(domain);
      expect((await newBrowser().post("/sign-in", { email })).status).toBe(202);
      await server.catchUp();
      expect(smtp.to(email)).toEqual([]);
    }
  });

  describe("approval", () => {
    beforeEach(() => open({ signUp: "approval" }));
    const requested = async () => {
      const { email, browser, body } = await proven();
      expect(body).toMatchObject({ signUp: "approval" });
      const input = { proof: body.proof, name: "Initech", note: "Weather for our app" };
      expect((await browser.post("/sign-up", input)).body).toEqual({ isRequested: true });
      const { data } = (await server.client.get(`${requests}?state=pending&limit=1000`)).body;
      return { email, browser, request: data.find((each: { email: string }) => each.email === email) };
    };

    test("a person asks for access, and gets a customer and a mail when it is approved", async () => {
      const { email, browser, request } = await requested();
      expect(request).toMatchObject({ email, name: "Initech", note: "Weather for our app", state: "pending" });
      expect((await server.client.get(`${bucket}/consumers?manager-email=${email}`)).body.total).toBe(0);
      expectProblem(await browser.get("/session"), 401, "session_required");
      expect((await proven(email)).body).toMatchObject({ signUp: "pending" });
      const { body: approved } = await server.client.post(`${requests}/${request.id}/$approve`);
      expect(approved).toMatchObject({ state: "approved", consumerName: expect.stringMatching(/^customer-/) });
      await server.catchUp();
      expect(smtp.to(email).at(-1)!).toMatchObject({ subject: "You have access to Weather", url: `${url}/sign-in` });
      const { body, browser: later } = await proven(email);
      expect(body.session).toMatchObject({ consumer: { name: "Initech" } });
      expect((await later.get("/keys")).body.data).toEqual([]);
      expect((await later.post("/keys", {})).status).toBe(200);
      expectProblem(await server.client.post(`${requests}/${request.id}/$deny`), 409, "access_request_decided");
      expectProblem(await server.client.post(`${requests}/${request.id}/$approve`), 409, "access_request_decided");
    });

    test("a person whose approved customer was deleted can ask again", async () => {
      const { email, request } = await requested();
      const { body: approved } = await server.client.post(`${requests}/${request.id}/$approve`);
      expect((await server.client.delete(`${bucket}/consumers/${approved.consumerName}`)).status).toBe(204);
      const { body, browser } = await proven(email);
      expect(body).toMatchObject({ signUp: "approval" });
      expect((await browser.post("/sign-up", { proof: body.proof })).body).toEqual({ isRequested: true });
      const again = await server.client.get(`${requests}?state=pending&limit=1000`);
      const own = again.body.data.filter((each: { email: string }) => each.email === email);
      expect(own).toMatchObject([{ id: request.id, state: "pending" }]);
      expect(own[0].consumerName).toBeUndefined();
      expect((await server.client.post(`${requests}/${request.id}/$approve`)).body).toMatchObject({
        state: "approved",
      });
    });

    test("a denied person gets no mail about it, and cannot ask again", async () => {
      const { email, request } = await requested();
      const sent = smtp.to(email).length;
      expect((await server.client.post(`${requests}/${request.id}/$deny`)).body.state).toBe("denied");
      await server.catchUp();
      expect(smtp.to(email)).toHaveLength(sent);
      const { body, browser } = await proven(email);
      expect(body).toMatchObject({ signUp: "denied" });
      await browser.post("/sign-up", { proof: body.proof });
      const { data } = (await server.client.get(`${requests}?limit=1000`)).body;
      const own = data.filter((each: { email: string }) => each.email === email);
      expect(own).toMatchObject([{ state: "denied" }]);
      const { body: log } = await server.client.get(
        `/v1/accounts/${account}/audit-log?action=access-request.denied&limit=1`,
      );
      expect(log.data).toMatchObject([{ resource: { type: "access-request", id: request.id, name: email } }]);
    });

    test("a request that arrived elsewhere is recorded once, and approved like others", async () => {
      const email = address();
      const { body } = await server.client.post(requests, {
        email: email.toUpperCase().replace("@ACME.EXAMPLE", "@acme.example"),
        note: "By phone",
      });
      expect(body).toMatchObject({ email, note: "By phone", state: "pending" });
      expect((await server.client.post(requests, { email })).body.id).toBe(body.id);
      await server.client.post(`${requests}/${body.id}/$approve`);
      expect((await proven(email)).body.session).toMatchObject({ subject: email });
      expectProblem(await server.client.post(requests, { email: "x" }), 400, "validation_failed", {
        pointer: "/email",
      });
    });

    test("only editors of the account decide, and nothing changes when they may not", async () => {
      const { request } = await requested();
      const path = `${requests}/${request.id}/$approve`;
      const before = await tableContent(server.database, "portal_access_requests");
      const reader = await callerWithRole(server.client, "reader");
      expect((await reader.get(requests)).status).toBe(200);
      expectProblem(await reader.post(path), 403, "forbidden");
      expectProblem(await server.client.anonymous().post(path), 401, "unauthenticated");
      const stranger = await strangerOf(server.client, `access-${engine.name}`);
      expectProblem(await stranger.post(path), 404, "not_found");
      expectProblem(await stranger.get(requests), 404, "not_found");
      expectProblem(await server.client.post(`${requests}/preq_none/$approve`), 404, "not_found");
      expectProblem(await server.client.get(`${requests}?state=open`), 400, "validation_failed");
      expect(await tableContent(server.database, "portal_access_requests")).toEqual(before);
    });
  });

  describe("settings that do not fit are rejected:", () => {
    test.each([
      ["an unknown mode", { signUp: "maybe" }, "/signUp"],
      ["domains without any", { signUp: "domains" }, "/allowedDomains"],
      ["a domain that is none", { signUp: "domains", allowedDomains: ["@acme"] }, "/allowedDomains/0"],
      ["a plan without a metering bucket", { signUpPlan: "free" }, "/signUpPlan"],
      ["a plan that does not exist", { meteringBucket: "plans", signUpPlan: "gold" }, "/signUpPlan"],
    ])("%s", async (_, input, pointer) => {
      const body = JSON.stringify({ title: "Weather", ...input });
      expectProblem(await server.client.raw("PUT", portalPath(), body), 400, "validation_failed", { pointer });
    });
  });
});
