import { afterAll, expect } from "bun:test";
import type { Client } from "./client.ts";
import { type Deployed, deploy } from "./project.ts";
import { versionOf } from "./versioned-project.ts";

export interface CanaryScene {
  name: string;
  /** The path of its traffic in the API. */
  traffic: string;
  deployed: Deployed;
}

/**
 * An upstream for the tests of a file. It responds with the first part of the path. Versions in `broken` respond with
 * 500, those in `hanging` never.
 */
export function useCanaryUpstream() {
  const broken = new Set<string>();
  const hanging = new Set<string>();
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: (request) => {
      const version = new URL(request.url).pathname.split("/")[1]!;
      if (hanging.has(version)) return new Promise<Response>(() => {});
      return new Response(version, { status: broken.has(version) ? 500 : 200 });
    },
  });
  afterAll(() => upstream.stop(true));

  let scenes = 0;

  /** A deployment whose version 1 is live, and whose version 2 was built without traffic. */
  const newCanaryScene = async (server: { url: string; client: Client }, filesOf = versionOf): Promise<CanaryScene> => {
    const place = { project: `canary-${++scenes}`, branch: "main" };
    const deployed = await deploy(server, place, filesOf(upstream, `${place.project}-v1`));
    await deploy(server, { ...place, activate: false }, filesOf(upstream, `${place.project}-v2`));
    return { name: place.project, traffic: `/v1/deployments/${deployed.name}/traffic`, deployed };
  };

  return { broken, hanging, upstream, newCanaryScene };
}

export const weights = (live: number, canary: number) => [
  { versionNumber: 1, weight: live },
  { versionNumber: 2, weight: canary },
];

export async function putTraffic(client: Client, { traffic }: CanaryScene, body: object) {
  const response = await client.raw("PUT", traffic, JSON.stringify(body));
  expect({ status: response.status, text: response.text }).toMatchObject({ status: 200 });
  return response;
}

/** The versions that responded, such as `v1`, and how often. */
export async function versionsServing(
  scene: CanaryScene,
  count: number,
  headersOf: (at: number) => Record<string, string> = () => ({}),
) {
  const seen: Record<string, number> = {};
  for (let at = 0; at < count; at++) {
    const response = await scene.deployed.call("/forwarded", { headers: headersOf(at) });
    const version = (await response.text()).slice(scene.name.length + 1);
    seen[version] = (seen[version] ?? 0) + 1;
  }
  return seen;
}
