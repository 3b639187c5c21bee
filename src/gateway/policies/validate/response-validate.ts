import type { DecisionDetail } from "../../../areas/insight/request-log/request-record.ts";
import { type ResponseRule, type RouteValidation, responseFor } from "../../../core/artifact/artifact.ts";
import { Budget } from "../../../core/json-schema/budget.ts";
import type { ProblemCode } from "../../../core/problems/catalogue.ts";
import type { FieldError } from "../../../core/problems/problem.ts";
import { bufferPiece } from "../../../platform/http1/memory/buffer-memory.ts";
import { Body } from "../../../platform/http1/message/body.ts";
import type { HttpRequest } from "../../../platform/http1/message/http-request.ts";
import { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import { readWhole, type Unread } from "../../../platform/http1/message/read-whole.ts";
import {
  type DoneDetail,
  type PolicyPlace,
  type PolicyState,
  type RequestContext,
  stateOf,
} from "../../exchange/policy.ts";
import { clientGoneStatus, reject } from "../../exchange/rejection.ts";
import type { ContentCheck } from "./content.ts";
import type { ValidateOptions } from "./schema.ts";
import { isCostly, maxRecordedErrors, ValidatePolicy } from "./validate.ts";

type Content = typeof import("./content.ts");

/** Why a response does not match its operation, or could not be validated. */
type Finding = DecisionDetail;

interface ResponseState extends PolicyState {
  finding: Finding | undefined;
  /** If responses are not replaced: the body, which is validated after it was sent to the client. */
  observed: { body: ObservedBody; check: (bytes: Buffer) => Promise<Finding | undefined> } | undefined;
}

/** The problem for each reason of a finding. Other reasons become `response_unreadable`. */
const codes: Record<string, ProblemCode> = {
  response_invalid: "response_invalid",
  response_too_large: "response_too_large",
  buffers_full: "buffers_full",
  timeout: "upstream_timeout",
};

const details: Record<string, string> = {
  compressed: "The upstream's response is compressed.",
  too_costly: "Validating the upstream's response takes too long.",
};

/** Validates requests, and the responses to them. */
export class ResponseValidatePolicy extends ValidatePolicy {
  readonly #checks = new Map<ResponseRule, ContentCheck>();

  constructor(
    validation: RouteValidation,
    private readonly mode: NonNullable<ValidateOptions["response"]>,
    private readonly place: Pick<PolicyPlace, "warn" | "observes">,
  ) {
    super(validation, place.observes);
  }

  /** Whether a response that does not match is replaced. */
  get #replaces(): boolean {
    return this.mode === "enforce" && !this.observes;
  }

  override enter(context: RequestContext): HttpResponse | undefined | Promise<HttpResponse | undefined> {
    // A compressed or partial body cannot be validated.
    if (!this.observes) {
      context.headers.set("accept-encoding", "identity");
      context.headers.delete("range");
    }
    return super.enter(context);
  }

  leave(context: RequestContext, response: HttpResponse): HttpResponse | Promise<HttpResponse> {
    const { status } = response;
    if (context.rejection !== undefined || context.request.isAborted || response.tunnel) return response;
    if (this.observes && status === 206) return response;
    if (context.method === "HEAD" || status === 204 || status === 304 || response.bodyLength === 0) return response;
    const rule = responseFor(this.validation.responses ?? [], status);
    return rule && hasMembers(rule.content) ? this.#check(context, response, rule) : response;
  }

  /** Called after the response was sent or the client disconnected. */
  done(context: RequestContext): DoneDetail | Promise<DoneDetail> {
    const state = stateOf<ResponseState>(context, this);
    if (!state?.observed) return this.#report(context, state?.finding);
    const { body, check } = state.observed;
    const bytes = body.take();
    if (bytes === undefined) return undefined;
    if (typeof bytes === "string") return this.#report(context, findingOf(bytes));
    return check(bytes)
      .finally(() => body.release())
      .then((finding) => this.#report(context, finding));
  }

  /** With `report`, adds the finding to the deployment's log, because clients do not notice it. */
  #report(context: RequestContext, finding: Finding | undefined): DoneDetail {
    // Enforced, the response would not be compressed, and buffers might not be full: that is no decision about it.
    if (finding && this.mode === "enforce" && !(this.observes && undecided.includes(finding.reason)))
      return { rejection: codeOf(finding), detail: finding };
    if (finding && this.mode === "report") {
      const { method, route, requestId } = context;
      const outcome = finding.errors
        ? `does not match the document: ${textOf(finding.errors)}`
        : `could not be validated: ${finding.reason}`;
      this.place.warn(`The response to ${method} ${route.path} ${outcome}`, requestId);
    }
    return finding;
  }

  async #check(context: RequestContext, response: HttpResponse, rule: ResponseRule): Promise<HttpResponse> {
    const content = await import("./content.ts");
    const state: ResponseState = {
      policy: this,
      previous: context.state,
      finding: undefined,
      observed: undefined,
    };
    context.state = state;
    const check = this.#checks.get(rule) ?? new content.ContentCheck(rule.content);
    this.#checks.set(rule, check);
    const contentType = response.headers.get("content-type") ?? "";
    const type = check.typeFor(contentType);
    const finding = findingOfHead(response, content, check, type);
    if (finding) return this.#found(context, state, response, finding);
    if (!content.isJson(contentType)) return response;
    const checkBytes = (bytes: Buffer) => findingOfBody(check, type!, bytes);
    if (!this.#replaces) {
      state.observed = { body: new ObservedBody(context.request, response, content.maxBodyBytes), check: checkBytes };
      return response;
    }
    return this.#enforce(context, state, response, { limit: content.maxBodyBytes, checkBytes });
  }

  async #enforce(
    context: RequestContext,
    state: ResponseState,
    response: HttpResponse,
    { limit, checkBytes }: { limit: number; checkBytes: (bytes: Buffer) => Promise<Finding | undefined> },
  ): Promise<HttpResponse> {
    const { status, headers } = response;
    const body = response.body ?? "";
    let bytes: Buffer | Unread;
    try {
      bytes = await readWhole(context.request, body, limit, { responseSeconds: context.route.timeoutSeconds });
    } catch {
      return reject(context, "upstream_unavailable");
    }
    if (bytes === "aborted") return new HttpResponse(clientGoneStatus);
    if (typeof bytes === "string") {
      const reasons = { "too-large": "response_too_large", full: "buffers_full", late: "timeout" };
      return this.#found(context, state, response, findingOf(reasons[bytes], limit));
    }
    const finding = await checkBytes(bytes);
    return finding
      ? this.#found(context, state, response, finding)
      : new HttpResponse(status, headers, body instanceof Body ? bytes : body);
  }

  /**
   * With `enforce`, a response that does not match or cannot be validated is not sent: it may contain data that clients
   * must not see.
   */
  #found(context: RequestContext, state: ResponseState, response: HttpResponse, finding: Finding): HttpResponse {
    state.finding = finding;
    if (!this.#replaces) return response;
    response.discard();
    const code = codeOf(finding);
    const detail = details[finding.reason];
    const rejection = reject(context, code, {
      ...(detail !== undefined && { detail }),
      ...(code === "buffers_full" && { retryAfterSeconds: 1 }),
    });
    // Only the owner of the deployment may see the names of members.
    if (finding.errors) context.rejectionDetail = textOf(finding.errors);
    return rejection;
  }
}

