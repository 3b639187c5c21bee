import { convertExclusiveLimits } from "../../core/json-schema/exclusive-limits.ts";
import { Preparation, patternProblem } from "../../core/json-schema/json-schema.ts";
import { isJsonObject } from "../../lib/text/json-object.ts";
import type { Located } from "../documents/located.ts";
import { referenceOf } from "./document-references.ts";
import type { ApiDocument } from "./openapi.ts";
import { keyOf } from "./references.ts";

type Json = Record<string, unknown>;

/** A rewritten schema of the document; its references point to `#/$defs/<name>`. */
interface Rewritten {
  schema: unknown;
  /** The names of definitions that it refers to. */
  refers: Set<string>;
  /** The names of definitions that apply to the same value: a cycle of them would never end. */
  refersInPlace: Map<string, Located>;
}

function nothingYet(): Rewritten {
  return { schema: true, refers: new Set(), refersInPlace: new Map() };
}

/** Keywords that contain a schema, a list of schemas or schemas by name, and whether those apply to the same value. */
const holders: Record<string, { holds: "one" | "list" | "named"; inPlace?: true }> = {
  allOf: { holds: "list", inPlace: true },
  anyOf: { holds: "list", inPlace: true },
  oneOf: { holds: "list", inPlace: true },
  not: { holds: "one", inPlace: true },
  if: { holds: "one", inPlace: true },
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema; the object is never awaited.
  then: { holds: "one", inPlace: true },
  else: { holds: "one", inPlace: true },
  dependentSchemas: { holds: "named", inPlace: true },
  items: { holds: "one" },
  prefixItems: { holds: "list" },
  contains: { holds: "one" },
  unevaluatedItems: { holds: "one" },
  properties: { holds: "named" },
  patternProperties: { holds: "named" },
  additionalProperties: { holds: "one" },
  propertyNames: { holds: "one" },
  unevaluatedProperties: { holds: "one" },
};

const unsupported = new Set(["$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"]);

/** Converts schemas of an OpenAPI document into self-contained schemas. Each definition is processed once. */
export class SchemaBundler {
  readonly #names = new Map<string, string>();
  readonly #definitions = new Map<string, Rewritten>();
  /**
   * Definitions that are named but not yet rewritten. A queue, because a chain of them can be longer than the call
   * stack.
   */
  readonly #waiting: { source: Located; definition: Rewritten }[] = [];
  readonly #endings = new Set<string>();

  constructor(
    private readonly api: ApiDocument,
    /** The messages that the schemas validate. */
    private readonly direction: "request" | "response",
  ) {}

  /** Returns JSON Schema 2020-12. Adds errors to the findings if the schema is invalid. */
  bundle(schema: Located): unknown {
    const top = nothingYet();
    top.schema = this.#convert(schema, top, true);
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      next.definition.schema = this.#convert(next.source, next.definition, true);
    }
    const names = this.#closure(top);
    for (const name of names) this.#rejectEndless(name);
    if (schema.findings.hasErrors) return true;
    if (names.length === 0) return prepared(schema, top.schema);
    const definitions = Object.fromEntries(names.map((name) => [name, this.#definitions.get(name)!.schema]));
    return prepared(schema, { ...(top.schema as Json), $defs: definitions });
  }

  /** All definitions that a schema needs, in a fixed order. */
  #closure(top: Rewritten): string[] {
    const found = new Set<string>(top.refers);
    for (const name of found) for (const next of this.#definitions.get(name)?.refers ?? []) found.add(next);
    return [...found].sort();
  }

  #convert(source: Located, into: Rewritten, inPlace: boolean): unknown {
    if (typeof source.value === "boolean") return source.value;
    if (!source.expectObject("a schema")) return true;
    const reference = referenceOf(source);
    const refers = reference ? this.#refer(reference, into, inPlace) : {};
    // In OpenAPI 3.0, members beside a reference are ignored.
    if (reference && this.api.isVersion30) return refers;
    const converted: Json = { ...refers };
    for (const member of source.members()) {
      const holder = Object.hasOwn(holders, member.name) ? holders[member.name] : undefined;
      if (holder) converted[member.name] = this.#convertHeld(member, holder, into, inPlace);
      else if (isValueKeyword(member.name)) converted[member.name] = member.value;
      else if (member.name === "dependencies")
        member.keyError(
          '"dependencies" is not checked: write "dependentRequired" for names, "dependentSchemas" for schemas',
        );
      else if (unsupported.has(member.name))
        member.keyError(`"${member.name}" is not supported in schemas that validate ${this.direction}s`);
    }
    checkPatterns(source);
    if (this.api.isVersion30) modernise(converted, source);
    for (const [name, value] of Object.entries(converted)) checkKeyword(name, value, source.member(name) ?? source);
    if (Array.isArray(converted.required)) converted.required = this.#requiredHere(source, converted.required);
    return converted;
  }

  #convertHeld(member: Located, holder: (typeof holders)[string], into: Rewritten, inPlace: boolean): unknown {
    const convert = (schema: Located) => this.#convert(schema, into, inPlace && holder.inPlace === true);
    if (holder.holds === "one") return convert(member);
    if (holder.holds === "list") {
      if (member.items().length === 0) member.error(`"${member.name}" must be a list of schemas`);
      return member.items().map(convert);
    }
    if (!member.expectObject(`"${member.name}"`)) return {};
    return Object.fromEntries(member.members().map((each) => [each.name, convert(each)]));
  }

