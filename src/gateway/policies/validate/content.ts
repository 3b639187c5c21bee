import type { Budget } from "../../../core/json-schema/budget.ts";
import { Check } from "../../../core/json-schema/check.ts";
import { explain } from "../../../core/json-schema/explain.ts";
import {
  countMembers,
  duplicateMember,
  maxJsonDepth,
  maxParts,
  measureJson,
} from "../../../core/json-schema/json-text.ts";
import { prepareInSlices } from "../../../core/json-schema/prepare-in-slices.ts";
import type { SchemaNode } from "../../../core/json-schema/schema-node.ts";
import type { FieldError } from "../../../core/problems/problem.ts";

/** The maximum size of JSON that is validated. */
export const maxBodyBytes = 1024 * 1024;

const notJson: FieldError[] = [{ pointer: "", detail: "is not valid JSON" }];
const notUtf8: FieldError[] = [{ pointer: "", detail: "is not valid UTF-8" }];
export const unsupportedCharset: FieldError[] = [
  { pointer: "content-type", detail: "must have the charset UTF-8 or none" },
];
const tooDeep: FieldError[] = [
  { pointer: "", detail: `is nested too deeply: at most ${maxJsonDepth} levels are allowed` },
];

const tooManyParts: FieldError[] = [
  { pointer: "", detail: `has too many parts: at most ${maxParts} members, texts, objects and arrays are allowed` },
];

const decoder = new TextDecoder("utf-8", { fatal: true });

/** Validates bodies: their media types against those of the document, and JSON against its schema. */
export class ContentCheck {
  readonly #nodes = new Map<string, SchemaNode>();
  readonly #preparing = new Map<string, Promise<SchemaNode>>();

  constructor(private readonly content: Record<string, unknown>) {}

  get mediaTypes(): string[] {
    return Object.keys(this.content);
  }

  /** Returns the media type of the document that matches a content type. */
  typeFor(contentType: string): string | undefined {
    const essence = essenceOf(contentType);
    const names = this.mediaTypes;
    const wanted = [essence, `${essence.split("/")[0]}/*`, "*/*"];
    return wanted.map((want) => names.find((name) => essenceOf(name) === want)).find((name) => name !== undefined);
  }

  /** Returns the errors of JSON with a media type of the document. Throws `BudgetExceeded`. */
  async errors(type: string, bytes: Uint8Array, budget: Budget): Promise<FieldError[]> {
    return errorsOf(this.#nodes.get(type) ?? (await this.#prepare(type)), bytes, budget);
  }

  /**
   * Prepares each schema once, even if that fails: later requests must not repeat the cost of a schema that is too
   * large.
   */
  async #prepare(type: string): Promise<SchemaNode> {
    const preparing = this.#preparing.get(type) ?? prepareInSlices(this.content[type]);
    this.#preparing.set(type, preparing);
    const node = await preparing;
    this.#nodes.set(type, node);
    return node;
  }
}

function errorsOf(node: SchemaNode, bytes: Uint8Array, budget: Budget): FieldError[] {
  const { isTooDeep, members, parts } = measureJson(bytes);
  if (isTooDeep) return tooDeep;
  if (parts > maxParts) return tooManyParts;
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
    return [{ pointer: duplicateMember(text) ?? "", detail: "occurs more than once" }];
  if (new Check(budget).fits(node, value, 0)) return [];
  return explain(node, value, "", budget);
}

function essenceOf(contentType: string): string {
  return contentType.split(";")[0]!.trim().toLowerCase();
}

export function isJson(contentType: string): boolean {
  return /^[^/]+\/(?:json|[^/]+\+json)$/.test(essenceOf(contentType));
}

export function hasUnsupportedCharset(contentType: string): boolean {
  if (!contentType.includes(";")) return false;
  const named = contentType.matchAll(/;\s*charset\*?\s*=\s*("?)([^";]*)\1/gi);
  return [...named].some(([, , charset]) => !/^utf-?8$/i.test(charset!.trim()));
}
