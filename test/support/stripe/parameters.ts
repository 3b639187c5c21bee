/** An error in the shape that Stripe returns. */
export class StripeProblem extends Error {
  constructor(
    readonly status: number,
    readonly body: { type: string; message: string; code?: string; param?: string },
  ) {
    super(body.message);
  }
}

export function invalidRequest(message: string, code?: string, param?: string): StripeProblem {
  return new StripeProblem(400, {
    type: "invalid_request_error",
    message,
    ...(code && { code }),
    ...(param && { param }),
  });
}

export function missing(what: string, id: string, param: string): StripeProblem {
  return new StripeProblem(404, {
    type: "invalid_request_error",
    code: "resource_missing",
    message: `No such ${what}: '${id}'`,
    param,
  });
}

type Kind = "text" | "integer" | "boolean" | "hash" | "list";

/** The parameters that a call accepts: their names are those of the package's type, so that a wrong one does not compile. */
export type Accepts<Params> = { [Name in keyof Params]?: Kind };

type Tree = { [name: string]: Tree | string };

/** Parses `a[b][0]=c`, the form that Stripe uses in bodies and queries. */
export function parseForm(text: string): Tree {
  const root: Tree = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const path = [name.replace(/\[.*$/, ""), ...[...name.matchAll(/\[([^\]]*)\]/g)].map(([, part]) => part!)];
    let node = root;
    for (const part of path.slice(0, -1)) {
      node[part] ??= {};
      node = node[part] as Tree;
    }
    node[path.at(-1)!] = value;
  }
  return root;
}

/** Throws if a parameter is unknown, missing, or not of its kind. */
export function validate<Params>(
  tree: Tree,
  accepts: Accepts<Params>,
  required: (keyof Params & string)[] = [],
): Params {
  const kinds = accepts as Record<string, Kind | undefined>;
  const parsed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(tree)) {
    const kind = kinds[name];
    if (kind === undefined) throw invalidRequest(`Received unknown parameter: ${name}`, "parameter_unknown", name);
    parsed[name] = convert(name, value, kind);
  }
  for (const name of required)
    if (parsed[name] === undefined) throw invalidRequest(`Missing required param: ${name}.`, "parameter_missing", name);
  return parsed as Params;
}

function convert(name: string, value: Tree | string, kind: Kind): unknown {
  const wrong = () => invalidRequest(`Invalid ${kind}: ${name}`, "parameter_invalid", name);
  if (kind === "hash") {
    // An empty text removes what is there.
    if (typeof value === "string" && value !== "") throw wrong();
    return value;
  }
  if (kind === "list") {
    if (typeof value === "string") throw wrong();
    return Object.values(value);
  }
  if (typeof value !== "string") throw wrong();
  if (kind === "integer") {
    if (!/^-?\d+$/.test(value)) throw wrong();
    return Number(value);
  }
  if (kind === "boolean") {
    if (value !== "true" && value !== "false") throw wrong();
    return value === "true";
  }
  return value;
}
