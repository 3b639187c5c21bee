import type { Check } from "./check.ts";
import { type SchemaNode, typeBits, typeBitsOf } from "./schema-node.ts";

/** `Number` also reads blanks, `0x1F` and `0b11`, which targets read differently or not at all. */
const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

type Coerced = string | number | boolean | null | Coerced[];

/**
 * Converts the text of a parameter to the type that its schema expects. If schemas are alternatives, the first one
 * whose conversion matches is used.
 */
export function coerce(check: Check, node: SchemaNode, value: Coerced, depth = 0): Coerced {
  check.budget.spendAt(depth, 10);
  let coerced = node.types === 0 || (node.types & typeBitsOf(value)) !== 0 ? value : toTypes(node.typeNames, value);
  const into = (schema: SchemaNode | undefined) => {
    if (schema) coerced = coerce(check, schema, coerced, depth + 1);
  };
  into(node.ref);
  for (const branches of [node.inPlace?.anyOf, node.inPlace?.oneOf]) {
    for (const branch of branches ?? []) {
      const candidate = coerce(check, branch, coerced, depth + 1);
      if (!check.child(branch, candidate, depth + 1)) continue;
      coerced = candidate;
      break;
    }
  }
  for (const branch of node.inPlace?.allOf ?? []) into(branch);
  const condition = node.inPlace?.condition;
  if (condition) into(check.child(condition.if, coerced, depth + 1) ? condition.then : condition.else);
  if (!Array.isArray(coerced) || !node.arrays) return coerced;
  const { prefixItems, items } = node.arrays;
  return coerced.map((item, index) => {
    const schema = prefixItems[index] ?? items;
    return schema ? coerce(check, schema, item, depth + 1) : item;
  });
}

/** Converts to the first possible type of the list, or returns the text itself. */
function toTypes(types: string[], value: Coerced): Coerced {
  let single = value;
  if (Array.isArray(value) && value.length === 1) {
    single = value[0]!;
    if (types.some((type) => (typeBits[type]! & typeBitsOf(single)) !== 0)) return single;
  }
  for (const type of types) {
    const coerced = toType(type, single);
    if (coerced !== undefined) return coerced;
  }
  return value;
}

function toType(type: string, value: Coerced): Coerced | undefined {
  if (Array.isArray(value)) return undefined;
  switch (type) {
    case "string":
      return value === null ? "" : String(value);
    case "number":
    case "integer": {
      if (typeof value === "string" && !decimal.test(value)) return undefined;
      const number = Number(value);
      return (type === "integer" ? Number.isInteger(number) : Number.isFinite(number)) ? number : undefined;
    }
    case "boolean":
      if (value === "true" || value === 1) return true;
      return value === "false" || value === 0 || value === null ? false : undefined;
    case "null":
      return value === "" || value === 0 || value === false ? null : undefined;
    case "array":
      return [value];
    default:
      return undefined;
  }
}
