import type { RequestContext } from "../../exchange/policy.ts";

/** Literal texts with parameters in between. */
export class PathTemplate {
  readonly #parts: string[];

  constructor(text: string) {
    this.#parts = text.split(/\{([^{}]+)\}/);
  }

  /**
   * The text with the percent-encoded parameters of the request. A slash is kept only in the value of a catch-all.
   * Undefined if a parameter adds a dot segment or an empty segment: upstreams would resolve it to another path.
   */
  fill({ params, route }: RequestContext): string | undefined {
    if (this.#parts.length === 1) return this.#parts[0]!;
    let text = "";
    for (const [index, part] of this.#parts.entries()) {
      if (index % 2 === 0) text += part;
      else {
        const value = params[part] ?? "";
        text += route.path.includes(`{${part}+}`)
          ? value.split("/").map(encodeURIComponent).join("/")
          : encodeURIComponent(value);
      }
    }
    return isSafe(text) ? text : undefined;
  }
}

/** Decodes escapes first, as some upstreams decode a path before they resolve it. */
function isSafe(text: string): boolean {
  const path = text.replace(/^https?:\/\/[^/?#]*/i, "").replace(/[?#].*$/, "");
  const decoded = path.replace(/%2e/gi, ".").replace(/%2f|%5c/gi, "/");
  return !/\/\.{1,2}(?=\/|$)/.test(decoded) && !path.includes("//");
}

/** A query value with the percent-encoded parameters of the request. */
export function fillQueryValue(template: string, params: Readonly<Record<string, string>>): string {
  return encodeURIComponent(template.replace(/\{([^{}]+)\}/g, (_, name: string) => params[name] ?? ""));
}
