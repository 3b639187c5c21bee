/** Parses and serializes numbers as text: see https://github.com/tc39/proposal-json-parse-with-source. */
interface JsonWithSource {
  parse(text: string, reviver?: (name: string, value: unknown, context: { source?: string }) => unknown): unknown;
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}

const json = JSON as unknown as JsonWithSource;

/**
 * Parses JSON such that `JSON.stringify` writes numbers unchanged: 64-bit ids and long decimals keep their digits. Such
 * numbers are objects; see `isExactNumber`. Throws a SyntaxError.
 */
export function parseExactJson(text: string): unknown {
  return mayLosePrecision(text) ? json.parse(text, keepNumber) : json.parse(text);
}

export function isExactNumber(value: unknown): boolean {
  return json.isRawJSON(value);
}

/** Matches more digits than a double holds, or an exponent. A match within a string only costs time. */
function mayLosePrecision(text: string): boolean {
  return /[-\d.eE+]{16}|\de/i.test(text);
}

function keepNumber(_: string, value: unknown, { source }: { source?: string }): unknown {
  return typeof value === "number" && source !== undefined ? json.rawJSON(source) : value;
}
