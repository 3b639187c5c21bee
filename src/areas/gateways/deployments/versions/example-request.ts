import type { ArtifactRoute } from "../../../../core/artifact/artifact.ts";
import { type KeyHeaderOptions, keyHeaderOf } from "../../../../core/artifact/key-header.ts";
import type { ExampleTarget } from "../../../../core/artifact/site.ts";
import type { VersionContents } from "./version-contents.ts";

/** A request to a route that needs a key. */
export interface ExampleRequest {
  method: string;
  /** Path and query, with the examples of required parameters. */
  target: string;
  /** The header that carries the key, and the text before the key in it. */
  keyHeader: string;
  keyPrefix: string;
  /** The other required headers. */
  headers?: { name: string; value: string }[];
  body?: string;
}

/** A key for which a request is shown. */
interface KeyUse {
  /** Without a bucket, a route for any key is used. */
  bucketName?: string | undefined;
  /** The permissions of the key; undefined if they are unknown. */
  permissions?: readonly string[] | undefined;
}

type Contents = Pick<VersionContents["contents"], "routes" | "policies">;

/**
 * A request that a key may send as it is: to a route whose policies accept it, with as few parameters without an
 * example as possible. Undefined if there is no such route. `targets` are those of the version's site.
 */
export function exampleRequest(
  contents: Contents,
  targets: Record<string, ExampleTarget>,
  use: KeyUse,
): ExampleRequest | undefined {
  const [best] = contents.routes
    .flatMap((route) => {
      const policy = acceptingPolicy(contents, route, use);
      if (!policy) return [];
      const target = targets[`${route.method} ${route.path}`] ?? targetWithoutSite(route);
      return [{ route, policy, target, cost: costOf(contents, route, target.unknown) }];
    })
    .sort((one, other) => one.cost - other.cost);
  if (!best) return undefined;
  const { header, prefix } = keyHeaderOf(best.policy);
  const { target, headers, body } = best.target;
  const method = methodOf(best.route);
  const hasBody = body !== undefined && method !== "GET" && method !== "HEAD";
  return {
    method,
    target,
    keyHeader: header,
    keyPrefix: prefix,
    ...(headers && { headers: headers.map(([name, value]) => ({ name, value })) }),
    ...(hasBody && { body }),
  };
}

const methodOf = ({ method }: ArtifactRoute): string => (method === "ANY" ? "GET" : method);

/** The target of an example request to a route without one in the site. */
function targetWithoutSite({ path }: ArtifactRoute): ExampleTarget {
  let unknown = 0;
  const target = path.replaceAll(/\{[^}]+\}/g, () => {
    unknown += 1;
    return "1";
  });
  return { target, unknown };
}

/** Policies that may reject a request with a valid key, for reasons that are not known here. */
const otherConditions = ["quota", "permission", "ip-filter"];

/** A read has no side effects and needs no body. */
function costOf({ policies }: Contents, route: ArtifactRoute, unknown: number): number {
  const conditions = route.policies.filter((name) => otherConditions.includes(policies[name]?.type ?? "")).length;
  const isRead = methodOf(route) === "GET";
  return (isRead ? 0 : 1000) + unknown * 10 + conditions * 5 + route.path.split("{").length;
}

interface KeyPolicy extends KeyHeaderOptions {
  bucket?: string;
}

const otherCredentials = ["jwt", "basic-auth", "oauth"];

/** The policy that reads the key; undefined if the route does not accept it. */
function acceptingPolicy(
  { policies }: Contents,
  route: ArtifactRoute,
  { bucketName, permissions }: KeyUse,
): KeyPolicy | undefined {
  const chain = route.policies.flatMap((name) => policies[name] ?? []);
  // A route with another credential needs both.
  if (chain.some(({ type }) => otherCredentials.includes(type))) return undefined;
  const isMissing = ({ type, options }: (typeof chain)[number]) =>
    type === "permission" && permissions && !isGranted(permissions, (options as { permission?: string }).permission);
  if (chain.some(isMissing)) return undefined;
  const found = chain.filter(({ type }) => type === "api-key").map(({ options }) => (options ?? {}) as KeyPolicy);
  return found.find((options) => bucketName === undefined || options.bucket === bucketName);
}

/** `orders:*` grants all permissions that begin with `orders:`. */
const isGranted = (granted: readonly string[], needed = ""): boolean =>
  granted.some((each) => (each.endsWith("*") ? needed.startsWith(each.slice(0, -1)) : each === needed));
