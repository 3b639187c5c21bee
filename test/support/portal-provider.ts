import { expect } from "bun:test";
import type { ClientResponse } from "./client.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import type { PortalBrowser } from "./portal.ts";

export const portalClientId = "portal";
export const portalClientSecret = "a-secret-of-the-portal";

/** The `oidc` settings of a portal. */
export const oidcOf = ({ issuer }: { issuer: string }) => ({
  issuer,
  clientId: portalClientId,
  clientSecret: portalClientSecret,
});

/** The portal as a client of the provider, which must publish its keys again. */
export function registerPortal(provider: IdentityProvider, url: string): void {
  provider.people.clients.push({
    client_id: portalClientId,
    client_secret: portalClientSecret,
    token_endpoint_auth_method: "client_secret_post",
    redirect_uris: [`${url}/sign-in/provider/callback`],
    post_logout_redirect_uris: [`${url}/`],
  });
}

/** Begins a sign-in. Returns the provider's address. */
export async function begin(browser: PortalBrowser, to?: string): Promise<string> {
  const { status, body, text } = await browser.post("/sign-in/provider", to === undefined ? {} : { to });
  expect({ status, text }).toEqual({ status: 200, text });
  return body.url;
}

/** The query of the callback, after the person has signed in at the provider. */
export async function atProvider(browser: PortalBrowser, location: string): Promise<string> {
  const jar = new Map<string, string>();
  let url = location;
  for (let hop = 0; hop < 12; hop += 1) {
    if (url.startsWith(browser.origin)) {
      expect(new URL(url).pathname).toBe("/sign-in/provider/callback");
      return new URL(url).search.slice(1);
    }
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const each of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!;
      jar.set(name!, value!);
    }
    const next = response.headers.get("location");
    if (next === null) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
    url = new URL(next, url).href;
  }
  throw new Error("too many redirects");
}

export function finish(browser: PortalBrowser, query: string): Promise<ClientResponse> {
  return browser.post("/sign-in/provider/callback", { query });
}

/** Signs in with the provider, as the person whose claims it has. */
export async function signInWithProvider(browser: PortalBrowser, to?: string): Promise<ClientResponse> {
  return finish(browser, await atProvider(browser, await begin(browser, to)));
}
