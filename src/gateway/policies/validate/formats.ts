import { fullFormats } from "ajv-formats/dist/formats.js";
import type { Budget } from "./budget.ts";

/** Longer texts have no format but `byte`. */
const longestFormatted = 65_536;
/** Base64, of any length; its pattern goes through the text once. */
const unboundedFormat = "byte";
/** Its pattern tries every way to split a text into a user and a host. */
const quadraticFormat = "url";

/** A format that says something: most names that OpenAPI has are notes. */
export interface Format {
  name: string;
  isNumeric: boolean;
  test(value: string | number, budget: Budget): boolean;
}

/** Undefined: an unknown format, or one that everything has. */
export function formatOf(name: string): Format | undefined {
  if (!Object.hasOwn(fullFormats, name)) return undefined;
  const definition: unknown = fullFormats[name as keyof typeof fullFormats];
  const isNumeric = (definition as { type?: unknown }).type === "number";
  const matches = testOf(definition);
  if (!matches) return undefined;
  if (isNumeric) return { name, isNumeric, test: matches };
  return {
    name,
    isNumeric,
    test(text, budget) {
      const { length } = text as string;
      if (length > longestFormatted && name !== unboundedFormat) return false;
      budget.spend(10 + length + (name === quadraticFormat ? (length * length) >> 2 : 0));
      return matches(text);
    },
  };
}

function testOf(definition: unknown): ((value: string | number) => boolean) | undefined {
  if (definition instanceof RegExp) return (value) => definition.test(value as string);
  if (typeof definition === "function") return definition as (value: string | number) => boolean;
  if (typeof definition !== "object" || definition === null) return undefined;
  return testOf((definition as { validate?: unknown }).validate);
}
