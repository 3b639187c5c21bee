import type { Budget } from "./budget.ts";
import { type JsonObject, memberOf, type SchemaNode } from "./schema-node.ts";

/** The methods of `Check` that are used here. */
interface Check {
  readonly budget: Budget;
  child(node: SchemaNode, value: unknown, depth: number): boolean;
}

/** Returns the members that other keywords of a schema have evaluated, which `unevaluatedProperties` ignores. */
export function evaluatedProperties(
  check: Check,
  node: SchemaNode,
  value: JsonObject,
  depth: number,
): ReadonlySet<string> | "all" {
  const names = new Set<string>();
  const isAll = inPlaceSchemas(check, node, value, depth).some((each) => {
    const rules = each.objects;
    if (!rules) return false;
    if (rules.additionalProperties || (rules.unevaluatedProperties && each !== node)) return true;
    check.budget.spend(rules.cost + 3 * rules.properties.length);
    for (const { name } of rules.properties) names.add(name);
    for (const key of rules.patternProperties.length > 0 ? Object.keys(value) : [])
      if (rules.patternProperties.some(({ pattern }) => pattern.test(key, check.budget))) names.add(key);
    return false;
  });
  return isAll ? "all" : names;
}

/** Returns the indexes of the items that no other keyword has evaluated, for `unevaluatedItems`. */
export function unevaluatedIndexes(check: Check, node: SchemaNode, value: unknown[], depth: number): number[] {
  let first = 0;
  const sought: SchemaNode[] = [];
  for (const each of inPlaceSchemas(check, node, value, depth)) {
    const rules = each.arrays;
    if (!rules) continue;
    if (rules.items || (rules.unevaluatedItems && each !== node)) return [];
    first = Math.max(first, rules.prefixItems.length);
    if (rules.contains) sought.push(rules.contains.node);
  }
  const left: number[] = [];
  for (let index = first; index < value.length; index++)
    if (!sought.some((schema) => check.child(schema, value[index], depth))) left.push(index);
  return left;
}

/** Returns a schema and those that apply to the same value, each once. */
function inPlaceSchemas(check: Check, start: SchemaNode, value: unknown, depth: number): SchemaNode[] {
  const found = new Set<SchemaNode>([start]);
  const add = (node: SchemaNode) => {
    check.budget.spend(15);
    found.add(node);
  };
  // Iterating over a Set includes elements that are added during the iteration.
  for (const { ref, inPlace, objects } of found) {
    if (ref) add(ref);
    const fitting = (branch: SchemaNode) => check.child(branch, value, depth + 1);
    for (const branch of inPlace?.allOf ?? []) add(branch);
    for (const branch of inPlace?.anyOf ?? []) if (fitting(branch)) add(branch);
    for (const branch of inPlace?.oneOf ?? []) if (fitting(branch)) add(branch);
    if (inPlace?.condition) {
      const { condition } = inPlace;
      const isMet = fitting(condition.if);
      const consequence = isMet ? condition.then : condition.else;
      if (isMet) add(condition.if);
      if (consequence && fitting(consequence)) add(consequence);
    }
    if (objects && typeof value === "object" && value !== null && !Array.isArray(value)) {
      for (const property of objects.dependentSchemas)
        if (memberOf(value as JsonObject, property) !== undefined && fitting(property.node)) add(property.node);
    }
  }
  return [...found];
}
