import { expect } from "bun:test";
import { createHash, randomBytes } from "node:crypto";
import { decodeJwt } from "jose";
import type { Client, ServerAddress } from "./client.ts";
import { customerBrowser, type PortalBrowser, portalPath, setPortal } from "./portal.ts";
import { requestUpload } from "./project.ts";
import { account } from "./server-settings.ts";

export const redirectUri = "http://127.0.0.1/callback";

/** A deployment without a version: OAuth needs its name and its hosts alone. */
export async function newDeployment(client: Client, project: string): Promise<string> {
  await requestUpload(client, { project, branch: "main" });
  const { body } = await client.get(`/v1/accounts/${account}/projects/${project}/deployments`);
  return body.data[0].name;
}

export interface Pkce {
  verifier: string;
  challenge: string;
}

export function newPkce(): Pkce {
  const verifier = randomBytes(32).toString("base64url");
  return { verifier, challenge: createHash("sha256").update(verifier).digest("base64url") };
}

export interface Tokens {
  access_token: string;
  refresh_token: string;
  scope: string;
  expires_in: number;
}

/** A response of an OAuth endpoint. */
export interface OAuthResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests compare it as a whole
  body: any;
}

/** A portal with OAuth, and a program that uses it. */
export class OAuthPortal {
  url = "";
  clientId = "";
  deployment = "";

  constructor(
    readonly server: ServerAddress & { client: Client },
    readonly bucket = "main",
  ) {}

  get path(): string {
    return portalPath(this.bucket);
  }

  /** Sets the portal. Its deployment is created the first time. */
  async set(oauth: object = {}, more: object = {}): Promise<void> {
    const { client } = this.server;
    if (this.deployment === "") this.deployment = await newDeployment(client, `api-of-${this.bucket}`);
    this.url = (await setPortal(client, { deployments: [this.deployment], oauth, ...more }, this.path)).url;
    if (this.clientId === "") this.clientId = (await this.newClient("Weather CLI", [redirectUri])).id;
  }

  async newClient(name: string, redirectUris: string[]) {
    const { status, body, text } = await this.server.client.post(`${this.path}/oauth-clients`, { name, redirectUris });
    expect({ status, text }).toEqual({ status: 200, text });
    return body;
  }

  /** A consumer whose key has these permissions. */
  async newCustomer(name: string, key: object = {}): Promise<void> {
    const { client } = this.server;
    const consumers = `/v1/accounts/${account}/key-buckets/${this.bucket}/consumers`;
    await client.post(consumers, { name });
    await client.post(`${consumers}/${name}/keys`, key);
  }

  browser(consumerName: string, input: object = {}): Promise<PortalBrowser> {
    return customerBrowser(this.server, this.url, consumerName, input, this.path);
  }

  /** The query of a request for a code. An undefined parameter is left out. */
  query({ challenge }: Pick<Pkce, "challenge">, more: Record<string, string | undefined> = {}): string {
    const given = {
      response_type: "code",
      client_id: this.clientId,
      redirect_uri: redirectUri,
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: "af0ifjsldkj",
      ...more,
    };
    const entries = Object.entries(given).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return new URLSearchParams(entries).toString();
  }

  /** Consents, and returns the address that the browser opens. */
  async consent(browser: PortalBrowser, query: string, isApproved = true): Promise<URL> {
    const asked = await browser.post("/oauth/request", { query });
    expect({ status: asked.status, text: asked.text }).toEqual({ status: 200, text: asked.text });
    if (asked.body.redirectTo !== undefined) return new URL(asked.body.redirectTo);
    const input = { query, consumerId: asked.body.consumer.id, isApproved };
    const { status, body, text } = await browser.post("/oauth/decision", input);
    expect({ status, text }).toEqual({ status: 200, text });
    return new URL(body.redirectTo);
  }

  async code(browser: PortalBrowser, pkce: Pkce, more: Record<string, string | undefined> = {}): Promise<string> {
    const url = await this.consent(browser, this.query(pkce, more));
    return url.searchParams.get("code")!;
  }

  /** Sends a form to an endpoint of the portal. An undefined field is left out. */
  async submit(
    path: string,
    fields: Record<string, string | undefined>,
    headers: Record<string, string> = {},
  ): Promise<OAuthResponse> {
    const entries = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined);
    return this.send(path, { method: "POST", body: new URLSearchParams(entries), headers });
  }

  async send(path: string, init: RequestInit = {}): Promise<OAuthResponse> {
    const headers = new Headers(init.headers);
    headers.set("host", new URL(this.url).host);
    const response = await fetch(this.server.url + path, { redirect: "manual", ...init, headers });
    const text = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  }

  exchange(code: string, { verifier }: Pick<Pkce, "verifier">, more: Record<string, string | undefined> = {}) {
    const fields = { grant_type: "authorization_code", code, code_verifier: verifier, redirect_uri: redirectUri };
    return this.submit("/oauth/token", { client_id: this.clientId, ...fields, ...more });
  }

  refresh(token: string, more: Record<string, string | undefined> = {}): Promise<OAuthResponse> {
    const fields = { grant_type: "refresh_token", refresh_token: token, client_id: this.clientId };
    return this.submit("/oauth/token", { ...fields, ...more });
  }

  /** The tokens of a new authorization of a customer. */
  async tokens(browser: PortalBrowser, more: Record<string, string | undefined> = {}): Promise<Tokens> {
    const pkce = newPkce();
    const { status, body } = await this.exchange(await this.code(browser, pkce, more), pkce);
    expect({ status, body }).toMatchObject({ status: 200 });
    return body;
  }

  /** The authorizations that the operator sees. */
  async authorizations(query = "") {
    return (await this.server.client.get(`${this.path}/authorizations${query}`)).body.data;
  }
}

export function authorizationIn({ access_token }: { access_token: string }): string {
  return decodeJwt(access_token).authorization as string;
}

export function expectOAuthError({ status, body }: OAuthResponse, expected: number, error: string): void {
  expect({ status, error: body.error }).toEqual({ status: expected, error });
}
