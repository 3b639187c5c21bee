import type { Located } from "../documents/located.ts";

/** What a schema requires of a value beyond its type, in words. */
export function rulesOf(schema: Located): string[] {
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
