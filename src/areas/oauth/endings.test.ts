import { afterAll, beforeAll, expect, test } from "bun:test";
import { eachEngine } from "../../../test/support/engines.ts";
import { useMailServer } from "../../../test/support/mail-server.ts";
import { authorizationIn, expectOAuthError, OAuthPortal } from "../../../test/support/oauth.ts";
import { PortalBrowser } from "../../../test/support/portal.ts";
import { startServer, type TestServer } from "../../../test/support/server.ts";
import { account } from "../../../test/support/server-settings.ts";
import { until } from "../../../test/support/until.ts";
import { type Received, useWebhookReceiver } from "../../../test/support/webhook-receiver.ts";

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

eachEngine((engine) => {
  const { server: smtp, environment: mail } = useMailServer();
  const receiver = useWebhookReceiver();
  let server: TestServer;
  let portal: OAuthPortal;

  beforeAll(async () => {
    const environment = { ...mail(), TOLLGATE_EGRESS: "any" };
    server = await startServer(engine, { environment });
    portal = new OAuthPortal(server);
    await portal.newCustomer("acme", { permissions: ["read"] });
    await portal.set();
  });
  afterAll(() => server.stop());

  const manager = async (name: string) => {
    const email = `${name}@acme.example`;
    const { body } = await server.client.post(`${consumers}/acme/managers`, { sub: `sub-${name}`, email });
    const browser = new PortalBrowser(server, portal.url);
    expect((await browser.signInByMail(smtp, email, () => server.catchUp())).status).toBe(200);
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
