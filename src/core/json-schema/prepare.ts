import { isJsonObject } from "../../lib/text/json-object.ts";
import { SchemaTooLarge } from "./budget.ts";
import { formatOf } from "./formats.ts";
import { Pattern } from "./patterns.ts";
import {
  type AllowedValues,
  type ArrayRules,
  type Contains,
  type InPlaceRules,
  type JsonObject,
  type Name,
  type NumberRules,
  type ObjectRules,
  SchemaNode,
  type TextRules,
  typeBits,
} from "./schema-node.ts";

/**
 * The maximum size of all schemas of a document together, counted in schemas, members and values. Larger ones take too
 * long to prepare.
 */
const maxSchemaWeight = 50_000;

/** Up to this number, properties are looked up one by one. */
const maxDirectLookups = 32;

/** The maximum length of an error that lists allowed values. */
const maxListLength = 1_000;

/** Compiles schemas of the builder, whose references all are `#/$defs/<name>`, to nodes. */
export class Preparation {
  #weight = 0;
  readonly top: SchemaNode;
  readonly #definitions: JsonObject;
  readonly #named = new Map<string, SchemaNode>();
  readonly #waiting: (() => void)[] = [];

  constructor(root: unknown) {
    this.#definitions = isJsonObject(root) && isJsonObject(root.$defs) ? root.$defs : {};
    this.top = this.#nodeOf(root);
  }

  /**
   * Prepares one schema, so that the caller can yield between the schemas of a large document. Returns false when all
   * are done.
   */
  step(): boolean {
    const next = this.#waiting.pop();
    next?.();
    return next !== undefined;
  }

  finish(): SchemaNode {
    while (this.step());
    return this.top;
  }

  #weigh(weight: number): void {
    this.#weight += weight;
    if (this.#weight > maxSchemaWeight) throw new SchemaTooLarge(`it has more than ${maxSchemaWeight} parts`);
  }

