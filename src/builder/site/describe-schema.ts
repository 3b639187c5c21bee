import type { DescribedSchema } from "../../core/artifact/site.ts";
import type { Located } from "../documents/located.ts";
import { referenceOf } from "../openapi/document-references.ts";
import type { ApiDocument } from "../openapi/openapi.ts";
import { keyOf } from "../openapi/references.ts";
import { descriptionOf, shortJson } from "./description.ts";
import type { SchemaPages } from "./schema-pages.ts";

const maxReferences = 3;
const maxDepth = 12;
const maxMembers = 300;
const maxValues = 100;

/** Describes the schemas of one page. */
export class SchemaDescriber {
  #left: number;
  /** The number of references that were followed. */
  #followed = 0;
  /** The references that lead to the schema that is being described. */
  readonly #path: string[] = [];

  constructor(
    private readonly api: ApiDocument,
    private readonly pages: SchemaPages,
  ) {
    this.#left = pages.perPage;
  }

  get perPage(): number {
    return this.pages.perPage;
  }

  /** Describes a schema, or the target of its reference. */
  describe(place: Located): DescribedSchema {
    if (!referenceOf(place)) return this.#describeOnce(place);
    this.#followed += 1;
    const target = this.pages.targetOf(place);
    if (!target) return { type: "any" };
    // A reference to a reference has the name of the first.
    const { name, page } = this.pages.of(target);
    const key = keyOf(target);
    const schema = this.api.references.resolve(target);
    if (!schema) return { type: "any", name };
    if (this.#path.includes(key) || this.#path.length >= maxReferences || this.#left <= 0)
      return { type: this.#typeOf(schema), name, page };
    this.#path.push(key);
    const described = this.#describe(schema);
    this.#path.pop();
    const own = descriptionOf(place.member("description"));
    return { ...described, name, ...(own && { description: own }) };
  }

  /** Describes the schema of a page of its own, which references within it lead back to. */
  describeOwn(schema: Located): DescribedSchema {
    this.#path.push(keyOf(schema));
    const described = this.describe(schema);
    this.#path.pop();
    return described;
  }

  /** Schemas without references are described once, for all pages. */
  #describeOnce(schema: Located): DescribedSchema {
    if (!schema.isObject) return this.#describe(schema);
    const known = this.pages.described.get(schema.value as object);
    if (known) {
      this.#left -= 1;
      return known;
    }
    const followed = this.#followed;
    const described = this.#describe(schema);
    if (followed === this.#followed) this.pages.described.set(schema.value as object, described);
    return described;
  }

  #describe(schema: Located): DescribedSchema {
    this.#left -= 1;
    if (schema.value === false) return { type: "nothing" };
    if (!schema.isObject) return { type: "any" };
    const parts = this.#partsOf(schema, 0);
    const member = (name: string) => parts.map((part) => part.member(name)).find((found) => found !== undefined);
    const described: DescribedSchema = { type: this.#typeOf(schema) };
    const format = member("format")?.value;
    if (typeof format === "string") described.format = format;
    const title = schema.member("title")?.value;
    if (typeof title === "string" && title !== "") described.name = title;
    const description = descriptionOf(member("description"));
    if (description) described.description = description;
    const rules = parts.flatMap(rulesOf);
    if (rules.length > 0) described.rules = [...new Set(rules)];
    const values = member("const") ? [member("const")!] : (member("enum")?.items() ?? []);
    if (values.length > 0) described.values = values.slice(0, maxValues).map(({ value }) => shortJson(value));
    if (member("default")) described.default = shortJson(member("default")!.value);
    const example = member("example") ?? member("examples")?.items()[0];
    if (example) described.example = shortJson(example.value);
    if (member("deprecated")?.value === true) described.isDeprecated = true;
    if (member("readOnly")?.value === true) described.access = "read";
    if (member("writeOnly")?.value === true) described.access = "write";
    this.#addParts(described, parts);
    return described;
  }

  #addParts(described: DescribedSchema, parts: Located[]): void {
    const properties = this.#propertiesOf(parts);
    if (properties.length > 0) described.properties = properties;
    const items = parts.map((part) => part.member("items")).find((found) => found !== undefined);
    if (items) described.items = this.describe(items);
    const others = parts.map((part) => part.member("additionalProperties")).find((found) => found?.isObject);
    if (others) described.others = this.describe(others);
    for (const [name, kind] of [
      ["oneOf", "one"],
      ["anyOf", "any"],
    ] as const) {
      const options = parts.flatMap((part) => part.member(name)?.items() ?? []).filter((option) => !isNull(option));
      if (options.length === 0 || described.variants) continue;
      if (options.length === 1) {
        // The other one was null.
        Object.assign(described, { ...this.describe(options[0]!), ...described });
        continue;
      }
      described.variantKind = kind;
      described.variants = options.slice(0, maxMembers).map((option) => this.describe(option));
    }
    const discriminator = parts.map((part) => part.member("discriminator")?.member("propertyName")?.value);
    const property = discriminator.find((value) => typeof value === "string");
    if (property !== undefined) described.discriminator = property as string;
  }

  #propertiesOf(parts: Located[]): NonNullable<DescribedSchema["properties"]> {
    const required = new Set(
      parts.flatMap((part) => (part.member("required")?.items() ?? []).map(({ value }) => value)),
    );
    const byName = new Map<string, Located>();
    for (const part of parts)
      for (const property of part.member("properties")?.members() ?? []) byName.set(property.name, property);
    return [...byName]
      .slice(0, maxMembers)
      .map(([name, property]) => ({ name, isRequired: required.has(name), schema: this.describe(property) }));
  }

