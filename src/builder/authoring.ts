/** The types that modules of a gateway project import. They have no run-time code. */

/** The second argument of a handler or a policy. */
export interface Context {
  /** The caller, set by a policy such as `api-key`. */
  readonly user?: {
    /** The name of the consumer. */
    readonly sub: string;
    /** The consumer's metadata. */
    readonly data: Record<string, unknown>;
    /** The id of the API key. */
    readonly keyId?: string;
    /** The permissions of the API key. */
    readonly permissions?: readonly string[];
    /** After `quota` or `usage`: the external id of the subscription's first plan. */
    readonly plan?: string;
    /** After `quota` or `usage`: the features of the subscription's plans. */
    readonly features?: Readonly<Record<string, true | number | string>>;
  };
  /** The decoded parameters of the path. */
  readonly params: Readonly<Record<string, string>>;
  /** The id that the caller gets as `x-request-id`. */
  readonly requestId: string;
  readonly route: { readonly path: string; readonly method: string; readonly operationId?: string };
  /** The values of `environment` in tollgate.json. */
  readonly environment: Readonly<Record<string, string>>;
  /** Writes to the deployment's log, like `console`. */
  readonly log: Log;
  /** For a policy: its options in tollgate.json. */
  readonly options?: unknown;
  /** For a policy with `onResponse`: a value passed from the request to the response, as JSON of at most 4 KiB. */
  // biome-ignore lint/suspicious/noExplicitAny: the policy chooses the type of its state.
  state?: any;
  /** Keeps work running after the response was sent. */
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
 * Guards a route: the default export of a module that a policy names as its type. A returned Response is sent at once.
 * A returned Request replaces headers, path and query, and the body if it has one. Without a return value the request
 * continues unchanged. The body is only available if the policy has `"body": {"request": "buffer" | "stream"}` beside
 * its type.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a policy without a return value lets the request continue.
export type Policy = (request: Request, context: Context) => Decision | void | Promise<Decision | void>;

/**
 * Changes responses: the export `onResponse` of a policy's module. A returned Response replaces status, headers and, if
 * it has another one, the body. Without a return value the response is unchanged. The body is only available if the
 * policy has `"body": {"response": "buffer" | "stream"}` beside its type. The request is the one that the policy
 * received, without its body.
 */
export type OnResponse = (
  response: Response,
  request: Request,
  context: Context,
  // biome-ignore lint/suspicious/noConfusingVoidType: a function without a return value leaves the response unchanged.
) => Response | undefined | void | Promise<Response | undefined | void>;
