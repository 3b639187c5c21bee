import { type AccountReference, allows, type Caller } from "../core/access/access.ts";
import { requestIdOf } from "../core/http/request-id.ts";
import {
  type Answer,
  emptyAnswer,
  jsonAnswer,
  problemAnswer,
  toResponse,
  withoutSniffing,
} from "../core/http/response.ts";
import type { Metrics } from "../core/metrics/metrics.ts";
import { invalid, notFound, Problem, problemOf } from "../core/problems/problem.ts";
import type { Clock } from "../lib/clock.ts";
import { etagOf, matchesRevision, matchesTag, type Revision } from "../lib/etag.ts";
import type { Keyring } from "../lib/keyring.ts";
import type { Body } from "../platform/http1/body.ts";
import type { HttpRequest } from "../platform/http1/http-request.ts";
import { HttpResponse } from "../platform/http1/http-response.ts";
import type { Storage } from "../platform/storage/storage.ts";
import { type Log, type RequestOrigin, redactText, redactTexts } from "../platform/telemetry/log.ts";
import type { Endpoint, Input, Reply } from "./endpoint.ts";
import { FailedCredentials } from "./failed-credentials.ts";
import { fingerprintOf, Idempotency, idempotencyKeyOf } from "./idempotency.ts";
import { redact, secretsOf, showsSecrets } from "./redact.ts";
import { checkBody, checkQuery, checkTags, readBody, readQuery, textOf } from "./request.ts";
import { type Match, Router, type Target } from "./router.ts";

/** Who a credential belongs to. Memory answers without a promise; undefined is nobody. */
export interface Authenticator {
  authenticate(token: string, now: number): Caller | undefined | Promise<Caller | undefined>;
  /** For the operator, who may act in any account. */
  findAccount(name: string): Promise<AccountReference | undefined>;
}

/** Who is signed in with a browser. */
export interface BrowserSessions {
  /** Undefined where no good session comes with the request. Throws for a write that another origin's page sent. */
  authenticate(request: HttpRequest, now: number): Caller | undefined | Promise<Caller | undefined>;
  /** For signing in: throws unless a page of this server sent it, with JSON if it has a body. */
  checkOrigin(request: HttpRequest): void;
}

export interface PipelineOptions {
  endpoints: Endpoint[];
  /** Paths outside the interface that answer GET and HEAD, and refuse all else. */
  systemPaths: string[];
  authenticator: Authenticator;
  sessions: BrowserSessions;
  storage: Storage;
  keyring: Keyring;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}

type AnyInput = Input<string, unknown, unknown>;

/** What is known of a request so far. */
interface Exchange {
  requestId: string;
  path: string;
  search: string;
  now: number;
  target: Target;
  endpoint: Endpoint | undefined;
  caller: Caller | undefined;
}

/** The way of a request through everything that endpoints share, and of its answer back. */
export class Pipeline {
  readonly idempotency: Idempotency;
  readonly #router: Router;
  readonly #failures = new FailedCredentials();

  constructor(private readonly options: PipelineOptions) {
    this.#router = new Router(options.endpoints, options.systemPaths);
    this.idempotency = new Idempotency(options.storage, options.keyring);
    // A refactoring that loses the marks must not start to log keys.
    if (!options.endpoints.some((endpoint) => secretsOf(endpoint).length > 0))
      throw new Error("No schema marks a secret: logs would show keys.");
  }

  handle(request: HttpRequest): HttpResponse | Promise<HttpResponse> {
    const started = performance.now();
    const target = this.#router.find(request.method, request.target);
    const { match } = target;
    if (match instanceof Problem || !match.endpoint.express || target.search !== "")
      return this.#handle(request, target, started, undefined);
    const text = isSmall(request) ? expressTextOf(request.body!, match.endpoint) : undefined;
    if (text === undefined) return this.#handle(request, target, started, undefined);
    return this.#express(request, target, match, started, text) ?? this.#handle(request, target, started, text);
  }