  /** The schema and those of its `allOf`, which all apply, each once. */
  #partsOf(schema: Located, depth: number, visited = new Set<string>()): Located[] {
    const key = keyOf(schema);
    if (visited.has(key)) return [];
    visited.add(key);
    if (depth > maxDepth) return [schema];
    const all = schema.member("allOf")?.items() ?? [];
    if (all.length === 0) return [schema];
    const resolved = all.map((part) => this.api.references.resolve(part)).filter((part) => part?.isObject);
    return [schema, ...resolved.flatMap((part) => this.#partsOf(part!, depth + 1, visited))];
  }

  /** The type in words. */
  #typeOf(schema: Located, depth = 0): string {
    if (schema.value === false) return "nothing";
    if (depth > 4) return "any";
    const parts = this.#partsOf(schema, 0);
    const member = (name: string) => parts.map((part) => part.member(name)).find((found) => found !== undefined);
    const given = member("type")?.value;
    const types = (Array.isArray(given) ? given : given === undefined ? [] : [given]).map(String);
    if (member("nullable")?.value === true && !types.includes("null")) types.push("null");
    if (types.length === 0) {
      if (member("properties") || member("additionalProperties")) types.push("object");
      else if (member("items")) types.push("array");
      else types.push(...this.#typesOfVariants(parts, depth));
    }
    const names = types.map((type) => (type === "array" ? this.#arrayOf(member("items"), depth) : type));
    return [...new Set(names)].join(" or ") || typeOfValue(member("const") ?? member("enum")?.items()[0]);
  }

  #typesOfVariants(parts: Located[], depth: number): string[] {
    const options = parts.flatMap((part) => [
      ...(part.member("oneOf")?.items() ?? []),
      ...(part.member("anyOf")?.items() ?? []),
    ]);
    const names = [...new Set(options.map((option) => this.#nameOf(option, depth)))];
    return names.length > 4 ? [`one of ${names.length}`] : names;
  }

  #arrayOf(items: Located | undefined, depth: number): string {
    return items ? `array of ${this.#nameOf(items, depth)}` : "array";
  }

  #nameOf(place: Located, depth: number): string {
    const target = referenceOf(place) && this.pages.targetOf(place);
    if (target) return this.pages.of(target).name;
    return place.isObject ? this.#typeOf(place, depth + 1) : "any";
  }
}

const isNull = (option: Located): boolean => option.member("type")?.value === "null";

function typeOfValue(value: Located | undefined): string {
  if (value === undefined) return "any";
  return Array.isArray(value.value) ? "array" : value.value === null ? "null" : typeof value.value;
}

/** What a schema requires of a value beyond its type, in words. */
function rulesOf(schema: Located): string[] {
  const number = (name: string): number | undefined => {
    const value = schema.member(name)?.value;
    return typeof value === "number" ? value : undefined;
  };
  const rules: string[] = [];
  const range = (min: number | undefined, max: number | undefined, unit: string) => {
    const text = rangeOf(min, max);
    if (text !== undefined) rules.push(`${text}${unit}`);
  };
  range(number("minLength"), number("maxLength"), " characters");
  range(number("minItems"), number("maxItems"), " items");
  range(number("minProperties"), number("maxProperties"), " members");
  addBounds(rules, schema, number);
  const multiple = number("multipleOf");
  if (multiple !== undefined) rules.push(`a multiple of ${multiple}`);
  if (schema.member("uniqueItems")?.value === true) rules.push("no item twice");
  const pattern = schema.member("pattern")?.value;
  if (typeof pattern === "string") rules.push(`matches ${pattern.slice(0, 200)}`);
  return rules;
}

function rangeOf(min: number | undefined, max: number | undefined): string | undefined {
  if (min !== undefined && max !== undefined) return min === max ? `exactly ${min}` : `${min} to ${max}`;
  if (max !== undefined) return `at most ${max}`;
  return min === undefined || min === 0 ? undefined : `at least ${min}`;
}

/** In OpenAPI 3.0, an exclusive bound is `true` beside the bound. */
function addBounds(rules: string[], schema: Located, number: (name: string) => number | undefined): void {
  const isBeside = (name: string) => schema.member(name)?.value === true;
  const above = isBeside("exclusiveMinimum") ? number("minimum") : number("exclusiveMinimum");
  const below = isBeside("exclusiveMaximum") ? number("maximum") : number("exclusiveMaximum");
  const min = isBeside("exclusiveMinimum") ? undefined : number("minimum");
  const max = isBeside("exclusiveMaximum") ? undefined : number("maximum");
  if (min !== undefined && max !== undefined) rules.push(`${min} to ${max}`);
  else if (min !== undefined) rules.push(`at least ${min}`);
  else if (max !== undefined) rules.push(`at most ${max}`);
  if (above !== undefined) rules.push(`more than ${above}`);
  if (below !== undefined) rules.push(`less than ${below}`);
}
