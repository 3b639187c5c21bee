import type { Deployment, Tollgate } from "../../../client/index.ts";
import type { ExampleRequest } from "../../../lib/text/curl.ts";

export const isLive = ({ state }: Deployment): boolean => state === "STARTED";

/** A key for which a request is shown. */
interface KeyUse {
  /** Without a bucket, a route for any key is used. */
  bucket?: string;
  /** The permissions of the key; undefined if they are unknown. */
  permissions?: readonly string[];
}

/** Returns a request that works with a key. Undefined if no route accepts it. */
export async function exampleRequest(
  api: Tollgate,
  { name, url }: Deployment,
  { bucket, permissions, signal }: KeyUse & { signal: AbortSignal },
): Promise<ExampleRequest | undefined> {
  const { example } = await api.deployments.routes(name, { example: true, keyBucket: bucket, permissions, signal });
  if (!example) return undefined;
  const { target, ...request } = example;
  return { ...request, url: url + target };
}
