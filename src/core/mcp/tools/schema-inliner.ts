import { isJsonObject, type JsonObject } from "../../../lib/text/json-object.ts";
import { resolvedIn, valueAt } from "../../../lib/text/json-pointer.ts";
import { convertExclusiveLimits } from "../../json-schema/exclusive-limits.ts";
import { patternProblem } from "../../json-schema/json-schema.ts";

/** The size up to which references of a tool's schema are inlined. Above it, each definition is written once. */
const maxInlinedParts = 400;
/** A larger schema is of no use to a model. */
export const maxParts = 10_000;

/** Keywords that contain a schema, a list of schemas, or schemas by name. */
const holders: Partial<Record<string, "one" | "list" | "named">> = {
  allOf: "list",
  anyOf: "list",
  oneOf: "list",
  prefixItems: "list",
  not: "one",
  if: "one",
  // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema; the object is never awaited.
  then: "one",
  else: "one",
  items: "one",
  contains: "one",
  additionalProperties: "one",
  unevaluatedProperties: "one",
  unevaluatedItems: "one",
  propertyNames: "one",
  properties: "named",
  patternProperties: "named",
  dependentSchemas: "named",
};

/** Keywords that are copied. Others say nothing to a model, or mean something only inside the document. */
const copied = new Set([
  ...[
    "type",
    "enum",
    "const",
    "title",
    "description",
    "default",
    "format",
    "pattern",
    "required",
    "minimum",
    "maximum",
  ],
  ...["exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "minItems", "maxItems"],
  ...["uniqueItems", "minContains", "maxContains", "minProperties", "maxProperties", "dependentRequired"],
]);

/** Keywords that may stand beside a reference without a composition. */
const notes = new Set(["title", "description", "default"]);

/** By document, whether the definition at a pointer refers to itself. Each is found by a walk through the document. */
const recursive = new WeakMap<JsonObject, Map<string, boolean>>();

/** Up to this size of what it refers to, a definition is checked for recursion. A larger one cannot be inlined. */
const maxWalkedParts = 10 * maxInlinedParts;

type Direction = "request" | "response";

/** A schema with the definitions that it refers to. */
class Definition {
  schema: unknown;
  parts = 0;
  readonly refersTo = new Set<Definition>();

  constructor(readonly name: string) {}
}

/** Definitions that are written once, by their pointers. */
class Definitions {
  readonly known = new Map<string, Definition>();
  /** The names that are taken, with the number of the last one that began so. */
  readonly names = new Map<string, number>();
  /** Those that are not converted yet, with their schemas. */
  readonly waiting: [definition: Definition, target: unknown][] = [];
}

/** By document, the definitions that its tools share: to convert all of them for each tool would take minutes. */
const shared = new WeakMap<JsonObject, Record<Direction, Definitions>>();

function sharedDefinitions(document: JsonObject, direction: Direction): Definitions {
  const known = shared.get(document) ?? { request: new Definitions(), response: new Definitions() };
  shared.set(document, known);
  return known[direction];
}

/** Thrown when a schema is too large to inline. */
class TooLarge extends Error {}
const tooLarge = new TooLarge("too large to inline");

/** The schemas of one message, in one direction: a tool's arguments or its result. */
export class SchemaInliner {
  readonly #definitions: Definitions;
  readonly #message = new Definition("");
  /** What is being converted: the message, or one of the definitions. */
  #current = this.#message;
  #parts = 0;

  private constructor(
    private readonly document: JsonObject,
    private readonly direction: Direction,
    private readonly inlines: boolean,
  ) {
    this.#definitions = inlines ? new Definitions() : sharedDefinitions(document, direction);
  }

  /**
   * Runs the work with references inlined; if the result is too large, again with `$defs` for each of them. Returns
   * undefined if it is too large in any case.
   */
  static convert<Result>(
    document: JsonObject,
    direction: Direction,
    work: (inliner: SchemaInliner) => Result,
  ): { result: Result; definitions: JsonObject } | undefined {
    for (const inlines of [true, false])
      try {
        const inliner = new SchemaInliner(document, direction, inlines);
        const result = work(inliner);
        const definitions = inliner.#finish();
        return definitions && { result, definitions };
      } catch (error) {
        if (error !== tooLarge) throw error;
      }
    return undefined;
  }

  /** Converts a schema of the document to JSON Schema 2020-12 whose references all are `#/$defs/<name>`. */
  convert(schema: unknown): unknown {
    if (typeof schema === "boolean" || !isJsonObject(schema)) return schema !== false;
    this.#parts += 1;
    this.#current.parts += 1;
    if (this.inlines && this.#parts > maxInlinedParts) throw tooLarge;
    if (typeof schema.$ref !== "string") return this.#convertMembers(schema);
    const target = this.#refer(schema.$ref);
    const { $ref: _, ...beside } = schema;
    if (this.#is30 || Object.keys(beside).length === 0) return target;
    const own = this.#convertMembers(beside);
    if (Object.keys(own).every((name) => notes.has(name)) && isJsonObject(target)) return { ...target, ...own };
    return Object.keys(own).length === 0 ? target : { ...own, allOf: [target] };
  }

  get #is30(): boolean {
    return String(this.document.openapi).startsWith("3.0");
  }

  #refer(pointer: string): unknown {
    const target = valueAt(this.document, pointer);
    if (target === undefined) return {};
    if (this.inlines && !this.#isRecursive(pointer, target)) return this.convert(target);
    return { $ref: `#/$defs/${this.#define(pointer, target)}` };
  }

  #isRecursive(pointer: string, target: unknown): boolean {
    const known = recursive.get(this.document) ?? new Map<string, boolean>();
    recursive.set(this.document, known);
    const found = known.get(pointer) ?? this.#leadsTo(target, pointer, { seen: new Set<string>(), parts: 0 });
    known.set(pointer, found);
    return found;
  }

  /** Whether the definition refers to itself, directly or by others, or is too large to tell. */
  #leadsTo(schema: unknown, pointer: string, walked: { seen: Set<string>; parts: number }): boolean {
    if (++walked.parts > maxWalkedParts) return true;
    if (Array.isArray(schema)) return schema.some((each) => this.#leadsTo(each, pointer, walked));
    if (!isJsonObject(schema)) return false;
    const { $ref } = schema;
    if ($ref === pointer) return true;
    if (typeof $ref === "string" && !walked.seen.has($ref)) {
      walked.seen.add($ref);
      if (this.#leadsTo(valueAt(this.document, $ref), pointer, walked)) return true;
    }
    return Object.values(schema).some((each) => this.#leadsTo(each, pointer, walked));
  }

  #define(pointer: string, target: unknown): string {
    const { known, names, waiting } = this.#definitions;
    let definition = known.get(pointer);
    if (!definition) {
      const plain = pointer.slice(pointer.lastIndexOf("/") + 1).replaceAll(/[^A-Za-z0-9_.-]/g, "_");
      let name = plain;
      let number = names.get(plain) ?? 0;
      while (names.has(name)) name = `${plain}_${++number}`;
      names.set(name, 1).set(plain, Math.max(1, number));
      definition = new Definition(name);
      known.set(pointer, definition);
      waiting.push([definition, target]);
    }
    this.#current.refersTo.add(definition);
    return definition.name;
  }

  /** Returns the definitions that the message refers to, directly or by others. Undefined if they are too large. */
  #finish(): JsonObject | undefined {
    const { waiting } = this.#definitions;
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [definition, target] = next;
      this.#current = definition;
      definition.schema = this.convert(target);
    }
    let { parts } = this.#message;
    const found = new Set(this.#message.refersTo);
    // Definitions that are added are visited too.
    for (const definition of found) {
      parts += 1 + definition.parts;
      if (parts > maxParts) return undefined;
      for (const each of definition.refersTo) found.add(each);
    }
    return Object.fromEntries([...found].map(({ name, schema }) => [name, schema]));
  }

  #convertMembers(schema: JsonObject): JsonObject {
    const converted: JsonObject = {};
    for (const [name, value] of Object.entries(schema)) {
      const holder = Object.hasOwn(holders, name) ? holders[name] : undefined;
      if (name === "properties") converted.properties = this.#convertProperties(value);
      else if (holder === "one") converted[name] = this.convert(value);
      else if (holder === "list" && Array.isArray(value)) converted[name] = value.map((each) => this.convert(each));
      else if (holder === "named" && isJsonObject(value))
        converted[name] = Object.fromEntries(Object.entries(value).map(([key, each]) => [key, this.convert(each)]));
      else if (copied.has(name)) converted[name] = value;
    }
    this.#correct(converted, schema);
    return converted;
  }

  #convertProperties(properties: unknown): JsonObject {
    if (!isJsonObject(properties)) return {};
    return Object.fromEntries(
      Object.entries(properties)
        .filter(([, each]) => !this.#isOfOtherDirection(each))
        .map(([name, each]) => [name, this.convert(each)]),
    );
  }

  /** `readOnly` members are not in requests, `writeOnly` members not in responses. */
  #isOfOtherDirection(property: unknown): boolean {
    const member = this.direction === "request" ? "readOnly" : "writeOnly";
    if (isJsonObject(property) && property[member] === true) return true;
    return resolvedIn(this.document, property)?.[member] === true;
  }

  #correct(converted: JsonObject, source: JsonObject): void {
    if (Array.isArray(converted.required)) {
      const { properties } = source;
      const kept = converted.required.filter(
        (name) => !isJsonObject(properties) || !this.#isOfOtherDirection(properties[name as string]),
      );
      if (kept.length > 0) converted.required = kept;
      else delete converted.required;
    } else delete converted.required;
    // Patterns of other dialects cannot be checked here; the API checks them.
    if (typeof converted.pattern !== "string" || patternProblem(converted.pattern) !== undefined)
      delete converted.pattern;
    if (isJsonObject(converted.patternProperties))
      for (const pattern of Object.keys(converted.patternProperties))
        if (patternProblem(pattern) !== undefined) delete converted.patternProperties[pattern];
    if (this.#is30) modernise(converted, source);
  }
}

/** Converts the dialect of OpenAPI 3.0. */
function modernise(schema: JsonObject, source: JsonObject): void {
  if (source.nullable === true && typeof schema.type === "string") {
    schema.type = [schema.type, "null"];
    if (Array.isArray(schema.enum) && !schema.enum.includes(null)) schema.enum = [...schema.enum, null];
  }
  convertExclusiveLimits(schema);
}
