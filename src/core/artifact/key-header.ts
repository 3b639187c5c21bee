/** The options of a policy of type `api-key` that name the header of a key. */
export interface KeyHeaderOptions {
  header?: string | string[];
  scheme?: string;
}

/** How a client sends a key: in the first header that the policy lists. `prefix` is the text before the key. */
export function keyHeaderOf({ header: listed = "authorization", scheme = "Bearer" }: KeyHeaderOptions): {
  header: string;
  prefix: string;
} {
  const header = typeof listed === "string" ? listed : (listed[0] ?? "authorization");
  // The scheme of a list belongs to one of its headers.
  const hasScheme = scheme !== "" && (typeof listed === "string" || header === "authorization");
  return { header: header === "authorization" ? "Authorization" : header, prefix: hasScheme ? `${scheme} ` : "" };
}
