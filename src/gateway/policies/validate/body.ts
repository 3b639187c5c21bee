import type { RouteValidation } from "../../../core/artifact/artifact.ts";
import type { Budget } from "../../../core/json-schema/budget.ts";
import { Check } from "../../../core/json-schema/check.ts";
import { explain } from "../../../core/json-schema/explain.ts";
import {
  countMembers,
  deepestJson,
  duplicateMember,
  measureJson,
  mostParts,
} from "../../../core/json-schema/json-text.ts";
import { prepareInSlices } from "../../../core/json-schema/prepare-in-slices.ts";
import type { SchemaNode } from "../../../core/json-schema/schema-node.ts";
import type { FieldError } from "../../../core/problems/problem.ts";
import type { HttpResponse } from "../../../platform/http1/message/http-response.ts";
import type { RequestContext } from "../../policy.ts";
import { reject } from "../../rejection.ts";
import { readRequestBody } from "../../request-body.ts";

type BodyRule = NonNullable<RouteValidation["body"]>;

const largestBody = 1024 * 1024;

const required: FieldError[] = [{ pointer: "", detail: "is required" }];
const notJson: FieldError[] = [{ pointer: "", detail: "is not valid JSON" }];
const notUtf8: FieldError[] = [{ pointer: "", detail: "is not valid UTF-8" }];
const otherCharset: FieldError[] = [{ pointer: "content-type", detail: "must have no charset but UTF-8" }];
const tooDeep: FieldError[] = [
  { pointer: "", detail: `is nested too deeply: at most ${deepestJson} levels are allowed` },
];

const tooManyParts: FieldError[] = [
  { pointer: "", detail: `has too many parts: at most ${mostParts} members, texts, objects and arrays are allowed` },
];

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Checks bodies: their media type, and JSON against its schema. */
export class BodyCheck {
  readonly #nodes = new Map<string, SchemaNode>();
  readonly #preparing = new Map<string, Promise<SchemaNode>>();

  constructor(private readonly rule: BodyRule) {}

  /**
   * Returns the errors, or a rejection of another kind. The buffered body is kept in the context. Throws `BudgetSpent`.
   */
  async check(context: RequestContext, budget: Budget): Promise<FieldError[] | HttpResponse> {
    const body = context.body ?? context.request.body;
    if (!body) return this.rule.required ? required : [];
    const contentType = context.headers.get("content-type") ?? "";
    const type = this.#ruleFor(contentType);
    if (type === undefined) {
      const detail = `This operation takes ${Object.keys(this.rule.content).join(", ")}.`;
      return reject(context, "unsupported_media_type", { detail, decision: { reason: "media_type", message: detail } });
    }
    if (!isJson(contentType)) return [];
    if (context.headers.has("content-encoding"))
      return reject(context, "unsupported_media_type", {
        detail: "This operation takes no compressed bodies.",
        decision: { reason: "compressed" },
      });
    if (hasOtherCharset(contentType)) return otherCharset;

    const bytes = await readRequestBody(context, largestBody);
    if (!bytes)
      return reject(context, "body_too_large", {
        detail: `The body is larger than ${largestBody} bytes.`,
        decision: { reason: "body_too_large", limit: largestBody },
      });
    if (bytes.length === 0) return this.rule.required ? required : [];
    const node = this.#nodes.get(type) ?? (await this.#prepare(type));
    return errorsOf(node, bytes, budget);
  }

  /** Prepared once, also if it fails: requests meanwhile, or after a schema was too large, must not repeat the cost. */
  async #prepare(type: string): Promise<SchemaNode> {
    const preparing = this.#preparing.get(type) ?? prepareInSlices(this.rule.content[type]);
    this.#preparing.set(type, preparing);
    const node = await preparing;
    this.#nodes.set(type, node);
    return node;
  }

  /** The media type of the operation that matches a content type. */
  #ruleFor(contentType: string): string | undefined {
    const essence = essenceOf(contentType);
    const names = Object.keys(this.rule.content);
    const wanted = [essence, `${essence.split("/")[0]}/*`, "*/*"];
    return wanted.map((want) => names.find((name) => essenceOf(name) === want)).find((name) => name !== undefined);
  }
}

function errorsOf(node: SchemaNode, bytes: Uint8Array, budget: Budget): FieldError[] {
  const { isTooDeep, members, parts } = measureJson(bytes);
  if (isTooDeep) return tooDeep;
  if (parts > mostParts) return tooManyParts;
  let text: string;
  let value: unknown;
  try {
    text = decoder.decode(bytes);
  } catch {
    return notUtf8;
  }
  try {
    value = JSON.parse(text);
  } catch {
    return notJson;
  }
  // The last of two members with the same name was checked, but the target may use the first.
  if (members !== countMembers(value))
    return [{ pointer: duplicateMember(text) ?? "", detail: "is there more than once" }];
  if (new Check(budget).fits(node, value, 0)) return [];
  return explain(node, value, "", budget);
}

function essenceOf(contentType: string): string {
  return contentType.split(";")[0]!.trim().toLowerCase();
}

function isJson(contentType: string): boolean {
  return /^[^/]+\/(?:json|[^/]+\+json)$/.test(essenceOf(contentType));
}

function hasOtherCharset(contentType: string): boolean {
  if (!contentType.includes(";")) return false;
  const named = contentType.matchAll(/;\s*charset\*?\s*=\s*("?)([^";]*)\1/gi);
  return [...named].some(([, , charset]) => !/^utf-?8$/i.test(charset!.trim()));
}
