import type { Deployment, DeploymentVersionContents, Tollgate } from "../../../client/index.ts";
import type { ExampleRequest } from "../../lib/curl.ts";
import { filledPath, type Operation, operationOf, type Parameter, parseDocument } from "./operation.ts";

export const isLive = ({ state }: Deployment): boolean => state === "STARTED";

type Contents = DeploymentVersionContents["contents"];
type Route = Contents["routes"][number];

/** A key for which a request is shown. */
export interface KeyUse {
  /** Without a bucket, a route for any key is used. */
  bucket?: string;
  /** The permissions of the key; undefined if they are unknown. */
  permissions?: readonly string[];
}

/**
 * Returns a request that works with a key: to a route whose policies accept it, with as few parameters without an
 * example as possible. Undefined if there is no such route.
 */
export async function exampleRequest(
  api: Tollgate,
  { name, url }: Deployment,
  { signal, ...use }: KeyUse & { signal: AbortSignal },
): Promise<ExampleRequest | undefined> {
  const { version } = await api.deployments.routes(name, { signal });
  const { contents } = await api.deployments.version(name, version, { signal });
  const document = await parseDocument(contents.document);
  const [best] = contents.routes
    .flatMap((route) => {
      const policy = acceptingPolicy(contents, route, use);
      const operation = operationOf(document, route.method, route.path);
      return policy ? [{ route, policy, operation, cost: costOf(contents, route, operation) }] : [];
    })
    .sort((one, other) => one.cost - other.cost);
  if (!best) return undefined;
  const { header = "authorization", scheme = "Bearer" } = best.policy;
  return {
    ...requestOf(url, best.route, best.operation),
    keyHeader: header === "authorization" ? "Authorization" : header,
    keyPrefix: scheme === "" ? "" : `${scheme} `,
  };
}

const methodOf = ({ method }: Route): string => (method === "ANY" ? "GET" : method);

/** Policies that may reject a request with a valid key, for reasons that are not known here. */
const otherConditions = ["quota", "permission", "ip-filter"];

/** A read has no side effects and needs no body. */
function costOf({ policies }: Contents, route: Route, { parameters }: Operation): number {
  const unknown = parameters.filter(({ isRequired, value }) => isRequired && value === "").length;
  const conditions = route.policies.filter((name) => otherConditions.includes(policies[name]?.type ?? "")).length;
  const isRead = methodOf(route) === "GET";
  return (isRead ? 0 : 1000) + unknown * 10 + conditions * 5 + route.path.split("{").length;
}

interface KeyPolicy {
  bucket?: string;
  header?: string;
  scheme?: string;
}

/** The policy that reads the key; undefined if the route does not accept it. */
function acceptingPolicy({ policies }: Contents, route: Route, { bucket, permissions }: KeyUse): KeyPolicy | undefined {
  const chain = route.policies.flatMap((name) => policies[name] ?? []);
  // A route with another credential needs both.
  if (chain.some(({ type }) => type === "jwt" || type === "basic-auth")) return undefined;
  const isMissing = ({ type, options }: (typeof chain)[number]) =>
    type === "permission" && permissions && !isGranted(permissions, (options as { permission?: string }).permission);
  if (chain.some(isMissing)) return undefined;
  const found = chain.filter(({ type }) => type === "api-key").map(({ options }) => options as KeyPolicy);
  return found.find((options) => bucket === undefined || options.bucket === bucket);
}

/** `orders:*` grants all permissions that begin with `orders:`. */
const isGranted = (granted: readonly string[], needed = ""): boolean =>
  granted.some((each) => (each.endsWith("*") ? needed.startsWith(each.slice(0, -1)) : each === needed));

function requestOf(url: string, route: Route, { parameters, contentType, body }: Operation) {
  const needed = (place: Parameter["in"]) =>
    parameters
      .filter((each) => each.in === place && each.isRequired)
      .map(({ name, value }): [string, string] => [name, value === "" ? "1" : value]);
  const query = new URLSearchParams(needed("query")).toString();
  const method = methodOf(route);
  const hasBody = body !== "" && method !== "GET" && method !== "HEAD";
  return {
    method,
    url: `${url}${filledPath(route.path, Object.fromEntries(needed("path")))}${query && `?${query}`}`,
    headers: [...needed("header"), ...(hasBody && contentType ? [["content-type", contentType] as const] : [])],
    ...(hasBody ? { body } : {}),
  };
}
