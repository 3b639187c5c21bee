import type { z } from "zod";
import type { Access, AccountReference, Act, Caller } from "../core/access.ts";
import type { ProblemCode } from "../core/problems/catalogue.ts";
import type { Problem } from "../core/problems/problem.ts";
import type { Precondition, Revision } from "../lib/http/etag.ts";
import type { Paging } from "../lib/paging.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import type { HttpResponse } from "../platform/http1/message/http-response.ts";
import type { Reads, WriteTransaction } from "../platform/storage/storage.ts";
import { type CsvColumns, csvPage } from "./csv.ts";
import { readBytes, readForm } from "./form.ts";
import type { Presented } from "./presented.ts";
import { listOf, paging } from "./schemas.ts";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `{a}/{b}` in a path template are parameters of the request. */
type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & PathParameters<Rest>
  : object;

export type TagFilter = { name: string; value: string }[];

/** The validated and typed input of a handler. */
export interface Input<Path extends string, Query, Body> {
  params: PathParameters<Path>;
  query: Query;
  /** `tag.<name>=<value>` parameters. */
  tags: TagFilter;
  body: Body;
  caller: Caller;
  /** The account from the path, from the token or from `?accountName=`. */
  account: AccountReference;
  /** The account with the actor and the time. */
  act: Act;
  /** Checks If-Match. Without that header it always holds. */
  precondition: Precondition;
  /** The value of a cookie of the request. */
  cookie(name: string): string | undefined;
  reads: Reads;
  /** For what is not part of the API's own shapes, such as the host of a portal. */
  request: HttpRequest;
}

export interface Reply<Body> {
  body?: Body;
  revision?: Revision;
  /** The body includes more than the revision covers, so the ETag is computed from the body too. */
  composed?: boolean;
  headers?: Record<string, string>;
  /** The response is 202, see `accepted`. */
  startsJob?: boolean;
  /** The transaction commits, and the response is this problem: for counted attempts. */
  rejected?: Problem;
  /**
   * The serialized JSON instead of a body, for hot operations that serialize by hand. It is not checked against the
   * schema.
   */
  text?: string;
}

/**
 * A body that may be an array. A long array is split, parsed and validated item by item, and yields to the event loop
 * in between.
 */
export interface Batch {
  item: z.ZodType;
  max: number;
  /** The error for an array with more items. */
  tooMany: string;
}

interface Page<Item> {
  data: Item[] | Presented<Item>;
  total: number;
}

/** A branch, which may have no deployment yet. */
export interface BranchReference {
  project: string;
  branch: string;
}