  /**
   * The short way, for what is asked most: a tenth of the steps and of the objects. It decides nothing that it is not
   * sure of: an unknown caller, a body that is not just so, a value that memory does not have all go the general way.
   */
  #express(
    request: HttpRequest,
    target: Target,
    match: Match,
    started: number,
    text: string,
  ): HttpResponse | Promise<HttpResponse> | undefined {
    const now = this.options.clock.now();
    const { endpoint, params } = match;
    let answer: string | Promise<string> | undefined;
    let caller: Caller | Promise<Caller>;
    try {
      caller = this.#authenticate(request, now);
      if (caller instanceof Promise) {
        caller.catch(() => {}); // the general way asks again, and tells what comes of it
        return undefined;
      }
      const { account } = caller;
      if (!account || (params.accountName ?? account.name) !== account.name) return undefined;
      if (!allows(endpoint.access, caller.role) || this.options.log.logs("debug")) return undefined;
      if (endpoint.run.kind === "write" && request.headers.has("idempotency-key")) return undefined;
      answer = endpoint.express!({ account, actor: caller.id, now }, params, JSON.parse(text));
    } catch {
      return undefined;
    }
    if (answer === undefined) return undefined;
    const { path, search } = target;
    const exchange = { path, search, target, endpoint, caller, requestId: requestIdOf(request), now };
    if (typeof answer === "string") return this.#finish(request, exchange, jsonAnswer(answer), started);
    return answer.then(
      (text) => this.#finish(request, exchange, jsonAnswer(text), started),
      (error: unknown) => this.#finish(request, exchange, this.#refusal(error, exchange), started),
    );
  }

  #finish(request: HttpRequest, exchange: Exchange, answer: Answer, started: number): HttpResponse {
    this.#report(request, exchange, answer.status, performance.now() - started);
    return toResponse(answer, exchange.requestId);
  }

  /**
   * One function on purpose: a layer of `async` costs about 2 µs. It awaits only what is not there yet. `textRead` is the
   * body if it was read already.
   */
  async #handle(
    request: HttpRequest,
    target: Target,
    started: number,
    textRead: string | undefined,
  ): Promise<HttpResponse> {
    const { path, search, match } = target;
    const exchange: Exchange = {
      requestId: requestIdOf(request),
      path,
      search,
      target,
      now: this.options.clock.now(),
      endpoint: undefined,
      caller: undefined,
    };
    let answer: Answer;
    try {
      if (match instanceof Problem) throw match;
      const { endpoint, params } = match;
      exchange.endpoint = endpoint;

      if (endpoint.isForOwnPages) this.options.sessions.checkOrigin(request);
      const isOpen = endpoint.access === "anyone";
      const authenticated = isOpen ? undefined : this.#authenticateCounted(request, exchange.now);
      const caller = authenticated instanceof Promise ? await authenticated : authenticated;
      exchange.caller = caller;
      const query = readQuery(search);
      const account =
        caller?.role === "operator" ? await this.#accountOfOperator(params, query.values) : caller?.account;
      if (params.accountName !== undefined && account?.name !== params.accountName) throw notFound("account");
      if (!isOpen && !allows(endpoint.access, caller!.role)) throw new Problem("forbidden");
      if (endpoint.inAccountOfCaller) {
        if (!account) throw invalid("?accountName", "must say in which account to act");
        if ((query.values.accountName ?? account.name) !== account.name) throw notFound("account");
      }

      const reading = textRead ?? (endpoint.body ? readBody(request, endpoint) : "");
      const text = typeof reading === "string" ? reading : await reading;
      const input: AnyInput = {
        params,
        query: checkQuery(endpoint, query),
        tags: checkTags(endpoint, query),
        body: checkBody(endpoint, text),
        // Endpoints that are open to anyone do not look at it, those without an account (accounts, who-am-i) not at that.
        caller: caller as Caller,
        account: account as AccountReference,
        act: { account: account as AccountReference, actor: caller?.id ?? "anyone", now: exchange.now },
        precondition: (current) => checkIfMatch(request, current),
        reads: this.options.storage.reads,
      };
      if (this.options.log.logs("debug")) this.#reportInput(exchange, endpoint, input);

      if (endpoint.run.kind === "read") {
        const reply = endpoint.run.handle(input);
        answer = answerOf(endpoint, request, exchange, reply instanceof Promise ? await reply : reply);
      } else if (endpoint.run.kind === "stream") {
        const reply = await endpoint.run.handle(input, request);
        if (reply instanceof HttpResponse) {
          reply.headers.set("x-request-id", exchange.requestId);
          this.#report(request, exchange, reply.status, performance.now() - started);
          return withoutSniffing(reply);
        }
        answer = answerOf(endpoint, request, exchange, reply);
      } else {
        const { run } = endpoint;
        // A key belongs to a credential; endpoints that are open to anyone have none.
        const key = endpoint.method === "POST" && !isOpen ? idempotencyKeyOf(request) : undefined;
        if (key !== undefined) answer = await this.#writeOnce(key, endpoint, run, request, exchange, input, text);
        else {
          if (run.before) await run.before(input);
          const reply = await (run.handleInGroup
            ? run.handleInGroup(input)
            : this.options.storage.write((transaction) => run.handle(input, transaction)));
          answer = answerOf(endpoint, request, exchange, reply);
        }
      }
    } catch (error) {
      answer = this.#refusal(this.#countFailedSignIn(error, request, exchange), exchange);
    }
    return this.#finish(request, exchange, answer, started);
  }

  /** A token in a body is a credential like one in a header: guesses are counted. */
  #countFailedSignIn(error: unknown, request: HttpRequest, { endpoint, now }: Exchange): unknown {
    const isFailed = endpoint?.isForOwnPages && error instanceof Problem && error.code === "unauthenticated";
    return isFailed ? this.#failures.count(request.ip, now, error) : error;
  }

  #writeOnce(
    key: string,
    endpoint: Endpoint,
    run: Endpoint["run"] & { kind: "write" },
    request: HttpRequest,
    exchange: Exchange,
    input: AnyInput,
    text: string,
  ): Promise<Answer> {
    return this.idempotency.run(
      {
        credential: input.caller.id,
        key,
        fingerprint: fingerprintOf(exchange.path, exchange.search, text),
        now: exchange.now,
      },
      {
        before: run.before && (() => run.before!(input)),
        work: async (transaction) => answerOf(endpoint, request, exchange, await run.handle(input, transaction)),
        refusal: (problem) => this.#refusal(problem, exchange),
      },
    );
  }

  #authenticate(request: HttpRequest, now: number): Caller | Promise<Caller> {
    const header = request.headers.get("authorization");
    if (header === null && request.headers.has("cookie")) {
      const caller = this.options.sessions.authenticate(request, now);
      return caller instanceof Promise ? caller.then(known) : known(caller);
    }
    if (header === null || !(header.startsWith("Bearer ") || /^bearer /i.test(header)))
      throw new Problem("unauthenticated");
    const caller = this.options.authenticator.authenticate(header.slice(7), now);
    return caller instanceof Promise ? caller.then(known) : known(caller);
  }

  /** The same, where each credential comes by once: one that fails is counted. */
  #authenticateCounted(request: HttpRequest, now: number): Caller | Promise<Caller> {
    const failed = (error: unknown): never => {
      const isUnknown = error instanceof Problem && error.code === "unauthenticated";
      throw isUnknown && request.headers.has("authorization") ? this.#failures.count(request.ip, now, error) : error;
    };
    try {
      const caller = this.#authenticate(request, now);
      return caller instanceof Promise ? caller.catch(failed) : caller;
    } catch (error) {
      return failed(error);
    }
  }

  async #accountOfOperator(params: Record<string, string>, query: Record<string, string>) {
    const name = params.accountName ?? query.accountName;
    if (name === undefined) return undefined;
    const account = await this.options.authenticator.findAccount(name);
    if (!account) throw notFound("account");
    return account;
  }

  #refusal(error: unknown, exchange: Exchange): Answer {
    const problem = problemOf(error);
    if (problem.status >= 500) {
      const { requestId, endpoint } = exchange;
      this.options.log.error(problem.detail, { requestId, operation: endpoint?.operationId, error: problem.cause });
    }
    return problemAnswer(problem, { ...exchange, path: redactText(exchange.path) });
  }

  #report(request: HttpRequest, exchange: Exchange, status: number, milliseconds: number): void {
    const { endpoint, requestId, now: time } = exchange;
    this.options.metrics.request(endpoint?.operationId ?? "unknown", status, milliseconds / 1000);
    this.options.log.request({ time, requestId, status, milliseconds, origin: originOf(request, exchange) });
  }

  #reportInput(exchange: Exchange, endpoint: Endpoint, input: AnyInput): void {
    this.options.log.debug("input", {
      requestId: exchange.requestId,
      operation: endpoint.operationId,
      query: redactTexts(input.query),
      body: redactTexts(redact(input.body, secretsOf(endpoint))),
    });
  }
}

