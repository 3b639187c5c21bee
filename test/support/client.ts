import { contractOf } from "./contract.ts";

export interface ClientResponse {
  method: string;
  /** The requested path, without the query. */
  path: string;
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: the shape was checked against /openapi.json; tests read the members that they expect.
  body: any;
  text: string;
}

export type RequestHeaders = Record<string, string>;

export interface ServerAddress {
  /** May change with a restart. */
  readonly url: string;
  /** Servers of the same build have the same contract. */
  readonly build?: string;
}

/** Calls the API like a user. Every response is validated against the server's own /openapi.json. */
export class Client {
  constructor(
    private readonly server: ServerAddress,
    readonly token?: string,
    private readonly cookie?: string,
  ) {}

  get url(): string {
    return this.server.url;
  }

  as(token: string): Client {
    return new Client(this.server, token);
  }

  anonymous(): Client {
    return new Client(this.server);
  }

  /** A browser that is signed in, on a page of the server itself. */
  withCookie(cookie: string): Client {
    return new Client(this.server, undefined, cookie);
  }

  get(path: string, headers?: RequestHeaders): Promise<ClientResponse> {
    return this.raw("GET", path, undefined, headers);
  }

  delete(path: string, headers?: RequestHeaders): Promise<ClientResponse> {
    return this.raw("DELETE", path, undefined, headers);
  }

  post(path: string, body?: unknown, headers?: RequestHeaders): Promise<ClientResponse> {
    return this.#json("POST", path, body, headers);
  }

  patch(path: string, body?: unknown, headers?: RequestHeaders): Promise<ClientResponse> {
    return this.#json("PATCH", path, body, headers);
  }

  /** Sends the body unchanged; with a Content-Type only if one is given. */
  async raw(
    method: string,
    path: string,
    body?: string | Uint8Array,
    headers?: RequestHeaders,
  ): Promise<ClientResponse> {
    const contract = await contractOf(this.server);
    const response = await fetch(this.server.url + path, {
      method,
      // A Blob has no type of its own, so that fetch adds no Content-Type.
      body: body === undefined ? undefined : new Blob([body]),
      headers: { ...this.#authorization(), ...headers },
      redirect: "manual",
      // On a connection that breaks, Bun sends a DELETE again by itself, and the response would be that of the second.
      keepalive: method !== "DELETE",
    });
    const text = await response.text();
    const received = {
      method,
      path: path.replace(/[?#].*$/s, ""),
      status: response.status,
      headers: response.headers,
      body: parsed(response, text),
      text,
    };
    contract.check(received);
    return received;
  }

  #json(method: string, path: string, body: unknown, headers?: RequestHeaders): Promise<ClientResponse> {
    if (body === undefined) return this.raw(method, path, undefined, headers);
    return this.raw(method, path, JSON.stringify(body), { "content-type": "application/json", ...headers });
  }

  #authorization(): RequestHeaders {
    if (this.cookie !== undefined) return { cookie: this.cookie, origin: this.url, "content-type": "application/json" };
    return this.token === undefined ? {} : { authorization: `Bearer ${this.token}` };
  }
}

function parsed(response: Response, text: string): unknown {
  if (text === "") return undefined;
  if (!/[/+]json\b/.test(response.headers.get("content-type") ?? "")) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${response.url} returned ${response.status} with a body that is not JSON: ${text.slice(0, 500)}`);
  }
}
