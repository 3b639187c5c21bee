/**
 * JSON with members sorted by name and no spaces, so that parsing and serializing a value again gives the same text
 * (RFC 8785 for what JSON.parse returns). Members that are undefined are left out.
 */
export function canonicalJson(value: unknown): string {
  const ordered = sorted(value);
  return ordered === unsortable ? slowJson(value) : JSON.stringify(ordered);
}

/** JavaScript objects list integer-like names first, regardless of insertion order. */
const unsortable = Symbol("unsortable");

/**
 * Returns the value with sorted members for a single call of JSON.stringify: a call for each member takes five times as
 * long.
 */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map(sorted);
    return items.includes(unsortable) ? unsortable : items;
  }
  const ordered: Record<string, unknown> = {};
  for (const name of Object.keys(value).sort()) {
    const first = name.charCodeAt(0);
    if ((first >= 48 && first <= 57) || name === "__proto__") return unsortable;
    const member = sorted((value as Record<string, unknown>)[name]);
    if (member === unsortable) return unsortable;
    ordered[name] = member;
  }
  return ordered;
}

function slowJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(slowJson).join(",")}]`;
  let text = "";
  for (const name of Object.keys(value).sort()) {
    const member = (value as Record<string, unknown>)[name];
    if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(name)}:${slowJson(member)}`;
  }
  return `{${text}}`;
}
