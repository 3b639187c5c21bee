import { expect } from "bun:test";
import type { Client, ClientResponse, ServerAddress } from "./client.ts";
import { contractOf } from "./contract.ts";
import { account } from "./server-settings.ts";

export const allScopes = ["keys:read", "keys:write", "usage:read", "requests:read", "plans:write", "invoices:read"];

export const portalPath = (bucket = "main", accountName = account) =>
  `/v1/accounts/${accountName}/key-buckets/${bucket}/portal`;

/** Sets the portal of a bucket, and returns it. */
export async function setPortal(
  client: Client,
  input: object = {},
  path = portalPath(),
): Promise<ClientResponse["body"]> {
  const { status, body, text } = await client.raw("PUT", path, JSON.stringify({ title: "Weather", ...input }));
  expect({ status, text }).toEqual({ status: 200, text });
  return body;
}

/** The code of a hand-off for a customer. */
export async function handOff(client: Client, consumerName: string, input: object = {}, path = portalPath()) {
  const given = { consumerName, subject: "user-1", scopes: allScopes, ...input };
  const { status, body, text } = await client.post(`${path}/sessions`, given);
  expect({ status, text }).toEqual({ status: 200, text });
  return codeIn(body.url);
}

export function codeIn(url: string): string {
  return new URLSearchParams(new URL(url).hash.slice(1)).get("code")!;
}

/** A browser at a portal: it keeps the cookie and sends the portal's Origin with every write. */
export class PortalBrowser {
  cookie: string | undefined;
  /** Of a sign-in that was started here, by mail or with the provider. */
  signInCookie: string | undefined;

  constructor(
    private readonly server: ServerAddress,
    /** The origin of the portal. */
    readonly origin: string,
  ) {}

  /** Signs in with the code of a hand-off. */
  signIn(code: string, input: object = {}): Promise<ClientResponse> {
    return this.post("/session", { code, ...input });
  }

  get(path: string, headers: Record<string, string> = {}): Promise<ClientResponse> {
    return this.send("GET", path, undefined, headers);
  }

  post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<ClientResponse> {
    return this.send("POST", path, body, headers);
  }

  /** Signs in by mail, with the code. */
  async signInByMail(
    mail: { to(address: string): { code: string | undefined }[] },
    email: string,
    sent: () => Promise<void>,
  ) {
    const { status, text } = await this.post("/sign-in", { email });
    expect({ status, text }).toEqual({ status: 202, text });
    await sent();
    return this.post("/sign-in/code", { code: mail.to(email).at(-1)?.code ?? "" });
  }

  patch(path: string, body?: unknown): Promise<ClientResponse> {
    return this.send("PATCH", path, body);
  }

  delete(path: string): Promise<ClientResponse> {
    return this.send("DELETE", path);
  }

  /** Every response is validated against the document of the portal's operations. */
  async send(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ClientResponse> {
    const contract = await contractOf(this.server, "/portal/openapi.json");
    const response = await this.fetch(`/portal/api${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      headers: {
        ...(method === "GET" ? {} : { origin: this.origin }),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
    });
    const set = response.headers.get("set-cookie");
    if (/^tollgate-portal-(sign-in|provider)=/.test(set ?? "")) this.signInCookie = set!.split(";")[0];
    else if (set !== null) this.cookie = set.includes("Max-Age=0") ? undefined : set.split(";")[0];
    const text = await response.text();
    const isJson = /[/+]json\b/.test(response.headers.get("content-type") ?? "");
    const received = {
      method,
      path: `/portal/api${path}`.replace(/[?#].*$/s, ""),
      status: response.status,
      headers: response.headers,
      body: isJson && text !== "" ? JSON.parse(text) : undefined,
      text,
    };
    contract.check(received);
    return received;
  }

  /** Any path of the portal. */
  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("host", new URL(this.origin).host);
    const cookies = [this.cookie, this.signInCookie].filter((cookie) => cookie !== undefined);
    if (cookies.length > 0 && !headers.has("cookie")) headers.set("cookie", cookies.join("; "));
    return fetch(this.server.url + path, { redirect: "manual", ...init, headers });
  }
}

/** A browser that is signed in for a customer. */
export async function customerBrowser(
  server: ServerAddress & { client: Client },
  url: string,
  consumerName: string,
  input: object = {},
  path = portalPath(),
): Promise<PortalBrowser> {
  const browser = new PortalBrowser(server, url);
  const { status, text } = await browser.signIn(await handOff(server.client, consumerName, input, path));
  expect({ status, text }).toEqual({ status: 200, text });
  return browser;
}
