/** What modules of a gateway project are written against: types only, nothing of it is there at run time. */

/** What a handler or a policy gets beside its request. */
export interface Context {
  /** Who calls, once a policy such as `api-key` has found out. */
  readonly user?: {
    /** The name of the consumer. */
    readonly sub: string;
    /** The consumer's metadata. */
    readonly data: Record<string, unknown>;
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
 * on with its headers, path and query; nothing lets the request go on as it is. It does not see the body, which streams
 * past it.
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is a policy that lets everything pass.
export type Policy = (request: Request, context: Context) => Decision | void | Promise<Decision | void>;
