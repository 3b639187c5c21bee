import { beforeAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Glob } from "bun";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import { sqlite } from "../../../../test/support/engines.ts";
import { freePort } from "../../../../test/support/free-port.ts";
import { authorizationIn, OAuthPortal } from "../../../../test/support/oauth.ts";
import { useServer } from "../../../../test/support/server.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";

const redirectUri = "http://127.0.0.1:49152/callback";
const conformance = fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js"));

// What programs see does not depend on the engine.
const server = useServer(sqlite);
const portal = new OAuthPortal(server);

beforeAll(async () => {
  await portal.newCustomer("acme", { permissions: ["read", "write"] });
  await portal.set({ registration: "open" });
});

/** What the browser does: the customer consents, and the address of the redirect is returned. */
const consented = async (address: URL) => portal.consent(await portal.browser("acme"), address.search.slice(1));

test("openid-client discovers the portal, gets tokens with PKCE, refreshes and revokes them", async () => {
  const options = { algorithm: "oauth2" as const, execute: [openid.allowInsecureRequests] };
  const config = await openid.discovery(new URL(portal.url), portal.clientId, undefined, openid.None(), options);
  const verifier = openid.randomPKCECodeVerifier();
  const state = openid.randomState();
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope: "read",
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
  });
  const returned = await consented(address);
  const tokens = await openid.authorizationCodeGrant(config, returned, {
    pkceCodeVerifier: verifier,
    expectedState: state,
  });
  expect(tokens).toMatchObject({ token_type: "bearer", scope: "read", expires_in: 900 });
  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token!);
  expect(authorizationIn(refreshed)).toBe(authorizationIn(tokens));
  await openid.tokenRevocation(config, refreshed.refresh_token!);
  await expect(openid.refreshTokenGrant(config, refreshed.refresh_token!)).rejects.toMatchObject({
    error: "invalid_grant",
  });

  // Mix-up: a response that names another issuer is not used.
  const other = await consented(address);
  other.searchParams.set("iss", "https://evil.example");
  const checks = { pkceCodeVerifier: verifier, expectedState: state };
  await expect(openid.authorizationCodeGrant(config, other, checks)).rejects.toThrow();
});

test("openid-client authenticates a service client with its secret, in the header and in the form", async () => {
  const { body } = await (await portal.browser("acme")).post("/oauth-clients", { name: "Import" });
  for (const method of [openid.ClientSecretBasic, openid.ClientSecretPost]) {
    const config = await openid.discovery(new URL(portal.url), body.clientId, undefined, method(body.clientSecret), {
      algorithm: "oauth2",
      execute: [openid.allowInsecureRequests],
    });
    expect((await openid.clientCredentialsGrant(config, { scope: "write" })).scope).toBe("write");
  }
});

test("oauth4webapi registers itself, and validates the access token as RFC 9068 describes it", async () => {
  const insecure = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(portal.url);
  const discovery = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  const as = await oauth.processDiscoveryResponse(issuer, discovery);
  const registration = { client_name: "Agent", redirect_uris: [redirectUri], token_endpoint_auth_method: "none" };
  const registered = await oauth.dynamicClientRegistrationRequest(as, registration, insecure);
  const client = await oauth.processDynamicClientRegistrationResponse(registered);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const address = new URL(as.authorization_endpoint!);
  address.search = new URLSearchParams({
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: redirectUri,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
  }).toString();
  const parameters = oauth.validateAuthResponse(as, client, await consented(address), state);
  const request = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    oauth.None(),
    parameters,
    redirectUri,
    verifier,
    insecure,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(as, client, request);
  const atDeployment = new Request("https://api.example/", {
    headers: { authorization: `Bearer ${tokens.access_token}` },
  });
  // The token is of the server's time in this test.
  const skew = { [oauth.clockSkew]: Math.round((server.clock.now() - Date.now()) / 1000) };
  const claims = await oauth.validateJwtAccessToken(as, atDeployment, portal.deployment, { ...insecure, ...skew });
  expect(claims).toMatchObject({ client_id: client.client_id, aud: portal.deployment, scope: "read write" });
});

test("the conformance suite of MCP accepts the portal as an authorization server", async () => {
  const [folder, port] = await Promise.all([temporaryFolder("conformance"), freePort()]);
  const resource = `${portal.url.replace(/\/\/[^:]+/, `//${portal.deployment}.localhost`)}/mcp`;
  const settings = { url: portal.url, "client-id": portal.clientId, resource, port: String(port) };
  const options = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  const suite = Bun.spawn([process.execPath, conformance, "authorization", ...options, "--output-dir", folder.path], {
    stdout: "pipe",
    stderr: "inherit",
  });
  let text = "";
  for await (const piece of suite.stdout.pipeThrough(new TextDecoderStream())) {
    const address = /^http\S+\/oauth\/authorize\?\S+(?=\n)/m;
    const isAsked = !address.test(text) && address.test(`${text}${piece}`);
    text += piece;
    if (isAsked) await fetch(await consented(new URL(address.exec(text)![0])));
  }
  expect({ status: await suite.exited, text }).toEqual({ status: 0, text });
  const checks = [...new Glob("**/checks.json").scanSync(folder.path)].sort().flatMap((path) => {
    const found = JSON.parse(readFileSync(join(folder.path, path), "utf8")) as { id: string; status: string }[];
    return found.map(({ id, status }) => ({ id, status }));
  });
  await folder.remove();
  expect(checks).toEqual([
    { id: "authorization-code-grant", status: "SUCCESS" },
    { id: "authorization-server-metadata", status: "SUCCESS" },
    { id: "authorization-server-metadata-cimd", status: "SUCCESS" },
  ]);
});
