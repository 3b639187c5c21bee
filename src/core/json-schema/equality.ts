import type { Budget } from "./budget.ts";

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