  #nodeOf(schema: unknown): SchemaNode {
    this.#weigh(1);
    const target = this.#definitionOf(schema);
    if (target) return target;
    const node = new SchemaNode();
    this.#waitFor(node, schema);
    return node;
  }

  #waitFor(node: SchemaNode, schema: unknown): void {
    if (typeof schema === "boolean") node.verdict = schema;
    else if (!isJsonObject(schema)) throw new Error("a schema is neither an object nor true or false");
    else this.#waiting.push(() => this.#fill(node, schema));
  }

  /** Resolves a schema that consists only of a reference, following chains of references. */
  #definitionOf(schema: unknown): SchemaNode | undefined {
    const seen = new Set<string>();
    let current = schema;
    let name: string | undefined;
    while (isJsonObject(current) && typeof current.$ref === "string" && isBareReference(current)) {
      name = definitionName(current.$ref);
      const known = this.#named.get(name);
      if (known) return this.#nameAll(seen, known);
      if (seen.has(name)) throw new Error("references are circular");
      seen.add(name);
      if (!Object.hasOwn(this.#definitions, name)) throw new Error(`there is no definition "${name}"`);
      current = this.#definitions[name];
    }
    if (name === undefined) return undefined;
    const node = this.#nameAll(seen, new SchemaNode());
    node.isShared = true;
    this.#weigh(seen.size);
    this.#waitFor(node, current);
    return node;
  }

  #nameAll(names: Set<string>, node: SchemaNode): SchemaNode {
    for (const name of names) this.#named.set(name, node);
    return node;
  }

  #fill(node: SchemaNode, schema: JsonObject): void {
    if (typeof schema.$ref === "string") node.ref = this.#nodeOf({ $ref: schema.$ref });
    const types = schema.type === undefined ? [] : ([schema.type].flat() as string[]);
    node.typeNames = types;
    for (const type of types) node.types |= typeBits[type] ?? 0;
    node.inPlace = this.#inPlaceOf(schema);
    node.allowed = this.#allowedOf(schema);
    const format = typeof schema.format === "string" ? formatOf(schema.format) : undefined;
    node.numbers = numbersOf(schema, format?.isNumeric ? format : undefined);
    node.texts = this.#textsOf(schema, format?.isNumeric ? undefined : format);
    node.arrays = this.#arraysOf(schema);
    node.objects = this.#objectsOf(schema);
    const [type] = types;
    node.isTypeLate =
      types.length === 1 && keywordsOf[type!]?.some((keyword) => schema[keyword] !== undefined) === true;
    const rules = [node.ref, node.inPlace, node.allowed, node.numbers, node.texts, node.arrays, node.objects];
    if (types.length === 0 && rules.every((rule) => rule === undefined)) node.verdict = true;
  }

  #optional(schema: unknown): SchemaNode | undefined {
    return schema === undefined ? undefined : this.#nodeOf(schema);
  }

  #list(schemas: unknown): SchemaNode[] | undefined {
    return Array.isArray(schemas) ? schemas.map((schema) => this.#nodeOf(schema)) : undefined;
  }

  #names(names: unknown): Name[] {
    if (!Array.isArray(names)) return [];
    this.#weigh(names.length);
    return names.map(nameOf);
  }

  #pattern(source: string): Pattern {
    const pattern = new Pattern(source);
    this.#waiting.push(() => pattern.compile());
    return pattern;
  }

  #inPlaceOf(schema: JsonObject): InPlaceRules | undefined {
    const { not, anyOf, oneOf, allOf } = schema;
    if ([not, anyOf, oneOf, allOf, schema.if].every((keyword) => keyword === undefined)) return undefined;
    // Without `then` and `else` it still marks members as evaluated.
    const condition =
      schema.if !== undefined
        ? {
            if: this.#nodeOf(schema.if),
            // biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema; the object is never awaited.
            then: isRule(schema.then) ? this.#nodeOf(schema.then) : undefined,
            else: isRule(schema.else) ? this.#nodeOf(schema.else) : undefined,
          }
        : undefined;
    return {
      not: this.#optional(not),
      anyOf: this.#list(anyOf),
      oneOf: this.#list(oneOf),
      allOf: this.#list(allOf),
      condition,
    };
  }

  #allowedOf(schema: JsonObject): AllowedValues[] | undefined {
    if (Array.isArray(schema.enum)) this.#weigh(schema.enum.length);
    const allowed: AllowedValues[] = [];
    if (schema.const !== undefined) allowed.push(allowedValues("const", [schema.const]));
    if (Array.isArray(schema.enum)) allowed.push(allowedValues("enum", schema.enum));
    return allowed.length > 0 ? allowed : undefined;
  }

  #textsOf(schema: JsonObject, format: TextRules["format"]): TextRules | undefined {
    if (!format && !hasAny(schema, keywordsOf.string!.slice(0, -1))) return undefined;
    const pattern = typeof schema.pattern === "string" ? this.#pattern(schema.pattern) : undefined;
    return { maxLength: numberOf(schema.maxLength), minLength: numberOf(schema.minLength), pattern, format };
  }

  #arraysOf(schema: JsonObject): ArrayRules | undefined {
    if (!hasAny(schema, keywordsOf.array!)) return undefined;
    const contains = this.#containsOf(schema);
    return {
      maxItems: numberOf(schema.maxItems),
      minItems: numberOf(schema.minItems),
      prefixItems: this.#list(schema.prefixItems) ?? [],
      items: this.#optional(schema.items),
      contains,
      unevaluatedItems: this.#optional(schema.unevaluatedItems),
      uniqueItems: schema.uniqueItems === true,
    };
  }

  #containsOf(schema: JsonObject): Contains | undefined {
    if (schema.contains === undefined) return undefined;
    const min = numberOf(schema.minContains) ?? 1;
    return { node: this.#nodeOf(schema.contains), min, max: numberOf(schema.maxContains) };
  }

  #objectsOf(schema: JsonObject): ObjectRules | undefined {
    if (!hasAny(schema, keywordsOf.object!)) return undefined;
    const entries = (value: unknown) => (isJsonObject(value) ? Object.entries(value) : []);
    const named = ([name, held]: [string, unknown]) => ({ ...nameOf(name), node: this.#nodeOf(held) });
    const rules: ObjectRules = {
      maxProperties: numberOf(schema.maxProperties),
      minProperties: numberOf(schema.minProperties),
      required: this.#names(schema.required),
      propertyNames: this.#optional(schema.propertyNames),
      properties: entries(schema.properties).map(named),
      known: new Map(),
      isWide: false,
      patternProperties: entries(schema.patternProperties).map(([pattern, held]) => ({
        pattern: this.#pattern(pattern),
        node: this.#nodeOf(held),
      })),
      additionalProperties: this.#optional(schema.additionalProperties),
      dependentRequired: entries(schema.dependentRequired).map(([name, names]) => ({
        property: nameOf(name),
        names: this.#names(names),
      })),
      dependentSchemas: entries(schema.dependentSchemas).map(named),
      unevaluatedProperties: this.#optional(schema.unevaluatedProperties),
      readsKeys: false,
      cost: 0,
    };
    for (const { name, node } of rules.properties) rules.known.set(name, node);
    rules.isWide = rules.properties.length > maxDirectLookups;
    rules.readsKeys = hasAny(schema, [
      "maxProperties",
      "minProperties",
      "propertyNames",
      "patternProperties",
      "additionalProperties",
    ]);
    const dependents = rules.dependentRequired.reduce((sum, { names }) => sum + names.length + 1, 0);
    const lookups = rules.required.length + (rules.isWide ? 0 : rules.properties.length) + dependents;
    rules.cost = 2 + 3 * (lookups + rules.dependentSchemas.length);
    return rules;
  }
}

