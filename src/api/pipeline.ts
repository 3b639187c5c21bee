import { type AccountReference, actorOf, allows, type Caller, type Membership, membershipIn } from "../core/access.ts";
import { requestIdOf } from "../core/http/request-id.ts";
import { type PlainResponse, problemResponse, toResponse, withoutSniffing } from "../core/http/response.ts";
import type { Metrics } from "../core/metrics/metrics.ts";
import { invalid, notFound, Problem, problemOf } from "../core/problems/problem.ts";
import type { Keyring } from "../lib/crypto/keyring.ts";
import { cookieValue } from "../lib/http/cookie.ts";
import { matchesRevision, type Precondition } from "../lib/http/etag.ts";
import type { Clock } from "../lib/time/clock.ts";
import type { HttpRequest } from "../platform/http1/message/http-request.ts";
import { HttpResponse } from "../platform/http1/message/http-response.ts";
import { StorageUnavailable } from "../platform/storage/errors.ts";
import type { Storage } from "../platform/storage/storage.ts";
import { type Log, type RequestOrigin, redactText, redactTexts } from "../platform/telemetry/log.ts";
import type { TraceContext } from "../platform/telemetry/trace-context.ts";
import { type RequestTrace, sampledTrace, type Tracer, traceOf } from "../platform/telemetry/tracer.ts";
import { checkBody, readBody } from "./body.ts";
import { compressed } from "./compression.ts";
import type { CallerFinder } from "./credentials.ts";
import type { Endpoint, Input, Reply, WriteRun } from "./endpoint.ts";
import { fingerprintOf, Idempotency, idempotencyKeyOf } from "./idempotency.ts";
import { checkLimits, type DeploymentPlaces } from "./project-access.ts";
import { redact, secretsOf } from "./redact.ts";
import { checkQuery, checkTags, noQuery, type QueryText, readQuery } from "./request.ts";
import { traceApiRequest } from "./request-trace.ts";
import { responseOf } from "./response.ts";
import { type Match, Router, type RouteTarget } from "./router.ts";

interface PipelineOptions {
  endpoints: Endpoint[];
  /** Paths outside the API that support GET and HEAD only. */
  systemPaths: string[];
  credentials: CallerFinder;
  places: DeploymentPlaces;
  storage: Storage;
  keyring: Keyring;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Exports spans of sampled requests. */
  tracer?: Tracer | undefined;
}

type AnyInput = Input<string, unknown, unknown>;

/** A request that this server makes for the call of an assistant, with the caller's credential. */
interface AssistantCall {
  /** The name of the assistant, which the audit log shows. */
  client: string;
  /** The id of the person's confirmation. A write happens once for it; repeated, it returns the first response. */
  confirmation?: string | undefined;
}

/** The state of one request, filled in step by step. */
interface RequestState {
  readonly request: HttpRequest;
  readonly requestId: string;
  readonly target: RouteTarget;
  readonly started: number;
  readonly now: number;
  readonly trace: TraceContext | RequestTrace | undefined;
  readonly assistant: AssistantCall | undefined;
  endpoint: Endpoint | undefined;
  caller: Caller | undefined;
  query: QueryText;
}

type Outcome = PlainResponse | HttpResponse;

const clientGone = new Error("the client has disconnected");
/** As nginx logs it. */
const clientGoneStatus = 499;
/** The result of a handler, or a complete response. */
type Replied = Reply<unknown> | Outcome;

/**
 * The steps that all endpoints share: authenticate, authorize, parse, run, respond. Each step is synchronous unless it
 * has to wait for storage or a body, and only then creates a promise: a layer of `async` costs about 2 µs, and
 * verify-key from memory takes less.
 */
export class Pipeline {
  readonly idempotency: Idempotency;
  readonly #router: Router;

  constructor(private readonly options: PipelineOptions) {
    this.#router = new Router(options.endpoints, options.systemPaths);
    this.idempotency = new Idempotency(options.storage, options.keyring);
    // Fails if the marks are missing, because otherwise keys would be logged. Finding a mark takes 10 ms, and only the debug log has input.
    if (options.log.logs("debug") && !options.endpoints.some((endpoint) => secretsOf(endpoint).length > 0))
      throw new Error("No schema marks a secret: logs would show keys.");
  }

