import type { FieldError } from "../problems/problem.ts";
import { type Budget, BudgetExceeded } from "./budget.ts";
import { Check, isMultiple } from "./check.ts";
import { evaluatedProperties, unevaluatedIndexes } from "./evaluated.ts";
import { below } from "./pointer.ts";
import {
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

export const maxErrors = 20;

/** Thrown when there are enough errors. */
class Enough extends Error {}
const enough = new Enough("enough errors");

/**
 * Returns the errors of an invalid value: only the first ones if there are too many or they cost too much. Never empty.
 */
export function explain(node: SchemaNode, value: unknown, place: string, budget: Budget): FieldError[] {
  budget.extend();
  const explanation = new Explanation(budget);
  try {
    explanation.explain(node, value, place, 0);
  } catch (error) {
    if (!(error === enough || error instanceof BudgetExceeded || error instanceof RangeError)) throw error;
  }
  if (explanation.errors.length > 0) return explanation.errors;
  return [{ pointer: place, detail: "does not match its schema" }];
}

/**
 * Walks a value that is known to be invalid, and only the schemas that it does not match. Every path leads to an error,
 * so the maximum number of errors bounds the paths.
 */
class Explanation {
  readonly errors: FieldError[] = [];
  readonly #check: Check;

  constructor(budget: Budget) {
    this.#check = new Check(budget);
  }

  explain(node: SchemaNode, value: unknown, pointer: string, depth: number): void {
    this.#check.budget.spendAt(depth, 5);
    if (node.isShared && this.#check.fitsDefinition(node, value, depth)) return;
    if (node.verdict === false) this.#report(pointer, "boolean schema is false");
    if (node.verdict !== undefined) return;
    const hasType = node.types === 0 || (node.types & typeBitsOf(value)) !== 0;
    const typeError = `must be ${node.typeNames.join()}`;
    if (!hasType && !node.isTypeLate) this.#report(pointer, typeError);
    if (node.ref) this.explain(node.ref, value, pointer, depth + 1);
    for (const allowed of node.allowed ?? [])
      if (!this.#check.isAllowed(allowed, value)) this.#report(pointer, allowed.detail);
    if (node.inPlace) this.#inPlace(node.inPlace, value, pointer, depth + 1);
    // Rules are grouped by type: those of the value's type come before or after those of the expected type.
    const isLate = !hasType && node.isTypeLate;
    const isLast = isLate && order.indexOf(node.typeNames[0]!) > order.indexOf(kindOf(value));
    if (isLate && !isLast) this.#report(pointer, typeError);
    if (typeof value === "string") this.#text(node.texts, value, pointer);
    else if (typeof value === "number") this.#number(node.numbers, value, pointer);
    else if (Array.isArray(value)) this.#array(node, node.arrays, value, pointer, depth + 1);
    else if (typeof value === "object" && value !== null)
      this.#object(node, node.objects, value as JsonObject, pointer, depth + 1);
    if (isLast) this.#report(pointer, typeError);
  }

  #report(pointer: string, detail: string): void {
    this.errors.push({ pointer, detail });
    if (this.errors.length >= maxErrors) throw enough;
  }

  #inPlace(rules: InPlaceRules, value: unknown, pointer: string, depth: number): void {
    const { not, anyOf, oneOf, allOf, condition } = rules;
    const check = this.#check;
    const explainAll = (branches: SchemaNode[]) => {
      for (const branch of branches) this.explain(branch, value, pointer, depth);
    };
    if (not && check.child(not, value, depth)) this.#report(pointer, "must NOT be valid");
    if (anyOf && !anyOf.some((branch) => check.child(branch, value, depth))) {
      explainAll(anyOf);
      this.#report(pointer, "must match a schema in anyOf");
    }
    if (oneOf && !check.fitsOne(oneOf, value, depth)) {
      // The alternatives before the second one that matches.
      let fitting = 0;
      for (const branch of oneOf) {
        if (check.child(branch, value, depth)) fitting++;
        else this.explain(branch, value, pointer, depth);
        if (fitting > 1) break;
      }
      this.#report(pointer, "must match exactly one schema in oneOf");
    }
    if (allOf) explainAll(allOf);
    if (!condition) return;
    const keyword = check.child(condition.if, value, depth) ? "then" : "else";
    const consequence = condition[keyword];
    if (!consequence || check.child(consequence, value, depth)) return;
    this.explain(consequence, value, pointer, depth);
    this.#report(pointer, `must match "${keyword}" schema`);
  }

  #number(rules: NumberRules | undefined, value: number, pointer: string): void {
    if (!rules) return;
    const { maximum, minimum, exclusiveMaximum, exclusiveMinimum, multipleOf, format } = rules;
    if (maximum !== undefined && value > maximum) this.#report(pointer, `must be <= ${maximum}`);
    if (minimum !== undefined && value < minimum) this.#report(pointer, `must be >= ${minimum}`);
    if (exclusiveMaximum !== undefined && value >= exclusiveMaximum)
      this.#report(pointer, `must be < ${exclusiveMaximum}`);
    if (exclusiveMinimum !== undefined && value <= exclusiveMinimum)
      this.#report(pointer, `must be > ${exclusiveMinimum}`);
    if (multipleOf !== undefined && !isMultiple(value, multipleOf))
      this.#report(pointer, `must be multiple of ${multipleOf}`);
    if (format && !format.test(value, this.#check.budget)) this.#report(pointer, `must match format "${format.name}"`);
  }

  #text(rules: TextRules | undefined, text: string, pointer: string): void {
    if (!rules) return;
    const { maxLength, minLength, pattern, format } = rules;
    const { budget } = this.#check;
    if (maxLength !== undefined && this.#check.isLonger(text, maxLength))
      this.#report(pointer, `must NOT have more than ${maxLength} characters`);
    if (minLength !== undefined && minLength > 0 && !this.#check.isLonger(text, minLength - 1))
      this.#report(pointer, `must NOT have fewer than ${minLength} characters`);
    if (pattern && !pattern.test(text, budget)) this.#report(pointer, `must match pattern "${pattern.source}"`);
    if (format && !format.test(text, budget)) this.#report(pointer, `must match format "${format.name}"`);
  }

  #array(node: SchemaNode, rules: ArrayRules | undefined, value: unknown[], pointer: string, depth: number): void {
    if (!rules) return;
    const { maxItems, minItems, prefixItems, items, contains, unevaluatedItems } = rules;
    const explainFrom = (schema: SchemaNode, from: number) => {
      if (schema.verdict === false && from < value.length)
        this.#report(pointer, `must NOT have more than ${from} items`);
      else if (schema.verdict === undefined)
        for (let index = from; index < value.length; index++)
          this.explain(schema, value[index], below(pointer, index), depth);
    };
    if (maxItems !== undefined && value.length > maxItems)
      this.#report(pointer, `must NOT have more than ${maxItems} items`);
    if (minItems !== undefined && value.length < minItems)
      this.#report(pointer, `must NOT have fewer than ${minItems} items`);
    for (const [index, schema] of prefixItems.entries())
      if (index < value.length) this.explain(schema, value[index], below(pointer, index), depth);
    if (items) this.#items(items, prefixItems.length, explainFrom, value, pointer, depth);
    if (contains && !this.#check.fitsContains(contains, value, depth)) this.#contains(contains, value, pointer, depth);
    for (const index of unevaluatedItems ? unevaluatedIndexes(this.#check, node, value, depth) : []) {
      if (unevaluatedItems!.verdict === false) this.#report(below(pointer, index), "is not allowed here");
      else this.explain(unevaluatedItems!, value[index], below(pointer, index), depth);
    }
    if (rules.uniqueItems && !this.#check.isUnique(value)) this.#report(pointer, "must not have equal items");
  }

  /** After other items, `false` limits the number of items. Alone, it rejects each of them. */
  #items(
    items: SchemaNode,
    from: number,
    explainFrom: (schema: SchemaNode, from: number) => void,
    value: unknown[],
    pointer: string,
    depth: number,
  ): void {
    if (from > 0 || items.verdict !== false) explainFrom(items, from);
    else
      for (let index = 0; index < value.length; index++)
        this.explain(items, value[index], below(pointer, index), depth);
  }

  #contains({ node, min, max }: Contains, value: unknown[], pointer: string, depth: number): void {
    let count = 0;
    if (node.verdict !== true && !(max! < min)) {
      for (const [index, item] of value.entries()) {
        if (!this.#check.child(node, item, depth)) this.explain(node, item, below(pointer, index), depth);
        else if (++count > max!) break;
      }
    }
    const upTo = max === undefined ? "" : ` and no more than ${max}`;
    this.#report(pointer, `must contain at least ${min}${upTo} valid item(s)`);
  }

  #object(node: SchemaNode, rules: ObjectRules | undefined, value: JsonObject, pointer: string, depth: number): void {
    if (!rules) return;
    const check = this.#check;
    const keys = Object.keys(value);
    check.budget.spend(rules.cost + 4 * keys.length + 3 * rules.properties.length);
    const { maxProperties, minProperties, propertyNames } = rules;
    if (maxProperties !== undefined && keys.length > maxProperties)
      this.#report(pointer, `must NOT have more than ${maxProperties} properties`);
    if (minProperties !== undefined && keys.length < minProperties)
      this.#report(pointer, `must NOT have fewer than ${minProperties} properties`);
    for (const required of rules.required)
      if (memberOf(value, required) === undefined) this.#report(below(pointer, required.name), "is required");
    for (const key of propertyNames ? keys : []) {
      if (check.child(propertyNames!, key, depth)) continue;
      this.explain(propertyNames!, key, pointer, depth);
      this.#report(pointer, "property name must be valid");
    }
    this.#additional(rules, value, keys, pointer, depth);
    for (const property of rules.properties) {
      const member = memberOf(value, property);
      if (member !== undefined) this.explain(property.node, member, below(pointer, property.name), depth);
    }
    for (const { pattern, node: held } of rules.patternProperties)
      for (const key of keys)
        if (pattern.test(key, check.budget)) this.explain(held, value[key], below(pointer, key), depth);
    this.#dependents(rules, value, pointer, depth);
    if (!rules.unevaluatedProperties) return;
    const evaluated = evaluatedProperties(check, node, value, depth);
    for (const key of evaluated === "all" ? [] : keys)
      if (!(evaluated as ReadonlySet<string>).has(key))
        this.#unknown(rules.unevaluatedProperties, key, value, pointer, depth);
  }

  #additional(rules: ObjectRules, value: JsonObject, keys: string[], pointer: string, depth: number): void {
    const { known, patternProperties, additionalProperties } = rules;
    if (!additionalProperties) return;
    const { budget } = this.#check;
    for (const key of keys) {
      if (known.has(key) || patternProperties.some(({ pattern }) => pattern.test(key, budget))) continue;
      this.#unknown(additionalProperties, key, value, pointer, depth);
    }
  }

  /** A member that the schema does not declare. */
  #unknown(schema: SchemaNode, key: string, value: JsonObject, pointer: string, depth: number): void {
    if (schema.verdict === false) this.#report(below(pointer, key), "is not allowed here");
    else this.explain(schema, value[key], below(pointer, key), depth);
  }

  #dependents(rules: ObjectRules, value: JsonObject, pointer: string, depth: number): void {
    for (const { property, names } of rules.dependentRequired) {
      if (memberOf(value, property) === undefined) continue;
      const all = names.map(({ name }) => name).join(", ");
      for (const name of names) {
        if (memberOf(value, name) !== undefined) continue;
        const properties = names.length === 1 ? "property" : "properties";
        this.#report(pointer, `must have ${properties} ${all} when property ${property.name} is present`);
      }
    }
    for (const property of rules.dependentSchemas)
      if (memberOf(value, property) !== undefined) this.explain(property.node, value, pointer, depth);
  }
}

const order = ["number", "string", "array", "object"];

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value;
}
