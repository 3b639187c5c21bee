import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useMailServer } from "../../../../test/support/mail-server.ts";
import {
  authorizationIn,
  expectOAuthError,
  newPkce,
  OAuthPortal,
  redirectUri,
} from "../../../../test/support/oauth.ts";
import { PortalBrowser } from "../../../../test/support/portal.ts";
import { callHost, type Deployed, deploy, openApi } from "../../../../test/support/project.ts";
import { startServer, type TestServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";
import { type Received, useWebhookReceiver } from "../../../../test/support/webhook-receiver.ts";

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

const upstream = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("things") });
afterAll(() => upstream.stop(true));

eachEngine((engine) => {
  const { server: smtp, environment: mail } = useMailServer();
  const receiver = useWebhookReceiver();
  const environment = () => ({ ...mail(), TOLLGATE_EGRESS: "any" });
  let server: TestServer;
  let nodes: TestServer[];
  let portal: OAuthPortal;

  beforeAll(async () => {
    server = await startServer(engine, { environment: environment() });
    nodes = [server];
    portal = new OAuthPortal(server);
    await portal.newCustomer("acme", { permissions: ["read"] });
    await portal.set();
  });
  afterAll(() => server.stop());

  /** Each node may be the one that sends it. */
  const sendMail = async () => void (await Promise.all(nodes.map((node) => node.catchUp())));
  const manager = async (name: string) => {
    const email = `${name}@acme.example`;
    const { body } = await server.client.post(`${consumers}/acme/managers`, { sub: `sub-${name}`, email });
    const browser = new PortalBrowser(server, portal.url);
    expect((await browser.signInByMail(smtp, email, sendMail)).status).toBe(200);
    return { id: body.id as string, email, browser };
  };

  test("an authorization ends with the manager who consented, and so does that of a service client", async () => {
    const jo = await manager("jo");
    const sam = await manager("sam");
    const ended = await portal.tokens(jo.browser);
    const kept = await portal.tokens(sam.browser);
    const { body: service } = await jo.browser.post("/oauth-clients", { name: "Import" });
    const secret = { client_id: service.clientId, client_secret: service.clientSecret };
    const serviceToken = () => portal.submit("/oauth/token", { grant_type: "client_credentials", ...secret });
    expect((await serviceToken()).status).toBe(200);
    expect((await portal.authorizations()).map(({ subject }: { subject: string }) => subject).sort()).toEqual([
      jo.email,
      jo.email,
      sam.email,
    ]);
    const { data } = (await server.client.get(`/v1/accounts/${account}/audit-log?action=authorization.created`)).body;
    expect(data.at(-1)).toMatchObject({
      actor: { type: "manager", id: jo.id, name: jo.email },
      resource: { type: "authorization", id: authorizationIn(ended), name: "Weather CLI" },
    });

    await server.client.delete(`${consumers}/acme/managers/${jo.id}`);
    expectOAuthError(await portal.refresh(ended.refresh_token), 400, "invalid_grant");
    expectOAuthError(await serviceToken(), 400, "unauthorized_client");
    expect((await portal.authorizations()).map(({ id }: { id: string }) => id)).toEqual([authorizationIn(kept)]);
    expect((await portal.refresh(kept.refresh_token)).status).toBe(200);
  });

  describe("ends at once, on every node, when", () => {
    let deployed: Deployed;
    beforeAll(async () => {
      const files = {
        "openapi.json": openApi({ "/things": { "x-tollgate": { policies: ["oauth"] } } }),
        "tollgate.json": {
          upstream: upstream.url.origin,
          policies: { oauth: { type: "oauth", options: { bucket: "main" } } },
        },
      };
      deployed = await deploy(server, { project: "things", branch: "main" }, files);
      const { clock, database } = server;
      if (engine.name === "postgres")
        nodes.push(await startServer(engine, { environment: environment(), clock, database }));
    });
    afterAll(async () => {
      await nodes[1]?.stop();
      nodes = [server];
      await portal.set();
    });

    const open = (oauth: object = {}, deployments = [deployed.name, portal.deployment]) =>
      portal.set({ registration: "open", ...oauth }, { deployments });
    const call = async (node: TestServer, token: string) => {
      const init = { headers: { authorization: `Bearer ${token}` } };
      return (await callHost(node.url, new URL(deployed.url).host, "/things", init)).status;
    };
    const patch = async (id: string, scopes: string[] | null) =>
      expect((await server.client.patch(`${consumers}/acme/managers/${id}`, { scopes })).status).toBe(200);

    interface Consenter {
      id: string;
    }
    const endings: [string, (consenter: Consenter, other: PortalBrowser) => Promise<unknown>, (() => unknown)?][] = [
      ["the manager who consented leaves", ({ id }) => server.client.delete(`${consumers}/acme/managers/${id}`)],
      ["a manager removes them in the portal", ({ id }, other) => other.delete(`/people/${id}`)],
      ["they lose the scope of keys", ({ id }) => patch(id, ["keys:read", "usage:read"])],
      [
        "a manager limits them in the portal",
        ({ id }, other) => other.patch(`/people/${id}`, { scopes: ["keys:read"] }),
      ],
      ["their deployment is removed from the portal", () => open({}, [portal.deployment]), open],
      ["registration is closed", () => open({ registration: "closed" }), open],
      ["registration permits only clients with documents", () => open({ registration: "metadata" }), open],
    ];
    let count = 0;
    test.each(endings)("%s", async (what, end, restore) => {
      await open();
      const registered = { client_name: "Agent", redirect_uris: [redirectUri] };
      const { body: program } = await portal.send("/oauth/register", {
        method: "POST",
        body: JSON.stringify(registered),
      });
      const consenter = await manager(`consenter-${++count}`);
      const other = await manager(`other-${count}`);
      const more = { client_id: program.client_id, resource: deployed.url };
      const ofClient = { client_id: program.client_id };
      const pkce = newPkce();
      const issued = (await portal.exchange(await portal.code(consenter.browser, pkce, more), pkce, ofClient)).body;
      const pending = newPkce();
      const code = await portal.code(consenter.browser, pending, more);
      const kept = await portal.tokens(other.browser, { resource: deployed.url });
      for (const node of nodes)
        for (const { access_token } of [issued, kept]) expect(await call(node, access_token)).toBe(200);

      await end(consenter, other.browser);
      expect(await call(server, issued.access_token)).toBe(401);
      for (const node of nodes) await eventually(() => call(node, issued.access_token)).toBe(401);
      for (const response of [
        await portal.refresh(issued.refresh_token, ofClient),
        await portal.exchange(code, pending, ofClient),
      ])
        expect([response.status, response.body.error]).toEqual([
          400,
          expect.stringMatching(/^(invalid_grant|unauthorized_client)$/),
        ]);
      if (restore) return restore();
      // What has ended does not begin again, and other programs of the customer go on.
      expect((await portal.authorizations()).map(({ id }: { id: string }) => id)).not.toContain(
        authorizationIn(issued),
      );
      if (what.includes("limit") || what.includes("scope")) await patch(consenter.id, null);
      expect(await call(server, issued.access_token)).toBe(401);
      for (const node of nodes) expect(await call(node, kept.access_token)).toBe(200);
    });

    test("consent needs the scope when it is stored, not only when the page was shown", async () => {
      await open();
      const { id, browser } = await manager("late");
      const query = portal.query(newPkce(), { resource: deployed.url });
      const { body: shown } = await browser.post("/oauth/request", { query });
      await patch(id, ["keys:read"]);
      const decision = { query, consumerId: shown.consumer.id, isApproved: true };
      expectProblem(await browser.post("/oauth/decision", decision), 403, "portal_scope_missing");
    });
  });

  test("a portal that is deleted ends all, and another one has other keys", async () => {
    const tokens = await portal.tokens(await portal.browser("acme"));
    const kids = async () => (await portal.send("/oauth/jwks")).body.keys.map(({ kid }: { kid: string }) => kid);
    const before = await kids();
    await server.client.delete(portal.path);
    portal.clientId = "";
    await portal.set();
    expect(await portal.authorizations()).toEqual([]);
    expectOAuthError(await portal.refresh(tokens.refresh_token), 400, "invalid_grant");
    await portal.tokens(await portal.browser("acme"));
    expect(await kids()).not.toEqual(before);
  });

  test("webhooks announce created and ended authorizations, with the client", async () => {
    const types = ["authorization.created", "authorization.ended"];
    const webhooks = `/v1/accounts/${account}/webhooks`;
    const { status, text } = await server.client.post(webhooks, { url: receiver.url(), events: types });
    expect({ status, text }).toEqual({ status: 200, text });
    const issued = await portal.tokens(await portal.browser("acme"));
    await server.client.delete(`${portal.path}/authorizations/${authorizationIn(issued)}`);
    await server.catchUp();
    for (const type of types) {
      // Changes before the webhook may still be sent.
      const isOurs = ({ message }: Received) => message.type === type && message.data.id === authorizationIn(issued);
      const { message, body } = await until(() => receiver.received.find(isOurs), { what: type });
      // The end of the authorization, not that of its code.
      const expiresOn = server.clock.iso(30 * 24 * 60 * 60 * 1000);
      expect(message.data).toMatchObject({ client: { name: "Weather CLI" }, consumer: { name: "acme" }, expiresOn });
      expect(body).not.toContain(issued.access_token);
      expect(body).not.toContain(issued.refresh_token);
    }
  });
});
