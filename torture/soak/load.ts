import type { Client } from "../../test/support/client.ts";
import { usageEvent } from "../../test/support/metering.ts";
import { expectStatus } from "../expect-status.ts";
import type { GatewayScene } from "../gateway-scene.ts";
import type { Random } from "../random.ts";

/** An operation that is repeated. It removes what it creates, so that the load is constant. */
export interface Work {
  name: string;
  run(): Promise<void>;
}

export function workOf(client: Client, scene: GatewayScene, random: Random): Work[] {
  const bucket = scene.keysPath.split("/consumers")[0]!;
  const metering = `/v1/metering/${scene.bucketId}`;
  let count = 0;
  const gateway = (name: string, path: string, text: RegExp): Work => ({
    name,
    async run() {
      const response = await scene.call(path);
      const body = await response.text();
      if (response.status !== 200 || !text.test(body)) throw new Error(`${path} returned ${response.status} ${body}`);
    },
  });
  return [
    {
      name: "verify-key",
      async run() {
        expectStatus(await client.post(`${bucket}/verify-key`, { key: scene.key.value }), [200]);
      },
    },
    {
      name: "consumer's life",
      async run() {
        const name = `soak-${++count}`;
        const path = `${bucket}/consumers/${name}`;
        expectStatus(await client.post(`${bucket}/consumers?with-api-key=true`, { name }), [200]);
        expectStatus(await client.post(`${path}/roll-key`, { expiresOn: "2000-01-01T00:00:00Z" }), [204]);
        expectStatus(await client.get(`${path}?include-api-keys=true`), [200]);
        expectStatus(await client.delete(path), [204]);
      },
    },
    {
      name: "list",
      async run() {
        expectStatus(await client.get(`${bucket}/consumers?limit=${random.integer(1, 50)}`), [200]);
      },
    },
    {
      name: "events",
      async run() {
        const events = Array.from({ length: 10 }, () => usageEvent({ requests: 1 }, { subject: "acme" }));
        expectStatus(await client.post(`${metering}/events`, events), [200]);
      },
    },
    {
      name: "consume",
      async run() {
        expectStatus(await client.post(`${scene.subscription}/quotas/consume`, { meters: { requests: 1 } }), [200]);
      },
    },
    gateway("forward", "/open", /^upstream$/),
    gateway("guarded forward", "/guarded", /^upstream$/),
    gateway("handler", "/hello", /^version \d+$/),
  ];
}

/** Occasionally activates a new or the previous version. */
export function swapOf(client: Client, scene: GatewayScene, random: Random): Work {
  return {
    name: "deploy or roll back",
    async run() {
      if (random.chance(0.5)) await scene.deployNext();
      else expectStatus(await client.post(`/v1/deployments/${scene.name}/rollback`), [200, 409]);
    },
  };
}