const undecided = ["compressed", "buffers_full"];

function codeOf({ reason }: Finding): ProblemCode {
  return codes[reason] ?? "response_unreadable";
}

function hasMembers(object: object): boolean {
  for (const _ in object) return true;
  return false;
}

function findingOfHead(
  { headers }: HttpResponse,
  { isJson, hasUnsupportedCharset, unsupportedCharset }: Content,
  check: ContentCheck,
  type: string | undefined,
): Finding | undefined {
  const contentType = headers.get("content-type") ?? "";
  if (type === undefined)
    return invalid([{ pointer: "content-type", detail: `must be one of ${check.mediaTypes.join(", ")}` }]);
  if (!isJson(contentType)) return undefined;
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() !== "identity") return findingOf("compressed");
  return hasUnsupportedCharset(contentType) ? invalid(unsupportedCharset) : undefined;
}

async function findingOfBody(check: ContentCheck, type: string, bytes: Buffer): Promise<Finding | undefined> {
  try {
    const errors = await check.errors(type, bytes, new Budget());
    return errors.length > 0 ? invalid(errors) : undefined;
  } catch (error) {
    if (!isCostly(error)) throw error;
    return findingOf("too_costly");
  }
}

function invalid(errors: FieldError[]): Finding {
  return { reason: "response_invalid", errors: errors.slice(0, maxRecordedErrors) };
}

function findingOf(reason: string, limit?: number): Finding {
  return { reason, ...(limit !== undefined && reason === "response_too_large" && { limit }) };
}

function textOf(errors: FieldError[]): string {
  return errors.map(({ pointer, detail }) => `${pointer || "the body"} ${detail}`).join("; ");
}

/** Keeps a copy of a body that streams to the client, up to a limit, without delaying it. */
export class ObservedBody {
  #pieces: Buffer[] = [];
  #size = 0;
  #hasEnded = false;
  #isReleased = false;
  #problem: "response_too_large" | "buffers_full" | undefined;

  constructor(
    private readonly request: HttpRequest,
    { body, bodyLength }: HttpResponse,
    private readonly limit: number,
  ) {
    if ((bodyLength ?? 0) > limit) this.#problem = "response_too_large";
    else if (body instanceof Body)
      body.observe({
        piece: (bytes) => this.#keep(bytes),
        end: () => {
          this.#hasEnded = true;
        },
      });
    else {
      this.#keep(Buffer.from((body ?? "") as Uint8Array));
      this.#hasEnded = true;
    }
  }

  /**
   * Returns the whole body, the reason why it was not kept, or undefined if the body is incomplete. The caller must
   * call `release`.
   */
  take(): Buffer | "response_too_large" | "buffers_full" | undefined {
    if (this.#problem) return this.#problem;
    if (this.#hasEnded) return Buffer.concat(this.#pieces);
    this.release();
    return undefined;
  }

  release(): void {
    this.#isReleased = true;
    this.request.release(this.#size);
    this.#size = 0;
    this.#pieces = [];
  }

  #keep(bytes: Buffer): void {
    if (this.#problem || this.#isReleased) return;
    const isTooLarge = this.#size + bytes.length > this.limit;
    if (isTooLarge || !this.request.reserve(bytes.length)) {
      this.#problem = isTooLarge ? "response_too_large" : "buffers_full";
      this.release();
      return;
    }
    this.#size += bytes.length;
    bufferPiece(this.#pieces, bytes);
  }
}
