import { beforeAll, describe, expect, test } from "bun:test";
import { type Described, describedBy, filledPath, operationsOf } from "../../torture/described.ts";
import { invoicesOf, monthly, newTestBucket, setProfile } from "../support/billing.ts";
import type { ClientResponse } from "../support/client.ts";
import { eachEngine } from "../support/engines.ts";
import { expectProblem } from "../support/expect-problem.ts";
import { createPlan, subscribe } from "../support/metering.ts";
import { allScopes, customerBrowser, PortalBrowser, portalPath, setPortal } from "../support/portal.ts";
import { useServer } from "../support/server.ts";
import { account, adminToken } from "../support/server-settings.ts";
import { tableContent } from "../support/table-content.ts";

/** Bodies of the portal's operations that change something. */
const bodies: Record<string, object> = {
  createPortalKey: { description: "new" },
  updatePortalKey: { description: "taken over", isEnabled: false },
  rollPortalKey: { graceHours: 0 },
  signInToPortal: { code: "tgh_none" },
  readPortalHandoff: { code: "tgh_none" },
  tryPortalOperation: { deployment: "none", method: "GET", path: "/" },
  updatePortalPerson: { scopes: ["usage:read"] },
  invitePortalPerson: { email: "mallory@evil.example" },
  switchPortalCustomer: {},
  previewPortalPlan: { planExternalId: "gold" },
  choosePortalPlan: { planExternalId: "gold" },
  updatePortalBilling: { legalName: "Mallory" },
  readOAuthRequest: { query: "client_id=none" },
  decideOAuthRequest: { query: "client_id=none", consumerId: "csmr_none", isApproved: true },
  createPortalOAuthClient: { name: "Mallory" },
  previewPortalPack: { packExternalId: "credits" },
  buyPortalPack: { packExternalId: "credits" },
  updatePortalCredit: { topUp: null },
  updatePortalSpending: { spendCap: { amount: "1.00", action: "block" } },
};

/**
 * Operations of pages without a session. They need a code, a link, a proof, or an answer of the identity provider.
 * Those of programs need the credentials of OAuth.
 */
