import { fullFormats } from "ajv-formats/dist/formats.js";
import type { Budget } from "./budget.ts";

/** Longer texts match no format except `byte`. */
const maxFormattedLength = 65_536;
/** Base64, of any length. */
const unboundedFormat = "byte";
const lineEnd = /[\n\r\u2028\u2029]/;
/** The pattern of this format tries every way to split a text into user and host. */
const quadraticFormat = "url";

/**
 * The worst measured cost of `uri`, and of `uri-template` for texts that exceed the fast path of the platform's
 * matcher.
 */
const stepsPerCharacter = 4;
const stepsPerCharacterOfLong = 80;
const longFrom = 16_384;

/** A format that constrains values. Most formats of OpenAPI are annotations only. */
export interface Format {
  name: string;
  isNumeric: boolean;
  test(value: string | number, budget: Budget): boolean;
}

/** Returns undefined for an unknown format, or one that every value matches. */
export function formatOf(name: string): Format | undefined {
  if (!Object.hasOwn(fullFormats, name)) return undefined;
  const definition: unknown = fullFormats[name as keyof typeof fullFormats];
  const isNumeric = (definition as { type?: unknown }).type === "number";
  const matches = name === unboundedFormat ? isBase64 : testOf(definition);
  if (!matches) return undefined;
  if (isNumeric) return { name, isNumeric, test: matches };
  return {
    name,
    isNumeric,
    test(text, budget) {
      const { length } = text as string;
      if (length > maxFormattedLength && name !== unboundedFormat) return false;
      return budget.measure(worstSteps(name, text as string), () => matches(text));
    },
  };
}

/** Equivalent to the pattern of ajv-formats, of which one line must match; that pattern takes 70 ms for a megabyte. */
function isBase64(value: string | number): boolean {
  const text = value as string;
  const isLine = (line: string) => line.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(line);
  return lineEnd.test(text) ? text.split(lineEnd).some(isLine) : isLine(text);
}

function worstSteps(name: string, text: string): number {
  const { length } = text;
  if (name === unboundedFormat && !lineEnd.test(text)) return 15 + length / 2;
  if (name === unboundedFormat) return 15 + length * stepsPerCharacter;
  if (name === quadraticFormat) return 15 + length * stepsPerCharacter + 0.1 * length * length;
  return 15 + length * (length > longFrom ? stepsPerCharacterOfLong : stepsPerCharacter);
}

function testOf(definition: unknown): ((value: string | number) => boolean) | undefined {
  if (definition instanceof RegExp) return (value) => definition.test(value as string);
  if (typeof definition === "function") return definition as (value: string | number) => boolean;
  if (typeof definition !== "object" || definition === null) return undefined;
  return testOf((definition as { validate?: unknown }).validate);
}
