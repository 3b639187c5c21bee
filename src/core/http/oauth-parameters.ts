/**
 * Reads the parameters of a form or a query. A repeated one is an error, and an empty one counts as missing (RFC 6749,
 * 3.1).
 */
export function oauthParameters(fields: URLSearchParams, invalidRequest: (description: string) => Error) {
  const one = (name: string): string | undefined => {
    const [value, ...more] = fields.getAll(name);
    if (more.length > 0) throw invalidRequest(`\`${name}\` is given more than once.`);
    return value === "" ? undefined : value;
  };
  const needed = (name: string): string => {
    const value = one(name);
    if (value === undefined) throw invalidRequest(`\`${name}\` is missing.`);
    return value;
  };
  return { one, needed };
}
