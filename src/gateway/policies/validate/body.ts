import type { RouteValidation } from "../../../deployments/artifact.ts";
import type { FieldError } from "../../../problems/problem.ts";
import type { HttpResponse } from "../../../wire/http-response.ts";
import type { Passage } from "../../policy.ts";
import { refuse } from "../../refusal.ts";
import { describe } from "./errors.ts";
import { schemaCompiler, type ValidateFunction } from "./json-schema.ts";

type BodyRule = NonNullable<RouteValidation["body"]>;

const largestBody = 1024 * 1024;

/** Of larger bodies only the first mistake is told: a body can be made to have a hundred thousand. */
const largestExplained = 64 * 1024;

const required: FieldError[] = [{ pointer: "", detail: "is required" }];
const notJson: FieldError[] = [{ pointer: "", detail: "is not valid JSON" }];
const tooDeep: FieldError[] = [{ pointer: "", detail: "is nested too deeply" }];

/** Checks bodies: their media type, and JSON against its schema. */
export class BodyCheck {
  readonly #first: (type: string) => ValidateFunction;
  readonly #all: (type: string) => ValidateFunction;

  constructor(private readonly rule: BodyRule) {
    this.#first = compileOnce(rule, { allErrors: false });
    this.#all = compileOnce(rule, { allErrors: true });
  }

  /** The mistakes, or a refusal of another kind. The body that was read goes on in the passage. */
  async check(passage: Passage): Promise<FieldError[] | HttpResponse> {
    const { body } = passage.request;
    if (!body) return this.rule.required ? required : [];
    const type = this.#ruleFor(passage.headers.get("content-type"));
    if (type === undefined) {
      const detail = `This operation takes ${Object.keys(this.rule.content).join(", ")}.`;
      return refuse(passage, "unsupported_media_type", { detail });
    }
    if (!isJson(passage.headers.get("content-type")!)) return [];
    if (passage.headers.has("content-encoding"))
      return refuse(passage, "unsupported_media_type", { detail: "This operation takes no compressed bodies." });

    const bytes = body.whole() ?? (await body.bytes(largestBody));
    if (!bytes || bytes.length > largestBody)
      return refuse(passage, "body_too_large", { detail: `The body is larger than ${largestBody} bytes.` });
    passage.body = bytes;
    if (bytes.length === 0) return this.rule.required ? required : [];
    return this.#errorsOf(type, bytes);
  }

  #errorsOf(type: string, bytes: Uint8Array): FieldError[] {
    let value: unknown;
    try {
      value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch {
      return notJson;
    }
    try {
      const first = this.#first(type);
      if (first(value)) return [];
      const validate = bytes.length <= largestExplained ? this.#all(type) : first;
      validate(value);
      return (validate.errors ?? []).map((error) => describe(error, ""));
    } catch (error) {
      // A schema that refers to itself is followed as deep as the body goes.
      if (error instanceof RangeError) return tooDeep;
      throw error;
    }
  }

  /** The media type of the operation that a content type falls under. */
  #ruleFor(contentType: string | null): string | undefined {
    const essence = essenceOf(contentType ?? "");
    const names = Object.keys(this.rule.content);
    const wanted = [essence, `${essence.split("/")[0]}/*`, "*/*"];
    return wanted.map((want) => names.find((name) => essenceOf(name) === want)).find((name) => name !== undefined);
  }
}

function compileOnce({ content }: BodyRule, options: { allErrors: boolean }): (type: string) => ValidateFunction {
  const compiled = new Map<string, ValidateFunction>();
  return (type) => {
    const known = compiled.get(type);
    if (known) return known;
    const validate = schemaCompiler({ ...options, coerceTypes: false }).compile(content[type] as object | boolean);
    compiled.set(type, validate);
    return validate;
  };
}

function essenceOf(contentType: string): string {
  return contentType.split(";")[0]!.trim().toLowerCase();
}

function isJson(contentType: string): boolean {
  return /^[^/]+\/(?:json|[^/]+\+json)$/.test(essenceOf(contentType));
}