  #refer(reference: Located, into: Rewritten, inPlace: boolean): Json {
    const target = this.api.references.target(reference);
    if (!target) return {};
    const name = this.#define(target);
    into.refers.add(name);
    if (inPlace) into.refersInPlace.set(name, reference);
    return { $ref: `#/$defs/${name}` };
  }

  /** Returns the name of a definition, and queues it if it is new. */
  #define(source: Located): string {
    const pointer = keyOf(source);
    const known = this.#names.get(pointer);
    if (known !== undefined) return known;
    const plainName = source.name.replaceAll(/[^A-Za-z0-9_.-]/g, "_");
    let name = plainName;
    for (let number = 2; this.#definitions.has(name); number += 1) name = `${plainName}_${number}`;
    const definition = nothingYet();
    this.#names.set(pointer, name);
    this.#definitions.set(name, definition);
    this.#waiting.push({ source, definition });
    return name;
  }

  /** Reports definitions that refer to themselves for the same value. */
  #rejectEndless(start: string): void {
    const open = [{ name: start, next: this.#definitions.get(start)!.refersInPlace.entries() }];
    const path = new Set([start]);
    for (let current = open.at(-1); current; current = open.at(-1)) {
      const { value: step } = this.#endings.has(current.name) ? { value: undefined } : current.next.next();
      if (!step) {
        this.#endings.add(current.name);
        path.delete(current.name);
        open.pop();
      } else if (path.has(step[0])) {
        step[1].error("this schema refers to itself without end");
      } else {
        path.add(step[0]);
        open.push({ name: step[0], next: this.#definitions.get(step[0])!.refersInPlace.entries() });
      }
    }
  }

  /** readOnly members are not required in a request, writeOnly members not in a response. */
  #requiredHere(source: Located, required: unknown[]): unknown[] {
    const ofOthers = this.direction === "request" ? "readOnly" : "writeOnly";
    return required.filter((name) => {
      const property = typeof name === "string" ? source.member("properties")?.member(name) : undefined;
      return !property || this.api.references.resolve(property)?.member(ofOthers)?.value !== true;
    });
  }
}

function checkPatterns(source: Located): void {
  const pattern = source.member("pattern");
  if (typeof pattern?.value === "string") checkPattern(pattern.value, (message) => pattern.error(message));
  for (const member of source.member("patternProperties")?.members() ?? []) {
    checkPattern(member.name, (message) => member.keyError(message));
  }
}

function checkPattern(pattern: string, report: (message: string) => void): void {
  const problem = patternProblem(pattern);
  if (problem === undefined) return;
  report(
    `this pattern cannot be used: ${problem} (patterns are of RE2: no look-around, no back references, at most 1000 repetitions)`,
  );
}

/** Compiled by the gateway's own validator: a schema accepted here is accepted there. */
function prepared(source: Located, schema: unknown): unknown {
  try {
    new Preparation(schema).finish();
  } catch (error) {
    source.error(`this schema cannot be used: ${error instanceof Error ? error.message : error}`);
  }
  return schema;
}

/** Converts the dialect of OpenAPI 3.0. */
function modernise(schema: Json, source: Located): void {
  if (source.member("nullable")?.value === true && typeof schema.type === "string") schema.type = [schema.type, "null"];
  convertExclusiveLimits(schema);
}

type Test = (value: unknown) => boolean;

const types = ["null", "boolean", "object", "array", "number", "string", "integer"];

const isNumber: Test = (value) => typeof value === "number" && Number.isFinite(value);
const isCount: Test = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isNames: Test = (value) =>
  Array.isArray(value) && value.every((name) => typeof name === "string") && new Set(value).size === value.length;
const isType: Test = (value) => types.includes(value as string);

const count = { test: isCount, must: "must be a whole number, 0 or more" };
const number = { test: isNumber, must: "must be a number" };

/**
 * The keywords of JSON Schema 2020-12 that constrain a value directly. Ajv could check them against the metaschema, but
 * its set-up takes 150 ms: half of a build.
 */
const keywords: Record<string, { test: Test; must: string }> = {
  type: {
    test: (value) =>
      isType(value) || (isNames(value) && (value as unknown[]).length > 0 && (value as unknown[]).every(isType)),
    must: `must be ${types.map((type) => `"${type}"`).join(", ")}, or a list of them`,
  },
  enum: { test: Array.isArray, must: "must be a list" },
  const: { test: () => true, must: "" },
  multipleOf: { test: (value) => isNumber(value) && (value as number) > 0, must: "must be a number greater than 0" },
  maximum: number,
  exclusiveMaximum: number,
  minimum: number,
  exclusiveMinimum: number,
  maxLength: count,
  minLength: count,
  pattern: { test: (value) => typeof value === "string", must: "must be a string" },
  maxItems: count,
  minItems: count,
  uniqueItems: { test: (value) => typeof value === "boolean", must: "must be true or false" },
  maxContains: count,
  minContains: count,
  maxProperties: count,
  minProperties: count,
  required: { test: isNames, must: "must be a list of names, each of them once" },
  dependentRequired: {
    test: (value) => isJsonObject(value) && Object.values(value).every(isNames),
    must: "must be an object of lists of names",
  },
  format: { test: (value) => typeof value === "string", must: "must be a string" },
};

/** All other keywords contain schemas or are annotations. */
export function isValueKeyword(name: string): boolean {
  return Object.hasOwn(keywords, name);
}

/** Reports an error if the value of a keyword is invalid by JSON Schema 2020-12. */
export function checkKeyword(name: string, value: unknown, place: Located): void {
  const keyword = keywords[name];
  if (keyword && !keyword.test(value)) place.error(`"${name}" ${keyword.must}`);
}