/** Remembered with the target, for the caller that asked for it last: one caller asks for one address all the time. */
function originOf(request: HttpRequest, { target, endpoint, caller }: Exchange): RequestOrigin {
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

/** What is only looked at need not be proven UTF-8; what is stored must, on the general way, unless it is ASCII. */
function expressTextOf(body: Body, { run }: Endpoint): string | undefined {
  return run.kind === "read" ? textOf(body) : body.wholeText();
}

/** Whether there is a body, declared to have less than 1,000 bytes. */
function isSmall({ body }: HttpRequest): boolean {
  return body?.length !== undefined && body.length < 1_000;
}

function known(caller: Caller | undefined): Caller {
  if (!caller) throw new Problem("unauthenticated");
  return caller;
}

function checkIfMatch(request: HttpRequest, current: Revision): void {
  const header = request.headers.get("if-match");
  if (header !== null && !matchesRevision(header, current)) throw new Problem("precondition_failed");
}

/** The response schema is also the filter: what it does not name does not leave. */
function answerOf(endpoint: Endpoint, request: HttpRequest, exchange: Exchange, reply: Reply<unknown>): Answer {
  if (!endpoint.response) return emptyAnswer(204, { ...reply.headers });
  const answer = jsonAnswer(reply.text ?? JSON.stringify(endpoint.response.parse(reply.body)));
  if (reply.headers) Object.assign(answer.headers, reply.headers);
  // Keys and tokens must not stay behind in a cache.
  const caching = showsSecrets(endpoint) ? { "cache-control": "no-store" } : undefined;
  if (caching) Object.assign(answer.headers, caching);
  if (reply.revision) {
    const etag = etagOf(reply.revision, reply.composed ? Bun.hash(answer.body!).toString(36) : "");
    const ifNoneMatch = endpoint.method === "GET" ? request.headers.get("if-none-match") : null;
    if (ifNoneMatch !== null && matchesTag(ifNoneMatch, etag)) return emptyAnswer(304, { etag, ...caching });
    answer.headers.etag = etag;
  }
  if (endpoint.isList) {
    const next = nextPage(exchange, reply.body as PageBody);
    if (next) answer.headers.link = next;
  }
  return answer;
}

interface PageBody {
  data: unknown[];
  limit: number;
  offset: number;
  total: number;
}

function nextPage(exchange: Exchange, { data, limit, offset, total }: PageBody): string | undefined {
  const next = offset + data.length;
  if (data.length === 0 || next >= total) return undefined;
  const query = new URLSearchParams(exchange.search);
  query.set("limit", String(limit));
  query.set("offset", String(next));
  return `<${exchange.path}?${query}>; rel="next"`;
}