const openOperations = [
  "getPortalSite",
  "signInToPortal",
  "readPortalHandoff",
  "startPortalSignIn",
  "signInToPortalWithCode",
  "signInToPortalWithLink",
  "startPortalProviderSignIn",
  "signInToPortalWithProvider",
  "choosePortalCustomer",
  "signUpToPortal",
  "openPortalCheckout",
  "submitPortalCheckout",
  "getAuthorizationServerMetadata",
  "getAuthorizationServerKeys",
  "issueOAuthToken",
  "revokeOAuthToken",
  "registerOAuthClient",
];

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const buckets = `/v1/accounts/${account}/key-buckets`;
  /** Ids of other customers: of the same bucket, of the same name in another bucket, and of another account. */
  const others: {
    whose: string;
    keyId: string;
    managerId: string;
    membershipId: string;
    inviteId: string;
    invoiceId: string;
    oauthClientId: string;
    authorizationId: string;
  }[] = [];
  let url: string;
  /** Credits of the other customer, and its address. */
  let grantId: string;
  let globex: string;
  let acme: PortalBrowser;
  let document: Described;

  beforeAll(async () => {
    const idsOf = async (bucket: string, name: string) => {
      const managers = [{ sub: "theirs", email: "theirs@globex.example" }, "invited@globex.example"];
      const { body: consumer } = await client.post(`${buckets}/${bucket}/consumers`, { name, managers });
      const { body } = await client.post(`${buckets}/${bucket}/consumers/${name}/keys`, { description: "theirs" });
      const managerId = consumer.managers[0].id as string;
      const inviteId = consumer.managerInvites[0].id as string;
      return { keyId: body.id as string, managerId, membershipId: managerId, inviteId };
    };
    await setProfile(client);
    const metering = await newTestBucket(client, "2031-01-01T00:00:00.000Z");
    const meteringBucket = metering.replace("/v1/metering/", "");
    const plan = await createPlan(client, metering, { ...monthly("30.00"), isPublic: true });
    await subscribe(client, metering, [plan], { customerKey: "globex" });
    const grant = { currency: "EUR", amount: "25.00", funding: "promotional", reason: "for globex" };
    const { body: granted } = await client.post(`${metering}/customers/globex/grants`, grant);
    grantId = granted.id;
    globex = `${metering}/customers/globex`;
    const [{ id: invoiceId }] = await invoicesOf(client, metering);
    const managers = [{ sub: "ours", email: "jo@acme.example" }];
    await client.post(`${buckets}/main/consumers`, { name: "acme", managers });
    const globexIds = await idsOf("main", "globex");
    const secondIds = await idsOf("second", "acme");
    const oauth = { isEnabled: true };
    url = (await setPortal(client, { meteringBucket, oauth })).url;
    const { url: secondUrl } = await setPortal(client, { oauth }, portalPath("second"));
    /** A program that the customer connected. */
    const programOf = async (name: string, portalUrl: string, path: string) => {
      const browser = await customerBrowser(server, portalUrl, name, {}, path);
      const { body: program } = await browser.post("/oauth-clients", { name: `program of ${name}` });
      const { body: authorizations } = await browser.get("/authorizations");
      return { oauthClientId: program.id as string, authorizationId: authorizations.data[0].id as string };
    };
    const globexProgram = await programOf("globex", url, portalPath());
    others.push({ whose: "another customer", ...globexIds, ...globexProgram, invoiceId });
    const secondProgram = await programOf("acme", secondUrl, portalPath("second"));
    others.push({
      whose: "a customer of the same name in another bucket",
      ...secondIds,
      ...secondProgram,
      invoiceId,
    });
    const none = "000000000000000000000000";
    others.push({
      whose: "nobody",
      keyId: `key_${none}`,
      managerId: `mngr_${none}`,
      membershipId: `mngr_${none}`,
      inviteId: `mngi_${none}`,
      invoiceId: `inv_${none}`,
      oauthClientId: `oac_${none}`,
      authorizationId: `auth_${none}`,
    });
    acme = await customerBrowser(server, url, "acme", { scopes: [...allScopes, "people:write"] });
    document = (await (await fetch(`${server.url}/portal/openapi.json`)).json()) as Described;
  });

  const portalOperations = () =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        method: method.toUpperCase(),
        path: path.replace("/portal/api", ""),
        operationId,
      })),
    );

  /** The address of an operation with the ids of another customer. */
  const pathWith = (path: string, ids: (typeof others)[number]) =>
    path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const id = (ids as Record<string, string>)[name];
      if (id === undefined) throw new Error(`${path} has a {${name}} that this test does not know yet.`);
      return id;
    });

  test("no operation reaches anything of another customer by its id, and nothing changes", async () => {
    // The token of a payment page is its credential.
    const withId = portalOperations().filter(({ path }) => path.includes("{") && !path.startsWith("/checkouts/"));
    expect(withId.map(({ operationId }) => operationId).sort()).toEqual([
      "deletePortalKey",
      "deletePortalOAuthClient",
      "endPortalAuthorization",
      "getPortalInvoice",
      "removePortalPerson",
      "rollPortalKey",
      "switchPortalCustomer",
      "updatePortalKey",
      "updatePortalPerson",
      "withdrawPortalInvite",
    ]);
    const tables = [
      "api_keys",
      "managers",
      "manager_invites",
      "invoices",
      "subscriptions",
      "oauth_clients",
      "oauth_authorizations",
    ] as const;
    const contents = () => Promise.all(tables.map((table) => tableContent(server.database, table)));
    // Billing updates subscriptions in the background.
    await server.catchUp();
    const before = await contents();
    for (const other of others)
      for (const { method, path, operationId } of withId) {
        const { status, body } = await acme.send(method, pathWith(path, other), bodies[operationId]);
        const expected = operationId === "switchPortalCustomer" ? [403, "no_portal_access"] : [404, "not_found"];
        expect([other.whose, operationId, status, body.code]).toEqual([other.whose, operationId, ...expected]);
      }
    expect(await contents()).toEqual(before);
  });

  test("no operation has a parameter that names a customer, an account or a bucket", () => {
    const parameters = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ parameters }) => parameters.map(({ name }) => name)),
    );
    const own = [
      "keyId",
      "managerId",
      "membershipId",
      "inviteId",
      "invoiceId",
      "checkoutToken",
      "oauthClientId",
      "authorizationId",
      "offset",
      "before",
      "limit",
      "order",
      "outcome",
      "path",
      "format",
      "Idempotency-Key",
      "If-Match",
      "If-None-Match",
    ];
    expect([...new Set(parameters)].filter((name) => !own.includes(name))).toEqual([]);
  });

  test("lists have nothing of other customers", async () => {
    for (const path of [
      "/keys",
      "/requests",
      "/usage",
      "/session",
      "/apis",
      "/people",
      "/customers",
      "/plans",
      "/invoices",
      "/billing",
      "/spending",
      "/authorizations",
      "/oauth-clients",
    ]) {
      const { status, text } = await acme.get(path);
      expect([path, status]).toEqual([path, 200]);
      for (const { keyId, managerId, invoiceId, oauthClientId, authorizationId } of others) {
        expect(text).not.toContain(oauthClientId);
        expect(text).not.toContain(authorizationId);
        expect(text).not.toContain(invoiceId);
        expect(text).not.toContain(keyId);
        expect(text).not.toContain(managerId);
      }
      expect(text).not.toContain(grantId);
      expect(text).not.toContain("globex");
    }
  });

  test("a cap is that of the session's customer", async () => {
    const before = (await client.get(globex)).body;
    const spendCap = { amount: "50.00", action: "block" };
    expect((await acme.patch("/spending", { spendCap })).body).toEqual({ spendCap, credits: [] });
    expectProblem(await acme.patch("/spending", { spendCap, customerKey: "globex" }), 400, "validation_failed");
    expect((await client.get(globex)).body).toEqual(before);
    expect((await client.get(globex.replace(/globex$/, "acme"))).body.spendCap).toEqual(spendCap);
    await acme.patch("/spending", { spendCap: null });
  });

  test("every operation of the portal rejects tokens, sessions of the console, and no session", async () => {
    const console = await fetch(`${server.url}/v1/sessions`, {
      method: "POST",
      headers: { origin: server.url, "content-type": "application/json" },
      body: JSON.stringify({ token: adminToken }),
    });
    const cookie = console.headers.get("set-cookie")!.split(";")[0]!;
    const value = cookie.split("=")[1]!;
    const before = await tableContent(server.database, "api_keys");
    const credentials: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${adminToken}` },
      { cookie },
      { cookie: `tollgate-portal=${value}` },
      { cookie: `tollgate-portal=${adminToken}` },
      { cookie: acme.cookie!, authorization: `Bearer ${adminToken}` },
    ];
    const closed = portalOperations().filter(({ operationId }) => !openOperations.includes(operationId));
    expect(portalOperations()).toHaveLength(closed.length + openOperations.length);
    for (const { method, path, operationId } of closed)
      for (const headers of credentials) {
        const stranger = new PortalBrowser(server, url);
        const filled = pathWith(path, others[0]!);
        const response = await stranger.send(method, filled, bodies[operationId], headers);
        expect([operationId, response.status, response.body.code]).toEqual([operationId, 401, "session_required"]);
      }
    expect(await tableContent(server.database, "api_keys")).toEqual(before);
  });

  describe("every operation of the management API rejects a portal session", () => {
    test.each(["tollgate-portal", "tollgate-session", "__Host-tollgate", "__Host-tollgate-portal"])(
      "every operation of the management API rejects a portal session in the cookie %s",
      async (name) => {
        const cookie = `${name}=${acme.cookie!.split("=")[1]}`;
        const all = operationsOf(await describedBy(server));
        const isOpen = ({ operation }: (typeof all)[number]) => operation.security?.length === 0;
        // They need no credential, or have it in their address.
        const open = all.filter(isOpen).map(({ operation }) => operation.operationId);
        expect(open.sort()).toEqual(["getSignInMethods", "uploadSource"]);
        const operations = all.filter((each) => !isOpen(each));
        expect(operations.length).toBeGreaterThan(100);
        const rejected: Record<string, number> = {};
        for (const { method, template, operation } of operations) {
          const path = filledPath(template, (parameter) => (parameter === "accountName" ? account : "main"));
          const headers = { cookie, origin: server.url, "content-type": "application/json" };
          const hasBody = operation.requestBody !== undefined;
          const response: ClientResponse = await client
            .anonymous()
            .raw(method, path, hasBody ? "{}" : undefined, headers);
          rejected[operation.operationId] = response.status;
        }
        expect([...new Set(Object.values(rejected))]).toEqual([401]);
      },
    );

    test("the management API rejects a portal session as a bearer token", async () => {
      const value = acme.cookie!.split("=")[1]!;
      expectProblem(await client.as(value).get("/v1/who-am-i"), 401, "unauthenticated");
    });
  });

  test("hostile texts of customers are stored and returned as they are", async () => {
    const hostile = `<script>alert(1)</script>"'\u2028\u202e`;
    const browser = await customerBrowser(server, url, "acme", { subject: hostile });
    const { body, headers } = await browser.post("/keys", { description: hostile });
    expect(body.description).toBe(hostile);
    expect(headers.get("content-type")).toBe("application/json");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    const { body: log } = await client.get(`/v1/accounts/${account}/audit-log?limit=1`);
    expect(log.data[0].actor).toMatchObject({ type: "manager", id: hostile });
    expectProblem(await browser.post("/keys", { description: "\0" }), 400, "validation_failed");
    await browser.delete(`/keys/${body.id}`);
  });
});
