import type { Format } from "./formats.ts";
import type { Pattern } from "./patterns.ts";

/** Types as bits. An integer is a number too. */
export const typeBits: Readonly<Record<string, number>> = {
  string: 1,
  number: 2,
  integer: 4,
  boolean: 8,
  null: 16,
  array: 32,
  object: 64,
};

/** Not a JSON value. A number outside the range of JSON has no type. */
export function typeBitsOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      return 1;
    case "number":
      return Number.isInteger(value) ? 6 : Number.isFinite(value) ? 2 : 0;
    case "boolean":
      return 8;
    default:
      return value === null ? 16 : Array.isArray(value) ? 32 : 64;
  }
}

export type JsonObject = Record<string, unknown>;

export interface NumberRules {
  maximum: number | undefined;
  minimum: number | undefined;
  exclusiveMaximum: number | undefined;
  exclusiveMinimum: number | undefined;
  multipleOf: number | undefined;
  format: Format | undefined;
}

export interface TextRules {
  maxLength: number | undefined;
  minLength: number | undefined;
  pattern: Pattern | undefined;
  format: Format | undefined;
}

export interface Contains {
  node: SchemaNode;
  min: number;
  max: number | undefined;
}

export interface ArrayRules {
  maxItems: number | undefined;
  minItems: number | undefined;
  prefixItems: SchemaNode[];
  items: SchemaNode | undefined;
  contains: Contains | undefined;
  unevaluatedItems: SchemaNode | undefined;
  uniqueItems: boolean;
}

/** `isInherited` is true if every object inherits a member of this name, such as `constructor`. */
export interface Name {
  name: string;
  isInherited: boolean;
}

interface Property extends Name {
  node: SchemaNode;
}

export interface ObjectRules {
  maxProperties: number | undefined;
  minProperties: number | undefined;
  required: Name[];
  propertyNames: SchemaNode | undefined;
  properties: Property[];
  /** The schemas of `properties` by name. */
  known: Map<string, SchemaNode>;
  /**
   * Whether there are so many properties that looking up each one takes longer than iterating over the object's
   * members.
   */
  isWide: boolean;
  patternProperties: { pattern: Pattern; node: SchemaNode }[];
  additionalProperties: SchemaNode | undefined;
  dependentRequired: { property: Name; names: Name[] }[];
  dependentSchemas: Property[];
  unevaluatedProperties: SchemaNode | undefined;
  /** Whether the schema constrains members that it does not declare. */
  readsKeys: boolean;
  /** The fixed cost in steps, regardless of the object. */
  cost: number;
}

/** The schemas that apply to the value itself. */
export interface InPlaceRules {
  not: SchemaNode | undefined;
  anyOf: SchemaNode[] | undefined;
  oneOf: SchemaNode[] | undefined;
  allOf: SchemaNode[] | undefined;
  condition: { if: SchemaNode; then: SchemaNode | undefined; else: SchemaNode | undefined } | undefined;
}

export interface AllowedValues {
  keyword: "enum" | "const";
  scalars: Set<unknown>;
  composites: unknown[];
  /** The message of an error. */
  detail: string;
}

/** One schema, ready to validate values. */
export class SchemaNode {
  /** For `true`, `false` and schemas without rules: whether they accept every value. */
  verdict: boolean | undefined;
  /** Whether several references may target this node. */
  isShared = false;
  ref: SchemaNode | undefined;
  /** 0 means all types. */
  types = 0;
  typeNames: string[] = [];
  /** Whether an error of the type is reported where the rules of the type are, after those for every type. */
  isTypeLate = false;
  allowed: AllowedValues[] | undefined;
  inPlace: InPlaceRules | undefined;
  numbers: NumberRules | undefined;
  texts: TextRules | undefined;
  arrays: ArrayRules | undefined;
  objects: ObjectRules | undefined;
}

export function memberOf(value: JsonObject, { name, isInherited }: Name): unknown {
  return isInherited && !Object.hasOwn(value, name) ? undefined : value[name];
}