  handle(request: HttpRequest, assistant?: AssistantCall): HttpResponse | Promise<HttpResponse> {
    const state: RequestState = {
      request,
      requestId: requestIdOf(request),
      target: this.#router.find(request.method, request.target),
      started: performance.now(),
      now: this.options.clock.now(),
      trace: traceOf(request.headers.get("traceparent"), this.options.tracer),
      assistant,
      endpoint: undefined,
      caller: undefined,
      query: noQuery,
    };
    let outcome: Outcome | Promise<Outcome>;
    try {
      const sampled = sampledTrace(state.trace);
      outcome = sampled
        ? this.options.tracer!.run(sampled, () => this.#authenticate(state))
        : this.#authenticate(state);
    } catch (error) {
      outcome = this.#problemResponse(error, state);
    }
    if (!(outcome instanceof Promise)) return this.#finish(state, outcome);
    return outcome.then(
      (response) => this.#finish(state, response),
      (error: unknown) => this.#finish(state, this.#problemResponse(error, state)),
    );
  }

  #authenticate(state: RequestState): Outcome | Promise<Outcome> {
    const { match } = state.target;
    if (match instanceof Problem) throw match;
    state.endpoint = match.endpoint;
    if (match.endpoint.isForOwnPages) this.options.credentials.checkOrigin(state.request);
    if (match.endpoint.access === "anyone") return this.#identified(state, match, undefined);
    const caller = this.options.credentials.callerOf(state.request, state.now);
    return caller instanceof Promise
      ? caller.then((found) => this.#identified(state, match, found))
      : this.#identified(state, match, caller);
  }

  #identified(state: RequestState, match: Match, caller: Caller | undefined): Outcome | Promise<Outcome> {
    state.caller = caller;
    const { search } = state.target;
    if (search !== "") state.query = readQuery(search);
    const name = match.params.accountName ?? state.query.values.accountName;
    if (caller?.memberships) {
      const member = asMember(caller, caller.memberships, name, match.endpoint);
      state.caller = member;
      return this.#authorize(state, match, member.account);
    }
    // Events of another service: their signature is checked with what is stored in the account of the path.
    const isSigned = match.endpoint.access === "anyone" && match.params.accountName !== undefined;
    if (caller?.role !== "operator" && !isSigned) return this.#authorize(state, match, caller?.account);
    if (name === undefined) return this.#authorize(state, match, undefined);
    return this.options.credentials.findAccount(name).then((account) => {
      if (!account) throw notFound("account");
      return this.#authorize(state, match, account);
    });
  }

  #authorize(state: RequestState, match: Match, account: AccountReference | undefined): Outcome | Promise<Outcome> {
    const { endpoint, params } = match;
    const { caller, query, request } = state;
    if (params.accountName !== undefined && account?.name !== params.accountName) throw notFound("account");
    if (endpoint.access !== "anyone" && !allows(endpoint.access, caller!.role)) throw forbidden(endpoint);
    const suspension = caller?.customer?.suspension;
    if (suspension !== undefined && endpoint.run.kind === "write" && !endpoint.whileSuspended)
      throw new Problem("consumer_suspended", {
        detail: `Your account is suspended${suspension === "" ? "" : `: ${suspension}`}. You can read and pay, but change nothing.`,
      });
    if (endpoint.inAccountOfCaller) {
      if (!account) throw invalid("?accountName", "must name the account to act in");
      if ((query.values.accountName ?? account.name) !== account.name) throw notFound("account");
    }
    const text = endpoint.body ? readBody(request, endpoint, account?.name) : "";
    return typeof text === "string"
      ? this.#validate(state, match, account, text)
      : text.then((whole) => this.#validate(state, match, account, whole));
  }

