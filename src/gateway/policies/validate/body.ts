import type { RouteValidation } from "../../../core/artifact/artifact.ts";
import type { Budget } from "../../../core/json-schema/budget.ts";
import type { FieldError } from "../../../core/problems/problem.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { RequestContext } from "../../exchange/policy.ts";
import { reject } from "../../exchange/rejection.ts";
import { readRequestBody } from "../../exchange/request-body.ts";
import { ContentCheck, hasUnsupportedCharset, isJson, maxBodyBytes, unsupportedCharset } from "./content.ts";

type BodyRule = NonNullable<RouteValidation["body"]>;

const required: FieldError[] = [{ pointer: "", detail: "is required" }];

/** Checks bodies of requests: their media type, and JSON against its schema. */
export class BodyCheck {
  readonly #content: ContentCheck;

  constructor(
    private readonly rule: BodyRule,
    private readonly observes: boolean,
  ) {
    this.#content = new ContentCheck(rule.content);
  }

  /**
   * Returns the errors, or a rejection of another kind. The buffered body is kept in the context. Throws `BudgetExceeded`.
   */
  async check(context: RequestContext, budget: Budget): Promise<FieldError[] | HttpResponse> {
    const body = context.body ?? context.request.body;
    if (!body) return this.rule.required ? required : [];
    const contentType = context.headers.get("content-type") ?? "";
    const type = this.#content.typeFor(contentType);
    if (type === undefined) {
      const detail = `This operation accepts ${this.#content.mediaTypes.join(", ")}.`;
      return reject(context, "unsupported_media_type", { detail, decision: { reason: "media_type", message: detail } });
    }
    if (!isJson(contentType)) return [];
    if (context.headers.has("content-encoding"))
      return reject(context, "unsupported_media_type", {
        detail: "This operation does not accept compressed bodies.",
        decision: { reason: "compressed" },
      });
    if (hasUnsupportedCharset(contentType)) return unsupportedCharset;

    const bytes = await readRequestBody(context, maxBodyBytes, this.observes);
    if (!Buffer.isBuffer(bytes)) return bytes;
    if (bytes.length === 0) return this.rule.required ? required : [];
    return this.#content.errors(type, bytes, budget);
  }
}
