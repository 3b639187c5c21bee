import { afterAll, beforeAll, beforeEach, expect } from "bun:test";
import type { Engine } from "./engines.ts";
import { IdentityProvider, newSigningKey, type SigningKey } from "./identity-provider.ts";
import { PortalBrowser, setPortal } from "./portal.ts";
import { oidcOf, registerPortal, signInWithProvider } from "./portal-provider.ts";
import { startServer, type TestServer } from "./server.ts";
import { account } from "./server-settings.ts";

const consumers = `/v1/accounts/${account}/key-buckets/main/consumers`;

let count = 0;

/** A portal with two consumers and a free plan, whose customers sign in with an identity provider. */
export function useProviderPortal(engine: Engine) {
  let provider: IdentityProvider;
  let key: SigningKey;
  let server: TestServer;
  let url: string;
  beforeAll(async () => {
    key = await newSigningKey("one");
    provider = await IdentityProvider.start([key]);
    server = await startServer(engine);
    const { client } = server;
    for (const name of ["acme", "globex"]) await client.post(consumers, { name });
    await client.post("/v1/metering", { name: "plans" });
    const plan = { label: "Free", planExternalId: "free", meters: { requests: { max: 100 } } };
    await client.post("/v1/metering/plans/plans", plan);
    await open({});
    registerPortal(provider, url);
    await provider.publish([key]);
  });
  afterAll(async () => {
    await server.stop();
    await provider.stop();
  });
  beforeEach(async () => {
    // The provider uses the clock of the machine.
    server.clock.set(new Date().toISOString());
    provider.isDown = false;
    provider.people.idTokenSeconds = 3600;
    await open({});
  });

  const open = async (settings: object) => {
    const oidc = oidcOf(provider);
    url = (await setPortal(server.client, { meteringBucket: "plans", signUpPlan: "free", oidc, ...settings })).url;
  };
  const newBrowser = () => new PortalBrowser(server, url);
  /** The person who signs in next. */
  const person = (claims: Record<string, unknown> = {}) => {
    const email = `person-${++count}-${engine.name}@acme.example`;
    const sub = `sub-${count}-${engine.name}`;
    provider.people.claims = { sub, email, email_verified: true, ...claims };
    return { email, sub };
  };
  const addManager = async (input: object, consumer = "acme") => {
    const { status, body } = await server.client.post(`${consumers}/${consumer}/managers`, input);
    expect(status).toBe(200);
    return body.id as string;
  };
  const managerOf = async (id: string, consumer = "acme") =>
    (await server.client.get(`${consumers}/${consumer}/managers/${id}`)).body;
  const signIn = (browser = newBrowser()) => signInWithProvider(browser);
  const changes = async (limit: number) =>
    (await server.client.get(`/v1/accounts/${account}/audit-log?limit=${limit}`)).body.data as { action: string }[];

  return {
    ...{ open, newBrowser, person, addManager, managerOf, signIn, changes },
    get provider() {
      return provider;
    },
    get server() {
      return server;
    },
    get url() {
      return url;
    },
  };
}