interface Description<Path extends string, Query extends z.ZodType, Body extends z.ZodType> {
  operationId: string;
  path: Path;
  /** Only if it differs from that of its scope. */
  area?: string;
  summary: string;
  description?: string;
  access: Access;
  query?: Query;
  /** The path does not name the account: it is the token's, or the one in `?accountName=` for the operator. */
  inAccountOfCaller?: boolean;
  /**
   * For people whose role is limited to projects. By default they may call it for their projects if the path names a
   * project or a deployment, and never if it does not. `always`: it shows nothing of other projects. A function returns
   * the project of the request.
   */
  inProjects?: "never" | "always" | ((input: Input<Path, z.output<Query>, z.output<Body>>) => string);
  /**
   * For tokens that are limited to some deployments. By default they may call it if the path names one of those
   * deployments. `always`: it shows nothing secret of other deployments. A function returns the branch that the request is
   * about.
   */
  inEnvironments?: "always" | ((input: Input<Path, z.output<Query>, z.output<Body>>) => BranchReference);
  /** Supports `tag.<name>=<value>` parameters. */
  takesTags?: boolean;
  /** A read that takes something with some bodies, once for an Idempotency-Key. */
  takesIdempotencyKey?: boolean;
  /** The resource cannot be read alone, so clients have no ETag for If-Match. */
  hasNoETag?: boolean;
  /** A write that a suspended customer may make in the portal: to pay, and to leave. */
  whileSuspended?: boolean;
  /** Served also while a copy of storage is read, which lacks most rows. Others get 503. */
  isServedFromCopy?: boolean;
  /** Only for this server's own pages: the `Origin` must be ours and the body JSON. */
  isForOwnPages?: boolean;
  /** Values that the response schema marks as secret are masked or absent, at least for readers. Assistants get none. */
  isMasked?: boolean;
  /** Why assistants may not call it, if access and schemas do not exclude it. */
  notForAssistants?: string;
  body?: Body;
  /**
   * The fast path of `body` for hot operations: returns the parsed body, or undefined if the schema must validate it. A
   * test compares the two.
   */
  parse?(body: unknown): z.output<Body> | undefined;
  /** Bulk operations accept 10 MiB, operations for anyone 16 KiB, all others 1 MiB. */
  largeBody?: boolean;
  /** Set if `body` may be an array. */
  batch?: Batch;
  /** The media type of a body that is not JSON. */
  bodyType?: string;
  /** The fields of a form, for the OpenAPI document. The handler validates them. */
  form?: z.ZodType;
  /** Responses that are not problems, by status. */
  otherResponses?: Record<number, { description: string; schema: z.ZodType }>;
  /** The media type of a streaming response, if it has one. */
  streamType?: string;
  /** The response is 202, because the work continues after it: always, or if a job is started. */
  accepted?: "always" | "for-jobs";
  /** Media types of responses in addition to JSON, selected by `Accept`. */
  otherTypes?: string[];
  /** Errors in addition to those of every endpoint. */
  problems?: ProblemCode[];
  examples?: { request?: unknown; response?: unknown };
}

type Handler<Parameters, Result> = (input: Parameters) => Result | Promise<Result>;

/** An endpoint with its types erased. */
export interface Operation extends Omit<Description<string, z.ZodType, z.ZodType>, "inProjects" | "inEnvironments"> {
  inProjects?: "never" | "always" | ((input: AnyInput) => string) | undefined;
  inEnvironments?: "always" | ((input: AnyInput) => BranchReference) | undefined;
  method: Method;
  response: z.ZodType | undefined;
  isList: boolean;
  run:
    | { kind: "read"; handle: Handler<AnyInput, Reply<unknown>> }
    | WriteRun
    | { kind: "stream"; handle: Handler<AnyInput, Reply<unknown> | HttpResponse> };
}

/** An operation in an area of the reference, for the pipeline, the OpenAPI document and the log. */
export interface Endpoint extends Operation {
  /** The section of the reference. */
  area: string;
}

type Common = Partial<Pick<Endpoint, "area" | "inAccountOfCaller" | "takesTags">>;

/** Operations with what they have in common. What one of them says itself stays. */
export function routeScope<Shared extends Common>(shared: Shared, operations: Operation[]): (Operation & Shared)[] {
  return operations.map((operation) => ({ ...shared, ...operation }));
}

export interface WriteRun {
  kind: "write";
  /** Runs inside the transaction that also stores an idempotent response. */
  handle(input: AnyInput, transaction: WriteTransaction, prepared: AnyInput): Promise<Reply<unknown>>;
  before?: ((input: AnyInput) => Promise<unknown>) | undefined;
  beforeCommits?: boolean | undefined;
  /** Used instead of `handle` without an Idempotency-Key. */
  handleInBatch?: ((input: AnyInput) => Promise<Reply<unknown>>) | undefined;
}

// The pipeline serves all endpoints and cannot know the input type of each.
// biome-ignore lint/suspicious/noExplicitAny: the type is erased on purpose, see above
type AnyInput = any;

/** A part of the API whose handlers get what its path names, such as a bucket, which is read once for each request. */
interface Scope<Prefix extends string, ForReads extends object, ForWrites extends object> {
  /** The paths of its operations begin with it. */
  path?: Prefix;
  common?: Common;
  forReads?(input: Input<Prefix, unknown, unknown>): Promise<ForReads>;
  forWrites?(input: Input<Prefix, unknown, unknown>, transaction: WriteTransaction): Promise<ForWrites>;
}

