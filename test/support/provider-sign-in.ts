import { expect } from "bun:test";
import type { Client } from "./client.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import type { TestServer } from "./server.ts";

export const clientId = "tollgate";
export const clientSecret = "a-secret-of-the-console";

/** The settings of a server whose people sign in with the provider. */
export const settingsFor = ({ issuer }: { issuer: string }) => ({
  TOLLGATE_OIDC_ISSUER: issuer,
  TOLLGATE_OIDC_CLIENT_ID: clientId,
  TOLLGATE_OIDC_CLIENT_SECRET: clientSecret,
});

/** The server as a client of the provider, which must publish its keys again. */
export function registerClient(provider: IdentityProvider, server: TestServer): void {
  provider.people.clients.push({
    client_id: clientId,
    client_secret: clientSecret,
    token_endpoint_auth_method: "client_secret_post",
    redirect_uris: [`${server.url}/sign-in/provider/callback`],
    post_logout_redirect_uris: [`${server.url}/console/sign-in`],
  });
}

/** The page that explains why a sign-in failed. */
export const failure = (reason: string) => `/console/sign-in?error=${reason}`;

/** A browser that signs in with the provider, step by step. */
export class ProviderBrowser {
  constructor(private readonly server: () => TestServer) {}

  async begin(path = "/sign-in/provider"): Promise<{ location: string; cookie: string }> {
    const response = await fetch(this.server().url + path, { redirect: "manual" });
    return { location: response.headers.get("location")!, cookie: response.headers.getSetCookie()[0]!.split(";")[0]! };
  }

  /** The address of the callback, after the person has signed in at the provider. */
  async atProvider(location: string): Promise<string> {
    const jar = new Map<string, string>();
    let url = location;
    for (let hop = 0; hop < 12; hop += 1) {
      if (url.startsWith(this.server().url)) return url;
      const response = await fetch(url, {
        redirect: "manual",
        headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join("; ") },
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie)!;
        jar.set(name!, value!);
      }
      const next = response.headers.get("location");
      if (next === null) throw new Error(`${url} returned ${response.status}: ${await response.text()}`);
      url = new URL(next, url).href;
    }
    throw new Error("too many redirects");
  }

  async callback(url: string, cookie: string | undefined) {
    const response = await fetch(url, { redirect: "manual", headers: cookie === undefined ? {} : { cookie } });
    const session = response.headers.getSetCookie().find((each) => each.startsWith("tollgate-session="));
    return { status: response.status, location: response.headers.get("location")!, session: session?.split(";")[0] };
  }

  async signIn(path?: string): Promise<{ location: string; browser: Client | undefined }> {
    const { location, cookie } = await this.begin(path);
    const done = await this.callback(await this.atProvider(location), cookie);
    expect(done.status).toBe(302);
    const browser = done.session ? this.server().client.withCookie(done.session) : undefined;
    return { location: done.location, browser };
  }
}
