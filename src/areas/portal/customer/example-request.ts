import type { ArtifactRoute } from "../../../core/artifact/artifact.ts";
import type { VersionContents } from "../../deployments/versions/version-contents.ts";

/** A request to a route that needs a key. */
export interface ExampleRequest {
  method: string;
  /** Path and query, with the examples of required parameters. */
  target: string;
  /** The header that carries the key, and the text before the key in it. */
  keyHeader: string;
  keyPrefix: string;
}

type Contents = Pick<VersionContents["contents"], "routes" | "policies">;

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
  schema?: { example?: unknown; examples?: unknown[]; default?: unknown; enum?: unknown[]; minimum?: number };
}

/**
 * A request that a key of the bucket may send as it is: to a route whose policy accepts the bucket's keys, with as few
 * parameters without an example as possible. Undefined if there is no such route.
 */
export function exampleRequest(contents: Contents, document: unknown, bucketName: string): ExampleRequest | undefined {
  const found = contents.routes
    .flatMap((route) => {
      const policy = keyPolicyOf(contents, route, bucketName);
      if (!policy) return [];
      const { target, unknown } = filled(route, parametersOf(document, route));
      return [{ route, policy, target, cost: costOf(contents, route, unknown) }];
    })
    .sort((one, other) => one.cost - other.cost)[0];
  if (!found) return undefined;
  const { header = "authorization", scheme = "Bearer" } = found.policy;
  return {
    method: methodOf(found.route),
    target: found.target,
    keyHeader: header === "authorization" ? "Authorization" : header,
    keyPrefix: scheme === "" ? "" : `${scheme} `,
  };
}

const methodOf = ({ method }: ArtifactRoute): string => (method === "ANY" ? "GET" : method);

/** Reading changes nothing, and needs no body. A new key may lack a permission. */
function costOf({ policies }: Contents, route: ArtifactRoute, unknown: number): number {
  const isRead = methodOf(route) === "GET";
  const isRestricted = route.policies.some((name) => policies[name]?.type === "permission");
  return (isRead ? 0 : 1000) + (isRestricted ? 500 : 0) + unknown * 10 + route.path.split("{").length;
}

function keyPolicyOf({ policies }: Contents, route: ArtifactRoute, bucketName: string) {
  for (const name of route.policies) {
    const { type, options } = policies[name] ?? {};
    const given = (options ?? {}) as { bucket?: string; header?: string; scheme?: string };
    if (type === "api-key" && given.bucket === bucketName) return given;
  }
  return undefined;
}

function parametersOf(document: unknown, { path, method }: ArtifactRoute): Parameter[] {
  const item = at(at(document, "paths"), path);
  const listed = [at(item, "parameters"), at(at(item, method.toLowerCase()), "parameters")];
  return listed.flatMap((list) => (Array.isArray(list) ? list.map((each) => resolved(document, each)) : []));
}

const at = (value: unknown, name: string): unknown => (value as Record<string, unknown> | undefined)?.[name];

/** Follows a reference within the document. */
function resolved(document: unknown, value: Parameter & { $ref?: string }): Parameter {
  if (!value.$ref?.startsWith("#/")) return value;
  return (value.$ref.slice(2).split("/").reduce(at, document) ?? value) as Parameter;
}

function exampleOf(parameter: Parameter | undefined): unknown {
  const { schema = {} } = parameter ?? {};
  return (
    parameter?.example ??
    Object.values(parameter?.examples ?? {})[0]?.value ??
    schema.example ??
    schema.examples?.[0] ??
    schema.default ??
    schema.enum?.[0] ??
    schema.minimum
  );
}

function filled({ path }: ArtifactRoute, parameters: Parameter[]): { target: string; unknown: number } {
  let unknown = 0;
  const textOf = (parameter: Parameter | undefined) => {
    const example = exampleOf(parameter);
    if (example === undefined) unknown += 1;
    return String(example ?? 1);
  };
  const filledPath = path.replaceAll(/\{([^}+]+)\+?\}/g, (_, name: string) =>
    encodeURIComponent(textOf(parameters.find((each) => each.in === "path" && each.name === name))),
  );
  const query = parameters
    .filter((each) => each.in === "query" && each.required)
    .map((each) => `${encodeURIComponent(each.name)}=${encodeURIComponent(textOf(each))}`)
    .join("&");
  return { target: query ? `${filledPath}?${query}` : filledPath, unknown };
}