  #validate(
    state: RequestState,
    { endpoint, params }: Match,
    account: AccountReference | undefined,
    text: string,
  ): Outcome | Promise<Outcome> {
    // Checked before the query, because it explains what was probably meant as a condition.
    const tags = checkTags(endpoint, state.query);
    const query = checkQuery(endpoint, state.query);
    const body = checkBody(endpoint, text);
    return body instanceof Promise
      ? body.then((value) => this.#run(state, endpoint, account, { params, tags, query, body: value }, text))
      : this.#run(state, endpoint, account, { params, tags, query, body }, text);
  }

  #run(
    state: RequestState,
    endpoint: Endpoint,
    account: AccountReference | undefined,
    validated: Pick<AnyInput, "params" | "tags" | "query" | "body">,
    text: string,
  ): Outcome | Promise<Outcome> {
    const { request, caller, now } = state;
    const actor = caller && actorOf(caller);
    const input: AnyInput = {
      params: validated.params,
      tags: validated.tags,
      query: validated.query,
      body: validated.body,
      // Endpoints with access "anyone" do not use the caller, and those outside accounts do not use `account`.
      caller: caller as Caller,
      account: account as AccountReference,
      act: {
        account: account as AccountReference,
        actor: actor?.id ?? "anyone",
        actorType: actor?.type ?? "system",
        actorName: actor?.name,
        requestId: state.requestId,
        ip: request.ip,
        assistant: state.assistant?.client,
        now,
      },
      precondition: preconditionOf(request),
      cookie: (name) => cookieValue(request.headers.get("cookie") ?? "", name),
      reads: this.options.storage.reads,
      request,
    };
    if (this.options.log.logs("debug")) this.#logInput(state, endpoint, input);
    const isLimited = caller?.projects !== undefined || caller?.scope !== undefined;
    const checked = isLimited ? checkLimits(endpoint, caller!, input, this.options.places) : undefined;
    const reply = checked
      ? checked.then(() => this.#reply(state, endpoint, input, text))
      : this.#reply(state, endpoint, input, text);
    return reply instanceof Promise
      ? reply.then((done) => outcomeOf(state, endpoint, done))
      : outcomeOf(state, endpoint, reply);
  }

  #reply(state: RequestState, endpoint: Endpoint, input: AnyInput, text: string): Replied | Promise<Replied> {
    const { run } = endpoint;
    if (!endpoint.isServedFromCopy && this.options.storage.feed.copyAge !== undefined)
      throw new StorageUnavailable("a copy of it is read");
    if (run.kind !== "write") return run.handle(input);
    // A key belongs to a credential; endpoints with access "anyone" have none.
    const isKeyed = endpoint.method === "POST" && endpoint.access !== "anyone";
    const key = state.assistant?.confirmation ?? (isKeyed ? idempotencyKeyOf(state.request) : undefined);
    if (key !== undefined) return this.#writeOnce(key, state, endpoint, run, input, text);
    if (run.handleInBatch) return run.handleInBatch(input);
    const { before } = run;
    const write = (prepared?: unknown) =>
      this.options.storage.write((transaction) => {
        failIfGone(state.request);
        return run.handle(input, transaction, prepared);
      });
    return before ? before(input).then(write) : write();
  }

  #writeOnce(
    key: string,
    state: RequestState,
    endpoint: Endpoint,
    run: WriteRun,
    input: AnyInput,
    text: string,
  ): Promise<PlainResponse> {
    const { before } = run;
    let prepared: unknown;
    return this.idempotency.run(
      {
        credential: input.caller.id,
        key,
        fingerprint: fingerprintOf(state.target.path, state.target.search, text),
        now: state.now,
      },
      {
        before:
          before &&
          (async () => {
            prepared = await before(input);
          }),
        beforeCommits: run.beforeCommits,
        work: async (transaction) => {
          failIfGone(state.request);
          return responseOf(endpoint, state.request, state.target, await run.handle(input, transaction, prepared));
        },
        problemResponse: (problem) => this.#problemResponse(problem, state) as PlainResponse,
      },
    );
  }

  #finish(state: RequestState, outcome: Outcome): HttpResponse | Promise<HttpResponse> {
    state.request.release(Number.POSITIVE_INFINITY);
    this.#report(state, outcome.status, performance.now() - state.started);
    if (!(outcome instanceof HttpResponse)) {
      const response = compressed(outcome, state.request, state.endpoint);
      if (response instanceof Promise) return response.then((small) => toResponse(small, state.requestId));
      return toResponse(response, state.requestId);
    }
    outcome.headers.set("x-request-id", state.requestId);
    return withoutSniffing(outcome);
  }

  #problemResponse(error: unknown, state: RequestState): Outcome {
    if (error === clientGone) return new HttpResponse(clientGoneStatus);
    const { request, requestId, endpoint, target, now } = state;
    let problem = problemOf(error);
    // A token in a body is a credential like one in a header: guesses are counted.
    if (endpoint?.isForOwnPages && problem.code === "unauthenticated")
      problem = this.options.credentials.countFailure(request, now, problem);
    if (problem.status >= 500)
      this.options.log.error(problem.detail, { requestId, operation: endpoint?.operationId, error: problem.cause });
    return problemResponse(problem, { path: redactText(target.path), requestId, now });
  }

  #report(state: RequestState, status: number, milliseconds: number): void {
    const { endpoint, requestId, now: time, trace } = state;
    const { metrics, log, tracer } = this.options;
    const origin = originOf(state);
    metrics.request(endpoint?.operationId ?? "unknown", status, milliseconds / 1000);
    log.request({ time, requestId, status, milliseconds, origin, traceId: trace?.traceId });
    const sampled = sampledTrace(trace);
    if (sampled)
      traceApiRequest(tracer!, sampled, {
        origin,
        route: endpoint?.path,
        requestId,
        status,
        start: time,
        milliseconds,
      });
  }

  #logInput(state: RequestState, endpoint: Endpoint, input: AnyInput): void {
    this.options.log.debug("input", {
      requestId: state.requestId,
      operation: endpoint.operationId,
      query: redactTexts(input.query),
      body: redactTexts(redact(input.body, secretsOf(endpoint))),
    });
  }
}

