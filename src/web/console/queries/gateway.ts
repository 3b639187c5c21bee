import type { Deployment, DeploymentVersionContents, Tollgate } from "../../../client/index.ts";
import type { ExampleRequest } from "../../lib/curl.ts";

export const isLive = ({ state }: Deployment): boolean => state === "STARTED";

type Contents = DeploymentVersionContents["contents"];
type Route = Contents["routes"][number];

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  example?: unknown;
  examples?: Record<string, { value?: unknown }>;
  schema?: { example?: unknown; examples?: unknown[]; default?: unknown; enum?: unknown[]; minimum?: number };
}

/**
 * Returns a request that works with a key of the bucket: to a route whose policy accepts the bucket's keys, with as few
 * parameters without an example as possible. Undefined if there is no such route. Without a bucket, a route for any key
 * is used.
 */
export async function exampleRequest(
  api: Tollgate,
  { name, url }: Deployment,
  { bucket, signal }: { bucket?: string; signal: AbortSignal },
): Promise<ExampleRequest | undefined> {
  const { version } = await api.deployments.routes(name, { signal });
  const { contents } = await api.deployments.version(name, version, { signal });
  const document = parsed(contents.document?.text);
  const found = contents.routes
    .flatMap((route) => {
      const policy = keyPolicyOf(contents, route, bucket);
      return policy ? [{ route, policy, ...filled(route, parametersOf(document, route)) }] : [];
    })
    .sort((one, other) => costOf(one) - costOf(other))[0];
  if (!found) return undefined;
  const { header = "authorization", scheme = "Bearer" } = found.policy;
  return {
    method: methodOf(found.route),
    url: url + found.path,
    keyHeader: header === "authorization" ? "Authorization" : header,
    keyPrefix: scheme === "" ? "" : `${scheme} `,
  };
}

const methodOf = ({ method }: Route): string => (method === "ANY" ? "GET" : method);

/** A read has no side effects and needs no body. */
function costOf({ route, unknown }: { route: Route; unknown: number }): number {
  const isRead = methodOf(route) === "GET";
  return (isRead ? 0 : 1000) + unknown * 10 + route.path.split("{").length;
}

function keyPolicyOf({ policies }: Contents, route: Route, bucket: string | undefined) {
  for (const name of route.policies) {
    const { type, options } = policies[name] ?? {};
    const given = (options ?? {}) as { bucket?: string; header?: string; scheme?: string };
    if (type === "api-key" && (bucket === undefined || given.bucket === bucket)) return given;
  }
  return undefined;
}

/** Undefined for YAML: its parameters are filled with 1. */
function parsed(text: string | undefined): Record<string, unknown> | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parametersOf(document: Record<string, unknown> | undefined, { path, method }: Route): Parameter[] {
  const item = at(at(document, "paths"), path);
  const listed = [at(item, "parameters"), at(at(item, method.toLowerCase()), "parameters")];
  return listed.flatMap((list) => (Array.isArray(list) ? list.map((each) => resolved(document, each)) : []));
}

const at = (value: unknown, name: string): unknown => (value as Record<string, unknown> | undefined)?.[name];

/** Follows a reference within the document. */
function resolved(document: unknown, value: Parameter & { $ref?: string }): Parameter {
  if (!value.$ref?.startsWith("#/")) return value;
  return value.$ref.slice(2).split("/").reduce(at, document) as Parameter;
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

function filled({ path }: Route, parameters: Parameter[]): { path: string; unknown: number } {
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
  return { path: query ? `${filledPath}?${query}` : filledPath, unknown };
}
