import type { Connection, PreparedRequest } from "./connection.ts";
import { invalidParameter, rejection, TollgateError } from "./errors.ts";
import { rememberETag } from "./etags.ts";
import { type FetchPage, List, type Page, type PageOptions } from "./list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions, TagOptions } from "./options.ts";
import type { Operations, routes } from "./schema.gen.ts";

export interface TransportSettings {
  /** Without a trailing slash. */
  url: string;
  /** Undefined in a signed-in browser: its cookie is the credential. */
  token: string | undefined;
  /** Undefined for the token's own account. */
  account: string | undefined;
  userAgent: string | undefined;
}

type Name = keyof Operations;

/** Methods and paths of the operations that a client uses. */
export type Routes = Partial<typeof routes>;

/** The client adds the account; the other path parameters are required. */
type Params<Operation extends Name> = Omit<Operations[Operation]["params"], "accountName"> & { accountName?: string };

export type Call<Operation extends Name> = {
  query?: Omit<Operations[Operation]["query"], "tag"> & TagOptions;
  options?: CreateOptions & ChangeOptions;
  /** A POST that can be retried without an Idempotency-Key, because repeating it changes nothing. */
  isRepeatable?: boolean;
  /** A POST without a key that counts each time: it is not retried if it may have been received. */
  countsAgain?: boolean;
} & (object extends Params<Operation> ? { params?: Params<Operation> } : { params: Params<Operation> }) &
  (undefined extends Operations[Operation]["body"]
    ? { body?: Operations[Operation]["body"] }
    : { body: Operations[Operation]["body"] });

type ListOperation = { [Key in Name]: Operations[Key]["response"] extends Page<unknown> ? Key : never }[Name];
type ItemOf<Operation extends ListOperation> = Operations[Operation]["response"]["data"][number];

interface JsonResponse<Body> {
  body: Body;
  headers: Headers;
}

/** Sends the operations of the API and parses their responses. */
export class Transport {
  readonly connection: Connection;
  readonly #settings: TransportSettings;
  readonly #routes: Routes;
  #ownAccount: Promise<string> | undefined;

  constructor(settings: TransportSettings, connection: Connection, operations: Routes) {
    this.#settings = settings;
    this.connection = connection;
    this.#routes = operations;
  }

  async call<Operation extends Name>(
    operation: Operation,
    call: Call<Operation>,
  ): Promise<Operations[Operation]["response"]> {
    return (await this.send(operation, call)).body;
  }

  /** Without retries. */
  async callOnce<Operation extends Name>(
    operation: Operation,
    call: Call<Operation>,
  ): Promise<Operations[Operation]["response"]> {
    const request = await this.#prepare(operation, call);
    return (await this.connection.attempt(request, readJson<Operations[Operation]["response"]>)).body;
  }

  list<Operation extends ListOperation>(
    operation: Operation,
    { call, paging }: { call: Call<Operation>; paging: PageOptions & RequestOptions },
  ): List<ItemOf<Operation>> {
    const { limit, offset: first, ...options } = paging;
    const fetchPage = (offset: number | undefined, rankedOn?: string) => {
      const query = { ...call.query, limit, offset, ...(rankedOn !== undefined && { rankedOn }) };
      return this.call(operation, { ...call, query, options } as Call<Operation>);
    };
    return new List(fetchPage as FetchPage<ItemOf<Operation>>, first);
  }

  async send<Operation extends Name>(
    operation: Operation,
    call: Call<Operation>,
  ): Promise<JsonResponse<Operations[Operation]["response"]>> {
    const request = await this.#prepare(operation, call);
    // If the response to the first attempt was lost, the retry finds nothing to delete.
    return this.connection.send(request, (response, retry) => {
      const isAborted = request.method === "DELETE" && retry > 0 && response.status === 404;
      return isAborted ? Promise.resolve({ body: undefined, headers: response.headers }) : readJson(response);
    });
  }

