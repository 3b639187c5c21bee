import type { Budget } from "./budget.ts";
import { evaluatedProperties, unevaluatedIndexes } from "./evaluated.ts";
import {
  type AllowedValues,
  type ArrayRules,
  type Contains,
  type InPlaceRules,
  type JsonObject,
  memberOf,
  type NumberRules,
  type ObjectRules,
  type SchemaNode,
  type TextRules,
  typeBitsOf,
} from "./schema-node.ts";

/** The budget that a request may use before results are cached: small ones are faster without a cache. */
const stepsWithoutMemory = 4_000;
const stepsPerVerdict = 15;

/**
 * Checks whether values match schemas, within a budget. Only references lead to one schema on several paths, so each
 * pair of a definition and a value is checked once. Otherwise the branches would multiply with every level of a value.
 */
export class Check {
  readonly #memoryBelow: number;
  #verdicts: Map<SchemaNode, Map<unknown, boolean>> | undefined;

  constructor(readonly budget: Budget) {
    this.#memoryBelow = budget.remaining - stepsWithoutMemory;
  }

  /** Throws `BudgetExceeded`. */
  fits(node: SchemaNode, value: unknown, depth: number): boolean {
    this.budget.spendAt(depth, 2);
    if (node.verdict !== undefined) return node.verdict;
    if (node.types !== 0 && (node.types & typeBitsOf(value)) === 0) return false;
    if (node.ref && !this.fitsDefinition(node.ref, value, depth + 1)) return false;
    if (node.allowed && !node.allowed.every((allowed) => this.isAllowed(allowed, value))) return false;
    if (node.inPlace && !this.#fitsInPlace(node.inPlace, value, depth + 1)) return false;
    switch (typeof value) {
      case "string":
        return !node.texts || this.#fitsText(node.texts, value);
      case "number":
        return !node.numbers || this.#fitsNumber(node.numbers, value);
      case "object":
        if (value === null) return true;
        if (Array.isArray(value)) return !node.arrays || this.#fitsArray(node, node.arrays, value, depth + 1);
        return !node.objects || this.#fitsObject(node, node.objects, value as JsonObject, depth + 1);
      default:
        return true;
    }
  }

  fitsDefinition(node: SchemaNode, value: unknown, depth: number): boolean {
    if (this.budget.remaining > this.#memoryBelow) return this.fits(node, value, depth);
    this.budget.spend(stepsPerVerdict);
    this.#verdicts ??= new Map();
    let verdicts = this.#verdicts.get(node);
    if (!verdicts) {
      verdicts = new Map();
      this.#verdicts.set(node, verdicts);
    }
    const known = verdicts.get(value);
    if (known !== undefined) return known;
    const verdict = this.fits(node, value, depth);
    verdicts.set(value, verdict);
    return verdict;
  }

  isAllowed({ scalars, composites }: AllowedValues, value: unknown): boolean {
    // A Set treats NaN as equal to itself and 0 as equal to -0, which JSON does not distinguish either.
    if (typeof value !== "object" || value === null) return scalars.has(value);
    return composites.some((composite) => isEqual(composite, value, this.budget));
  }

  #fitsInPlace({ not, anyOf, oneOf, allOf, condition }: InPlaceRules, value: unknown, depth: number): boolean {
    if (not && this.child(not, value, depth)) return false;
    if (anyOf && !anyOf.some((branch) => this.child(branch, value, depth))) return false;
    if (oneOf && !this.fitsOne(oneOf, value, depth)) return false;
    if (allOf) for (const branch of allOf) if (!this.child(branch, value, depth)) return false;
    if (!condition) return true;
    const consequence = this.child(condition.if, value, depth) ? condition.then : condition.else;
    return !consequence || this.child(consequence, value, depth);
  }

  fitsOne(branches: SchemaNode[], value: unknown, depth: number): boolean {
    let count = 0;
    for (const branch of branches) if (this.child(branch, value, depth) && ++count > 1) return false;
    return count === 1;
  }

  /** Checks a subschema. Bare references were replaced by their targets, so any of them may be shared. */
  child(node: SchemaNode, value: unknown, depth: number): boolean {
    return node.isShared ? this.fitsDefinition(node, value, depth) : this.fits(node, value, depth);
  }

  #fitsNumber(rules: NumberRules, value: number): boolean {
    if (rules.maximum !== undefined && value > rules.maximum) return false;
    if (rules.minimum !== undefined && value < rules.minimum) return false;
    if (rules.exclusiveMaximum !== undefined && value >= rules.exclusiveMaximum) return false;
    if (rules.exclusiveMinimum !== undefined && value <= rules.exclusiveMinimum) return false;
    if (rules.multipleOf !== undefined && !isMultiple(value, rules.multipleOf)) return false;
    return !rules.format || rules.format.test(value, this.budget);
  }

