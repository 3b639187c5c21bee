import type { Deployment, Tollgate } from "../../../client/index.ts";

export const isLive = ({ state }: Deployment): boolean => state === "STARTED";

/** The URL of a deployment and one of its routes, for trying a key. */
export async function exampleRequest(
  api: Tollgate,
  { name, url }: Deployment,
  signal: AbortSignal,
): Promise<{ url: string; path: string }> {
  const { data: routes } = await api.deployments.routes(name, { signal });
  const path = (routes.find(({ method }) => method === "GET") ?? routes[0])?.path ?? "/";
  return { url, path: path.replaceAll(/\{[^}]+\}/g, "1") };
}
