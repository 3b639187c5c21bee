/** What modules of a gateway project are written against: types only, nothing of it is there at run time. */

/** What a handler or a policy gets beside its request. */
export interface Context {
  /** Who calls, once a policy such as `api-key` has found out. */
  readonly user?: {
    /** The name of the consumer. */
    readonly sub: string;
    /** The consumer's metadata. */
    readonly data: Record<string, unknown>;
    /** The id of the API key. */
    readonly keyId?: string;
    /** Of the API key. */
    readonly permissions?: readonly string[];
  };
  /** The decoded parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The same that the caller gets as `x-request-id`. */
  readonly requestId: string;
  readonly route: { readonly path: string; readonly method: string; readonly operationId?: string };
  /** The values of `environment` in tollgate.json. */
  readonly environment: Readonly<Record<string, string>>;
  /** Lines of the deployment's log. `console` writes to the same. */
  readonly log: Log;
  /** Of a policy: its options in tollgate.json. */
  readonly options?: unknown;
  /** Of a policy with `onResponse`: passed from the request to the response, as JSON of at most 4 KiB. */
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is up to the policy.
  state?: any;
  /** Lets work go on after the response was sent. */
  waitUntil(promise: Promise<unknown>): void;
}

export interface Log {
  debug(...values: unknown[]): void;
  info(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
}

/** Handles requests: the default export of a module that a route names as its handler. */
export type Handler = (request: Request, context: Context) => Response | Promise<Response>;

type Decision = Response | Request | undefined;

/**
 * Guards a route: the default export of a module that a policy names as its type. A Response is sent at once; a Request goes
 * on with its headers, path and query, and with its body if it has one; nothing lets the request go on as it is. It sees the
 * body only if `"body": {"request": "buffer" | "stream"}` stands beside its type.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is a policy that lets everything pass.
export type Policy = (request: Request, context: Context) => Decision | void | Promise<Decision | void>;

/**
 * Changes responses: the export `onResponse` of a policy's module. A Response replaces status, headers and, if it has another one,
 * the body; nothing leaves the response as it is. It sees the body only if `"body": {"response": "buffer" | "stream"}` stands
 * beside the policy's type. The request is as the policy got it, without its body.
 */
export type OnResponse = (
  response: Response,
  request: Request,
  context: Context,
  // biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing leaves the response as it is.
) => Response | undefined | void | Promise<Response | undefined | void>;