  #fitsText({ maxLength, minLength, pattern, format }: TextRules, text: string): boolean {
    if (maxLength !== undefined && this.isLonger(text, maxLength)) return false;
    if (minLength !== undefined && minLength > 0 && !this.isLonger(text, minLength - 1)) return false;
    if (pattern && !pattern.test(text, this.budget)) return false;
    return !format || format.test(text, this.budget);
  }

  /** The length in characters, of which some are two UTF-16 code units. */
  isLonger(text: string, limit: number): boolean {
    if (text.length <= limit) return false;
    if (text.length > 2 * limit) return true;
    this.budget.spend(text.length >> 1);
    let count = 0;
    for (const _ of text) count++;
    return count > limit;
  }

  #fitsArray(node: SchemaNode, rules: ArrayRules, value: unknown[], depth: number): boolean {
    const { maxItems, minItems, prefixItems, items, contains } = rules;
    if (maxItems !== undefined && value.length > maxItems) return false;
    if (minItems !== undefined && value.length < minItems) return false;
    for (let index = 0; index < prefixItems.length && index < value.length; index++)
      if (!this.child(prefixItems[index]!, value[index], depth)) return false;
    if (items) {
      for (let index = prefixItems.length; index < value.length; index++)
        if (!this.child(items, value[index], depth)) return false;
    }
    if (contains && !this.fitsContains(contains, value, depth)) return false;
    if (rules.unevaluatedItems) {
      for (const index of unevaluatedIndexes(this, node, value, depth))
        if (!this.child(rules.unevaluatedItems, value[index], depth)) return false;
    }
    return !rules.uniqueItems || this.isUnique(value);
  }

  fitsContains({ node, min, max }: Contains, value: unknown[], depth: number): boolean {
    if (min === 0 && max === undefined) return true;
    let count = 0;
    for (const item of value) {
      if (!this.child(node, item, depth)) continue;
      count++;
      if (max === undefined ? count >= min : count > max) break;
    }
    return count >= min && (max === undefined || count <= max);
  }

  isUnique(value: unknown[]): boolean {
    const seen = new Set<string>();
    for (const item of value) {
      const text = canonicalText(item, this.budget);
      if (seen.has(text)) return false;
      seen.add(text);
    }
    return true;
  }

  #fitsObject(node: SchemaNode, rules: ObjectRules, value: JsonObject, depth: number): boolean {
    this.budget.spend(rules.cost);
    for (const name of rules.required) if (memberOf(value, name) === undefined) return false;
    if (rules.isWide) {
      for (const key of Object.keys(value)) {
        this.budget.spend(4);
        const node = rules.known.get(key);
        if (node && !this.child(node, value[key], depth)) return false;
      }
    } else {
      for (const property of rules.properties) {
        const member = memberOf(value, property);
        if (member !== undefined && !this.child(property.node, member, depth)) return false;
      }
    }
    if (rules.readsKeys && !this.#fitsKeys(rules, value, depth)) return false;
    for (const { property, names } of rules.dependentRequired) {
      if (memberOf(value, property) === undefined) continue;
      for (const name of names) if (memberOf(value, name) === undefined) return false;
    }
    for (const property of rules.dependentSchemas) {
      if (memberOf(value, property) !== undefined && !this.child(property.node, value, depth)) return false;
    }
    if (!rules.unevaluatedProperties) return true;
    const evaluated = evaluatedProperties(this, node, value, depth);
    if (evaluated === "all") return true;
    for (const key of Object.keys(value)) {
      this.budget.spend(4);
      if (!evaluated.has(key) && !this.child(rules.unevaluatedProperties, value[key], depth)) return false;
    }
    return true;
  }

  #fitsKeys(rules: ObjectRules, value: JsonObject, depth: number): boolean {
    const keys = Object.keys(value);
    this.budget.spend(4 * keys.length);
    if (rules.maxProperties !== undefined && keys.length > rules.maxProperties) return false;
    if (rules.minProperties !== undefined && keys.length < rules.minProperties) return false;
    const { propertyNames, patternProperties, additionalProperties } = rules;
    if (!propertyNames && !additionalProperties && patternProperties.length === 0) return true;
    for (const key of keys) {
      if (propertyNames && !this.child(propertyNames, key, depth)) return false;
      let isKnown = rules.known.has(key);
      for (const { pattern, node } of patternProperties) {
        if (!pattern.test(key, this.budget)) continue;
        isKnown = true;
        if (!this.child(node, value[key], depth)) return false;
      }
      if (!isKnown && additionalProperties && !this.child(additionalProperties, value[key], depth)) return false;
    }
    return true;
  }
}

/** As exact as floating-point division; beyond 1e21 all values count as multiples. */
export function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor;
  return Number.isInteger(quotient) && Math.abs(quotient) < 1e21;
}

/** Whether two JSON values are equal, regardless of the order of members. */
export function isEqual(one: unknown, other: unknown, budget: Budget): boolean {
  budget.spend(4);
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  if (Array.isArray(one) !== Array.isArray(other)) return false;
  const keys = Object.keys(one);
  budget.spend(2 * keys.length);
  if (keys.length !== Object.keys(other).length) return false;
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>];
  return keys.every((key) => Object.hasOwn(right, key) && isEqual(left[key], right[key], budget));
}

/** Returns the same text for equal values, regardless of the order of their members. */
export function canonicalText(value: unknown, budget: Budget): string {
  if (typeof value === "string") {
    budget.spend(40 + (value.length >> 2));
    return JSON.stringify(value);
  }
  budget.spend(40);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalText(item, budget)).join()}]`;
  const names = Object.keys(value).sort();
  // Sorting compares each name a few times.
  budget.spend(names.length * (20 + 3 * Math.ceil(Math.log2(names.length + 1))));
  const members = names.map((name) => {
    budget.spend(name.length >> 2);
    return `${JSON.stringify(name)}:${canonicalText((value as Record<string, unknown>)[name], budget)}`;
  });
  return `{${members.join()}}`;
}
