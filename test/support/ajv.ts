import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import formatsPlugin from "ajv-formats";
import { RE2JS } from "re2js";
import { jsonPointer } from "../../src/core/problems/field-errors.ts";
import type { FieldError } from "../../src/core/problems/problem.ts";

type Engine = ((pattern: string) => { test(text: string): boolean }) & { code: string };

/** Patterns and texts are untrusted: RE2 takes linear time for both. */
const linearPatterns: Engine = Object.assign((pattern: string) => RE2JS.compile(RE2JS.translateRegExp(pattern)), {
  code: "linearPatterns",
});

/** Formats use ordinary regular expressions, and a URI of a megabyte took two seconds: longer texts are invalid. */
const maxFormattedLength = 65_536;
/** Base64 of any length; its pattern is linear. */
const unboundedFormat = "byte";

/** Ajv, as a reference for the gateway's validation. */
export function ajvCompiler(options: { allErrors: boolean; coerceTypes: "array" | false }): Ajv2020 {
  const compiler = new Ajv2020({
    ...options,
    strict: false,
    // The build has validated the schema.
    validateSchema: false,
    meta: false,
    logger: false,
    unicodeRegExp: false,
    code: { regExp: linearPatterns },
  });
  // A CommonJS default export, which the type check sees as the whole module.
  const addFormats = formatsPlugin as unknown as typeof formatsPlugin.default;
  addFormats(compiler);
  boundFormats(compiler);
  // Ajv compares all pairs of items, which takes minutes for a large body.
  compiler.removeKeyword("uniqueItems");
  compiler.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    validate: (isUnique: boolean, items: unknown[]) => !isUnique || new Set(items.map(canonical)).size === items.length,
    error: { message: "must not have equal items" },
  });
  return compiler;
}

function boundFormats({ formats }: Ajv2020): void {
  for (const [name, format] of Object.entries(formats)) {
    const test = name === unboundedFormat ? undefined : textTest(format);
    if (test) formats[name] = (text: string) => text.length <= maxFormattedLength && test(text);
  }
}

/** The text check of a format; undefined if the format applies to numbers or accepts everything. */
function textTest(format: unknown): ((text: string) => boolean) | undefined {
  if (format instanceof RegExp) return (text) => format.test(text);
  if (typeof format === "function") return format as (text: string) => boolean;
  if (typeof format !== "object" || format === null) return undefined;
  const { type, validate } = format as { type?: string; validate?: unknown };
  return type === "number" ? undefined : textTest(validate);
}

/** The same text for equal values, whatever the order of their members. */
function canonical(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}

/** The error, relative to the place of the checked value. */
export function describe(error: ErrorObject, place: string): FieldError {
  const { keyword, params, instancePath, message = "is not as it should be" } = error;
  const pointer = place + instancePath;
  switch (keyword) {
    case "required":
      return { pointer: pointer + jsonPointer([params.missingProperty]), detail: "is required" };
    case "additionalProperties":
      return { pointer: pointer + jsonPointer([params.additionalProperty]), detail: "is not allowed here" };
    case "unevaluatedProperties":
      return { pointer: pointer + jsonPointer([params.unevaluatedProperty]), detail: "is not allowed here" };
    case "enum":
      return { pointer, detail: `must be one of ${(params.allowedValues as unknown[]).map(show).join(", ")}` };
    case "const":
      return { pointer, detail: `must be ${show(params.allowedValue)}` };
    default:
      return { pointer, detail: message };
  }
}

function show(value: unknown): string {
  return JSON.stringify(value);
}