/** Returns the functions that declare the operations of a scope. What it throws, such as a 404, is the response. */
export function operationsIn<Prefix extends string, ForReads extends object, ForWrites extends object>({
  common,
  forReads,
  forWrites,
}: Scope<Prefix, ForReads, ForWrites>) {
  return { read, list, write, remove, stream };

  // Outside of a scope handlers are called directly: a layer of `async` costs about 2 µs.
  function reading<Result>(handle: Handler<AnyInput, Result>): Handler<AnyInput, Result> {
    return forReads ? async (input): Promise<Result> => handle({ ...input, ...(await forReads(input)) }) : handle;
  }

  function writing(handle: WriteRun["handle"]): WriteRun["handle"] {
    return forWrites
      ? async (input, transaction, prepared) =>
          handle({ ...input, ...(await forWrites(input, transaction)) }, transaction, prepared)
      : handle;
  }

  function read<
    Path extends `${Prefix}${string}`,
    Query extends z.ZodType,
    Body extends z.ZodType,
    Response extends z.ZodType,
  >(
    definition: Description<Path, Query, Body> & {
      /** POST for queries that need a body. */
      method?: "GET" | "POST";
      response: Response;
      handle: Handler<Input<Path, z.output<Query>, z.output<Body>> & ForReads, Reply<z.input<Response>>>;
    },
  ): Operation {
    const { handle, method = "GET", ...description } = definition;
    return { ...common, ...description, method, isList: false, run: { kind: "read", handle: reading(handle) } };
  }

  function list<Path extends `${Prefix}${string}`, Query extends z.ZodObject, Item extends z.ZodType>(
    definition: Description<Path, Query, z.ZodType> & {
      item: Item;
      /** The name of the page in the OpenAPI document. */
      listName: string;
      /** The list is also CSV with these columns, if the Accept header prefers it. */
      csv?: CsvColumns<z.input<Item>>;
      handle: Handler<Input<Path, z.output<Query> & Paging, undefined> & ForReads, Page<z.input<Item>>>;
    },
  ): Operation {
    const { handle, item, listName, csv, query, ...description } = definition;
    const find = reading(handle);
    const pageOf = async (input: AnyInput) => {
      const { data, total } = await find(input);
      const { limit, offset }: Paging = input.query;
      return { data, limit, offset, total };
    };
    return {
      ...common,
      ...description,
      method: "GET",
      query: query ? query.extend(paging.shape) : paging,
      ...(csv && { otherTypes: ["text/csv"] }),
      response: listOf(item, listName),
      isList: true,
      run: csv
        ? { kind: "stream", handle: async (input) => csvPage(input.request, csv, await pageOf(input)) }
        : { kind: "read", handle: async (input) => ({ body: await pageOf(input) }) },
    };
  }

  function write<
    Path extends `${Prefix}${string}`,
    Query extends z.ZodType,
    Body extends z.ZodType,
    Response extends z.ZodType,
    Prepared = undefined,
  >(
    definition: Description<Path, Query, Body> & {
      method: "POST" | "PUT" | "PATCH" | "DELETE";
      /** Without it, the response is 204. */
      response?: Response;
      handle: (
        input: Input<Path, z.output<Query>, z.output<Body>> & ForWrites,
        transaction: WriteTransaction,
        prepared: Prepared,
      ) => Promise<Reply<z.input<Response>>>;
      /** Awaited before the transaction, and its result is passed to `handle`. Must not change what a repeated request would change
       * again. */
      before?: (input: Input<Path, z.output<Query>, z.output<Body>>) => Promise<Prepared>;
      /** Whether `before` commits changes, which a repeated request continues. */
      beforeCommits?: boolean;
    },
  ): Operation {
    const { handle, before, beforeCommits, response, ...description } = definition;
    const run: WriteRun = { kind: "write", handle: writing(handle), before, beforeCommits };
    return { ...common, ...description, response, isList: false, run };
  }

  /** A DELETE without a body, in either direction. */
  function remove<Path extends `${Prefix}${string}`, Query extends z.ZodType>({
    handle,
    ...definition
  }: Description<Path, Query, z.ZodType> & {
    handle: (
      input: Input<Path, z.output<Query>, undefined> & ForWrites,
      transaction: WriteTransaction,
    ) => Promise<void>;
  }): Operation {
    const removeIt = writing(async (input, transaction) => {
      await handle(input, transaction);
      return {};
    });
    const run: WriteRun = { kind: "write", handle: removeIt };
    return { ...common, ...definition, method: "DELETE", response: undefined, isList: false, run };
  }

  /** For bodies that are not JSON and for streaming responses. */
  function stream<Path extends `${Prefix}${string}`, Query extends z.ZodType, Response extends z.ZodType>(
    definition: Description<Path, Query, z.ZodType> & {
      method: "GET" | "PUT";
      /** Without it, the response has only the type `streamType`. */
      response?: Response;
      /** The JSON is a page of a list, so its response links to the next one. */
      isList?: boolean;
      handle: Handler<Input<Path, z.output<Query>, undefined> & ForReads, Reply<z.input<Response>> | HttpResponse>;
    },
  ): Operation {
    const { handle, response, isList = false, ...description } = definition;
    return { ...common, ...description, response, isList, run: { kind: "stream", handle: reading(handle) } };
  }
}

