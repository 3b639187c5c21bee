export interface PathTemplate {
  /** In order, without the one of `{name+}`. */
  parameters: string[];
  /** The name in a `{name+}` at the end, which matches one or more segments. */
  rest: string | undefined;
  /** Equal for all templates that match the same paths. */
  shape: string;
}

/** Parses an OpenAPI path template. Returns the reason as a string if it is invalid. */
export function readPathTemplate(path: string): PathTemplate | string {
  if (!path.startsWith("/")) return `the path "${path}" must begin with a slash`;
  if (/[\s\\]/.test(path)) return `the path "${path}" must have no backslash or space`;
  if (path.includes("?"))
    return `the path "${path}" must have no query: end it before "?", and declare the query in "parameters". Operations that differ only by their query are one operation`;
  if (path.includes("#"))
    return `the path "${path}" must have no fragment, which clients do not send: end it before "#". Operations that differ only by it are one operation, whose body may be described by "oneOf"`;
  const rest = /\/\{([^{}/]+)\+\}$/.exec(path);
  const before = rest ? path.slice(0, rest.index) : path;
  const parameters: string[] = [];
  for (const segment of before.split("/")) {
    if (segment === "." || segment === "..") return `the path "${path}" must have no "." or ".." segments`;
    const expressions = [...segment.matchAll(/\{([^{}]*)\}/g)].map((match) => match[1]!);
    if (/[{}]/.test(segment.replaceAll(/\{[^{}]*\}/g, ""))) return `the path "${path}" has an unmatched brace`;
    if (segment.includes("}{")) return `the path "${path}" has two adjacent parameters`;
    const misplaced = expressions.find((name) => name.endsWith("+"));
    if (misplaced !== undefined)
      return `the path "${path}" has {${misplaced}} in the middle: only the last segment can match more than one`;
    parameters.push(...expressions);
  }
  if (rest) parameters.push(rest[1]!);
  if (parameters.includes("__proto__")) return `the path "${path}" has a parameter called "__proto__"`;
  if (parameters.includes("")) return `the path "${path}" has a parameter without a name`;
  const twice = parameters.find((name, index) => parameters.indexOf(name) !== index);
  if (twice !== undefined) return `the path "${path}" has the parameter "${twice}" twice`;
  if (rest) parameters.pop();
  return { parameters, rest: rest?.[1], shape: before.replaceAll(/\{[^{}]*\}/g, "{}") + (rest ? "/{+}" : "") };
}