/** The person as a member of the account that the request acts in. */
function asMember(
  caller: Caller,
  memberships: readonly Membership[],
  accountName: string | undefined,
  endpoint: Endpoint,
): Caller {
  if (endpoint.access === "operate") throw forbidden(endpoint);
  // Operations about the caller show the first account if none is named.
  const isAboutCaller = endpoint.access === "any" && !endpoint.inAccountOfCaller;
  const membership =
    membershipIn(memberships, accountName) ?? (accountName === undefined && isAboutCaller ? memberships[0] : undefined);
  // A person who is only invited has no account.
  if (!membership && memberships.length === 0 && accountName === undefined && isAboutCaller) return caller;
  if (!membership)
    throw accountName === undefined ? invalid("?accountName", "must name the account to act in") : notFound("account");
  const { account, role, projects, name } = membership;
  return { ...caller, account, role, projects, name: name ?? caller.name };
}

function forbidden({ access }: Endpoint): Problem {
  return access === "operate"
    ? new Problem("forbidden", { detail: "Only the operator may do this." })
    : new Problem("forbidden");
}

/**
 * Throws in a write that has not begun, after it waited for storage or the process was frozen: the client sends it again,
 * or has given up.
 */
function failIfGone(request: HttpRequest): void {
  if (request.isAborted) throw clientGone;
}

function outcomeOf(
  { request, target }: RequestState,
  endpoint: Endpoint,
  replied: Replied,
): Outcome | Promise<Outcome> {
  if (replied instanceof HttpResponse || "status" in replied) return replied;
  if (replied.rejected) throw replied.rejected;
  return responseOf(endpoint, request, target, replied);
}

/** Cached with the target for its last caller, because one caller usually sends many requests to the same target. */
function originOf({ request, target, endpoint, caller }: RequestState): RequestOrigin {
  const { lastOrigin } = target;
  if (lastOrigin && lastOrigin.caller === caller?.id && lastOrigin.method === request.method) return lastOrigin;
  target.lastOrigin = {
    method: request.method,
    path: target.shownPath,
    operation: endpoint?.operationId,
    caller: caller?.id,
    account: caller?.account?.name,
  };
  return target.lastOrigin;
}

const noPrecondition: Precondition = () => {};

function preconditionOf(request: HttpRequest): Precondition {
  const header = request.headers.get("if-match");
  if (header === null) return noPrecondition;
  return (current) => {
    if (!current || !matchesRevision(header, current)) throw new Problem("precondition_failed");
  };
}