export const { read, list, write, remove, stream } = operationsIn<"", object, object>({});

/**
 * A write whose concurrent requests share one transaction. With an Idempotency-Key it runs alone, in the transaction
 * that stores its response. Both cases share `item` and `reply`.
 */
export function batchedWrite<
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends z.ZodType,
  Item,
  Outcome,
>(
  definition: Description<Path, Query, Body> & {
    method: "POST";
    response: Response;
    item(input: Input<Path, z.output<Query>, z.output<Body>>): Item;
    inBatch(item: Item): Promise<Outcome>;
    inTransaction(transaction: WriteTransaction, item: Item): Promise<Outcome>;
    reply(outcome: Outcome, item: Item): Reply<z.input<Response>>;
  },
): Operation {
  const { item, inBatch, inTransaction, reply, ...description } = definition;
  return {
    ...description,
    isList: false,
    run: {
      kind: "write",
      handle: async (input, transaction) => {
        const one = item(input);
        return reply(await inTransaction(transaction, one), one);
      },
      handleInBatch: (input) => {
        const one = item(input);
        return inBatch(one).then((outcome) => reply(outcome, one));
      },
    },
  };
}

/** For an HTML form, as OAuth requires it. The handler gets undefined if the body is none. */
export function submit<Path extends string, Response extends z.ZodType>(
  definition: Description<Path, z.ZodType, z.ZodType> & {
    form: z.ZodType;
    response: Response;
    handle: (
      input: Input<Path, unknown, undefined> & { form: URLSearchParams | undefined },
    ) => Promise<Reply<z.input<Response>> | HttpResponse>;
  },
): Operation {
  const { handle, ...description } = definition;
  return {
    ...description,
    method: "POST",
    isList: false,
    run: { kind: "stream", handle: async (input) => handle({ ...input, form: await readForm(input.request) }) },
  };
}

/**
 * For events that another service sends and signs: the handler gets the bytes that the signature is about, without a
 * caller. `account` is that of the path.
 */
export function receive<Path extends string, Response extends z.ZodType>(
  definition: Omit<Description<Path, z.ZodType, z.ZodType>, "access"> & {
    maxBytes: number;
    response: Response;
    handle: (
      input: Input<Path, unknown, undefined> & { bytes: Uint8Array },
    ) => Promise<Reply<z.input<Response>> | HttpResponse>;
  },
): Operation {
  const { handle, maxBytes, ...description } = definition;
  return {
    ...description,
    access: "anyone",
    bodyType: "application/json",
    method: "POST",
    isList: false,
    run: {
      kind: "stream",
      handle: async (input) => handle({ ...input, bytes: await readBytes(input.request, maxBytes) }),
    },
  };
}
