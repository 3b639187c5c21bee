import type { ArtifactRoute } from "../../../core/artifact/artifact.ts";
import type { ExampleTarget } from "../../../core/artifact/site.ts";
import type { VersionContents } from "./version-contents.ts";

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

/**
 * A request that a key of the bucket may send as it is: to a route whose policy accepts the bucket's keys, with as few
 * parameters without an example as possible. Undefined if there is no such route. Without a bucket, a route for any key
 * is used. `targets` are those of the version's site.
 */
export function exampleRequest(
  contents: Contents,
  targets: Record<string, ExampleTarget>,
  bucketName: string | undefined,
): ExampleRequest | undefined {
  const found = contents.routes
    .flatMap((route) => {
      const policy = keyPolicyOf(contents, route, bucketName);
      if (!policy) return [];
      const { target, unknown } = targets[`${route.method} ${route.path}`] ?? targetWithoutSite(route);
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

/** Of a version that an earlier release has built. */
function targetWithoutSite({ path }: ArtifactRoute): ExampleTarget {
  let unknown = 0;
  const target = path.replaceAll(/\{[^}]+\}/g, () => {
    unknown += 1;
    return "1";
  });
  return { target, unknown };
}

/** Reading changes nothing, and needs no body. A new key may lack a permission. */
function costOf({ policies }: Contents, route: ArtifactRoute, unknown: number): number {
  const isRead = methodOf(route) === "GET";
  const isRestricted = route.policies.some((name) => policies[name]?.type === "permission");
  return (isRead ? 0 : 1000) + (isRestricted ? 500 : 0) + unknown * 10 + route.path.split("{").length;
}

function keyPolicyOf({ policies }: Contents, route: ArtifactRoute, bucketName: string | undefined) {
  for (const name of route.policies) {
    const { type, options } = policies[name] ?? {};
    const given = (options ?? {}) as { bucket?: string; header?: string; scheme?: string };
    if (type === "api-key" && (bucketName === undefined || given.bucket === bucketName)) return given;
  }
  return undefined;
}