  /** Sends a form without the client's token. Repeating it must be harmless. */
  async submit<Operation extends Name>(
    operation: Operation,
    fields: Record<string, string>,
    options: RequestOptions,
  ): Promise<Operations[Operation]["response"]> {
    const { method, path } = this.#routeOf(operation);
    const { url, userAgent } = this.#settings;
    const request = {
      method,
      url: `${url}${path}`,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...(userAgent !== undefined && { "user-agent": userAgent }),
      },
      body: new URLSearchParams(fields).toString(),
      isRepeatable: true,
      options,
    };
    return (await this.connection.send(request, readJson<Operations[Operation]["response"]>)).body;
  }

  /** Requests a path outside the API without a token. Returns the response whatever its status. */
  probe<Body>(path: string, options: RequestOptions | undefined): Promise<Body> {
    const request = { method: "GET", url: `${this.#settings.url}${path}`, headers: {}, isRepeatable: true, options };
    return this.connection.attempt(request, async (response) => JSON.parse(await response.text()));
  }

  /** A list as CSV. Yields one text per page; only the first has the header line. */
  async *csvPages<Operation extends ListOperation>(
    operation: Operation,
    { call, paging }: { call: Call<Operation>; paging: PageOptions & RequestOptions },
  ): AsyncGenerator<string, void, undefined> {
    const { limit, offset, ...options } = paging;
    for (
      let at: { offset: number | undefined; rankedOn?: string | undefined } = { offset }, isFirst = true;
      ;
      isFirst = false
    ) {
      const page = { ...call, query: { ...call.query, limit, ...at }, options } as Call<Operation>;
      const { text, headers } = await this.#text(operation, page, "text/csv");
      yield isFirst ? text : text.slice(text.indexOf("\n") + 1);
      const link = /<[^>?]*\?([^>]*)>; rel="next"/.exec(headers.get("link") ?? "")?.[1];
      if (link === undefined) return;
      const next = new URLSearchParams(link);
      at = { offset: Number(next.get("offset")), rankedOn: next.get("rankedOn") ?? undefined };
    }
  }

  /** A response that is not JSON, in one of the types that the operation has. */
  async text<Operation extends Name>(operation: Operation, call: Call<Operation>, type: string): Promise<string> {
    return (await this.#text(operation, call, type)).text;
  }

  async #text<Operation extends Name>(operation: Operation, call: Call<Operation>, type: string) {
    const request = await this.#prepare(operation, call);
    request.headers.accept = type;
    return this.connection.send(request, async (response) => {
      const text = await response.text();
      if (!response.ok) throw rejection(response, text);
      return { text, headers: response.headers };
    });
  }

  /** For streamed responses: the timeout ends when the response begins. */
  async open<Operation extends Name>(operation: Operation, call: Call<Operation>): Promise<Response> {
    const request = await this.#prepare(operation, call);
    return this.connection.send(request, async (response) => {
      if (!response.ok) throw rejection(response, await response.text());
      return response;
    });
  }

  /**
   * A URL that the server returned, with the origin that this client uses: the server names its public URL, which may
   * not be reachable from here.
   */
  reachable(address: string): string {
    const path = /\/v1\/.*$/.exec(address)?.[0];
    return path === undefined ? address : `${this.#settings.url}${path}`;
  }

  /** The account of the client's options, or the token's own, which is requested once. */
  account(): Promise<string> {
    const { account } = this.#settings;
    if (account !== undefined) return Promise.resolve(account);
    this.#ownAccount ??= this.call("whoAmI", {}).then(accountOf, (error) => {
      this.#ownAccount = undefined;
      throw error;
    });
    return this.#ownAccount;
  }

  /** The token's identity, which also tells its account. */
  async whoAmI(options?: RequestOptions): Promise<Operations["whoAmI"]["response"]> {
    const identity = await this.call("whoAmI", { options });
    if (identity.account !== undefined) this.#ownAccount = Promise.resolve(identity.account);
    return identity;
  }

  #routeOf(operation: Name): { method: string; path: string } {
    const [method, path] = this.#routes[operation]!.split(" ") as [string, string];
    return { method, path };
  }

  async #prepare<Operation extends Name>(operation: Operation, call: Call<Operation>): Promise<PreparedRequest> {
    const { url, token, userAgent, account } = this.#settings;
    const { method, path: template } = this.#routeOf(operation);
    const { options = {}, body } = call;
    const params: Record<string, string | undefined> = { ...call.params };
    if (template.includes("{accountName}")) params.accountName ??= await this.account();
    const path = template.replace(/\{(\w+)\}/g, (_, name) => pathSegment(name, params[name]));
    const query = new URLSearchParams([...parametersOf(call.query ?? {})]);
    // The operator has no account and must name one if the path does not.
    if (account !== undefined && !template.startsWith("/v1/accounts")) query.set("accountName", account);

    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    if (userAgent !== undefined) headers["user-agent"] = userAgent;
    if (body !== undefined) headers["content-type"] = "application/json";
    if (options.ifMatch !== undefined) headers["if-match"] = options.ifMatch;
    const needsKey = method === "POST" && !call.isRepeatable;
    if (needsKey) headers["idempotency-key"] = options.idempotencyKey ?? randomKey();
    for (const [name, value] of Object.entries(headers))
      if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
        throw invalidParameter(`${name} has characters that HTTP does not allow`);

    return {
      method,
      url: `${url}${path}${query.size > 0 ? `?${query}` : ""}`,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      // If the response to a change was lost, its retry may be rejected; the caller must check the state.
      isRepeatable: method !== "PATCH" && !call.countsAgain,
      options,
    };
  }
}

/** An empty or dotted segment would address another resource: deleting a key could delete its consumer. */
function pathSegment(name: string, value: string | undefined): string {
  if (value !== undefined && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
  throw invalidParameter(`${name} must not be ${JSON.stringify(value)}`);
}

function* parametersOf(query: object): Generator<[string, string]> {
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (typeof value !== "object") yield [name, String(value)];
    else
      for (const [tag, wanted] of Object.entries(value))
        for (const one of Array.isArray(wanted) && wanted.length > 0 ? wanted : [wanted])
          yield [`${name}.${tag}`, String(one)];
  }
}

async function readJson<Body>(response: Response): Promise<JsonResponse<Body>> {
  const text = await response.text();
  if (!response.ok) throw rejection(response, text);
  const { headers } = response;
  // By its type, an operation without a response body returns undefined.
  if (response.status === 204) return { body: undefined as Body, headers };
  let body: Body;
  try {
    body = JSON.parse(text);
  } catch {
    throw rejection(response, "");
  }
  rememberETag(body, headers.get("etag"));
  return { body, headers };
}

function accountOf(identity: Operations["whoAmI"]["response"]): string {
  if (identity.account !== undefined) return identity.account;
  throw new TollgateError({
    status: 0,
    code: "account_required",
    detail:
      "The operator's token has no account of its own. Name one: new Tollgate({ account }), or client.inAccount(name).",
  });
}

/** 128 random bits. crypto.randomUUID exists only on secure pages. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