/** Rules by the type that they apply to, as far as builds accept them. */
const keywordsOf: Record<string, string[]> = {
  number: ["maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum", "multipleOf", "format"],
  string: ["maxLength", "minLength", "pattern", "format"],
  array: [
    "maxItems",
    "minItems",
    "prefixItems",
    "items",
    "contains",
    "maxContains",
    "minContains",
    "unevaluatedItems",
    "uniqueItems",
  ],
  object: [
    "maxProperties",
    "minProperties",
    "required",
    "propertyNames",
    "additionalProperties",
    "properties",
    "patternProperties",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedProperties",
  ],
};

function numbersOf(schema: JsonObject, format: NumberRules["format"]): NumberRules | undefined {
  if (!format && !hasAny(schema, keywordsOf.number!.slice(0, -1))) return undefined;
  return {
    maximum: numberOf(schema.maximum),
    minimum: numberOf(schema.minimum),
    exclusiveMaximum: numberOf(schema.exclusiveMaximum),
    exclusiveMinimum: numberOf(schema.exclusiveMinimum),
    multipleOf: numberOf(schema.multipleOf),
    format,
  };
}

function allowedValues(keyword: AllowedValues["keyword"], values: unknown[]): AllowedValues {
  const isComposite = (value: unknown) => typeof value === "object" && value !== null;
  let list = "";
  for (const value of values) {
    if (list.length > maxListLength) {
      list += ", …";
      break;
    }
    const text = JSON.stringify(value);
    list += (list === "" ? "" : ", ") + (values.length > 1 && text.length > maxListLength ? "…" : text);
  }
  return {
    keyword,
    scalars: new Set(values.filter((value) => !isComposite(value))),
    composites: values.filter(isComposite),
    detail: `must be ${keyword === "enum" ? "one of " : ""}${list}`,
  };
}

/** Whether a schema has any rule at all. */
function isRule(schema: unknown): boolean {
  if (!isJsonObject(schema)) return schema === false;
  return hasAny(schema, ruleKeywords);
}

const ruleKeywords = [
  ...["$ref", "type", "const", "enum", "not", "anyOf", "oneOf", "allOf", "if"],
  ...Object.values(keywordsOf).flat(),
];

function isBareReference(schema: JsonObject): boolean {
  for (const keyword in schema) if (keyword !== "$ref" && keyword !== "$defs") return false;
  return true;
}

function definitionName(reference: string): string {
  return reference.slice("#/$defs/".length);
}

function hasAny(schema: JsonObject, keywords: readonly string[]): boolean {
  return keywords.some((keyword) => schema[keyword] !== undefined);
}

function nameOf(name: string): Name {
  return { name, isInherited: name in Object.prototype };
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}
