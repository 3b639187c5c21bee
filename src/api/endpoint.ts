import type { z } from "zod";
import type { Access, AccountReference, Act, Caller } from "../core/access/access.ts";
import type { ProblemCode } from "../core/problems/catalogue.ts";
import type { Precondition, Revision } from "../lib/etag.ts";
import type { Paging } from "../lib/paging.ts";
import type { HttpRequest } from "../platform/http1/http-request.ts";
import type { HttpResponse } from "../platform/http1/http-response.ts";
import type { Reads, WriteTransaction } from "../platform/storage/storage.ts";
import { listOf, paging } from "./schemas.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `{a}/{b}` in a path template are parameters of the request. */
export type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & PathParameters<Rest>
  : object;

export type TagFilter = { name: string; value: string }[];

/** What a handler is given: everything checked, everything typed. */
export interface Input<Path extends string, Query, Body> {
  params: PathParameters<Path>;
  query: Query;
  /** `tag.<name>=<value>` parameters. */
  tags: TagFilter;
  body: Body;
  caller: Caller;
  /** The account that the path, the token or `?accountName=` names. */
  account: AccountReference;
  /** The same with who acts and when: what rules want to know. */
  act: Act;
  /** Checks If-Match; without that header it always holds. */
  precondition: Precondition;
  reads: Reads;
}

export interface Reply<Body> {
  body?: Body;
  revision?: Revision;
  /** The body holds more than the revision covers, so the ETag must cover the body. */
  composed?: boolean;
  headers?: Record<string, string>;
  /** Instead of a body: its text, for what is answered again and again and passed the response schema long ago. */
  text?: string;
}

export interface Page<Item> {
  data: Item[];
  total: number;
}

interface Description<Path extends string, Query extends z.ZodType, Body extends z.ZodType> {
  operationId: string;
  path: Path;
  area: string;
  summary: string;
  description?: string;
  access: Access;
  query?: Query;
  /** Acts in an account that its path does not name: the token's, or for the operator the one in `?accountName=`. */
  inAccountOfCaller?: boolean;
  /** Takes `tag.<name>=<value>` parameters. */
  takesTags?: boolean;
  /** For this server's own pages alone: the `Origin` must be ours and the body JSON. */
  isForOwnPages?: boolean;
  body?: Body;
  /** Bulk operations take 10 MiB, all others 1 MiB. */
  largeBody?: boolean;
  /** Takes a body that is not JSON: its media type. */
  bodyType?: string;
  /** May answer as an endless stream too: its media type. */
  streamType?: string;
  /** What it refuses with beyond what every endpoint does. */
  problems?: ProblemCode[];
  examples?: { request?: unknown; response?: unknown };
}

type Handler<Parameters, Result> = (input: Parameters) => Result | Promise<Result>;

/** An endpoint with its types erased: what the server, the OpenAPI document and the log work from. */
export interface Endpoint extends Description<string, z.ZodType, z.ZodType> {
  method: Method;
  response: z.ZodType | undefined;
  isList: boolean;
  express?: Express<string> | undefined;
  run:
    | { kind: "read"; handle: Handler<AnyInput, Reply<unknown>> }
    | {
        kind: "write";
        handle: (input: AnyInput, transaction: WriteTransaction) => Promise<Reply<unknown>>;
        before?: ((input: AnyInput) => Promise<void>) | undefined;
        handleInGroup?: ((input: AnyInput) => Promise<Reply<unknown>>) | undefined;
      }
    | { kind: "stream"; handle: (input: AnyInput, request: HttpRequest) => Promise<Reply<unknown> | HttpResponse> };
}

// The types of one endpoint's input say nothing to the machinery that serves them all.
// biome-ignore lint/suspicious/noExplicitAny: erased on purpose, see above
type AnyInput = any;

/**
 * Answers by text that has the shape of the response schema, without asking it. The body is JSON, and nothing more is
 * known of it. Undefined for whatever is not just so: then nothing was done, and the handler answers.
 */
type Express<Path extends string> = (
  act: Act,
  params: PathParameters<Path>,
  body: unknown,
) => string | Promise<string> | undefined;

export function read<Path extends string, Query extends z.ZodType, Body extends z.ZodType, Response extends z.ZodType>(
  definition: Description<Path, Query, Body> & {
    /** GET unless it is a question that needs a body. */
    method?: "GET" | "POST";
    response: Response;
    handle: Handler<Input<Path, z.output<Query>, z.output<Body>>, Reply<z.input<Response>>>;
    express?: Express<Path>;
  },
): Endpoint {
  const { handle, express, method = "GET", ...description } = definition;
  // The router fills in the parameters that the path names.
  return { ...description, method, isList: false, run: { kind: "read", handle }, express: express as Express<string> };
}

export function list<Path extends string, Query extends z.ZodObject, Item extends z.ZodType>(
  definition: Description<Path, Query, z.ZodType> & {
    item: Item;
    /** The name of the page in the OpenAPI document. */
    listName: string;
    handle: Handler<Input<Path, z.output<Query> & Paging, undefined>, Page<z.input<Item>>>;
  },
): Endpoint {
  const { handle, item, listName, query, ...description } = definition;
  return {
    ...description,
    method: "GET",
    query: query ? query.extend(paging.shape) : paging,
    response: listOf(item, listName),
    isList: true,
    run: {
      kind: "read",
      handle: async (input) => {
        const { data, total } = await handle(input);
        return { body: { data, limit: input.query.limit, offset: input.query.offset, total } };
      },
    },
  };
}

export function write<Path extends string, Query extends z.ZodType, Body extends z.ZodType, Response extends z.ZodType>(
  definition: Description<Path, Query, Body> & {
    method: "POST" | "PATCH" | "DELETE";
    /** Without one the answer is 204. */
    response?: Response;
    handle: (
      input: Input<Path, z.output<Query>, z.output<Body>>,
      transaction: WriteTransaction,
    ) => Promise<Reply<z.input<Response>>>;
    /** What has to be waited for outside the transaction. It changes nothing by itself. */
    before?: (input: Input<Path, z.output<Query>, z.output<Body>>) => Promise<void>;
    /** Where requests that arrive together are better served together: opens its own transaction for all of them. */
    handleInGroup?: (input: Input<Path, z.output<Query>, z.output<Body>>) => Promise<Reply<z.input<Response>>>;
    express?: Express<Path>;
  },
): Endpoint {
  const { handle, before, handleInGroup, express, response, ...description } = definition;
  const run = { kind: "write" as const, handle, before, handleInGroup };
  return { ...description, response, isList: false, run, express: express as Express<string> };
}

/** For what does not fit into a JSON body: the handler reads the request's body itself, or answers with a stream. */
export function stream<Path extends string, Query extends z.ZodType, Answered extends z.ZodType>(
  definition: Description<Path, Query, z.ZodType> & {
    method: "GET" | "PUT";
    response: Answered;
    handle: (
      input: Input<Path, z.output<Query>, undefined>,
      request: HttpRequest,
    ) => Promise<Reply<z.input<Answered>> | HttpResponse>;
  },
): Endpoint {
  const { handle, ...description } = definition;
  return { ...description, isList: false, run: { kind: "stream", handle } };
}
