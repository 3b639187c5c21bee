import { expect } from "bun:test";
import { engines } from "../../test/support/engines.ts";
import { newKeyHolder, verdict } from "../../test/support/key-holder.ts";
import { metersOf, record, subscribed, usageEvent } from "../../test/support/metering.ts";
import { startServer, type TestServer } from "../../test/support/server.ts";
import { account } from "../../test/support/server-settings.ts";
import { GatewayScene, limitedRequests } from "../gateway-scene.ts";
import type { Fault } from "./fault.ts";
import type { Promises } from "./promises.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;
const year = 365 * day;

export const clockJumps: Fault = async (promises) => {
  for (const [index, engine] of engines.entries()) {
    const server = await startServer(engine);
    await jump(server, index === engines.length - 1 ? promises : undefined);
    await server.stop();
  }
  return "a year forward, a day back and to where it began, on both engines";
};

/** The promises apply to both engines, and are recorded after the last one. */
async function jump(server: TestServer, promises: Promises | undefined): Promise<void> {
  const { client, clock } = server;
  const scene = await GatewayScene.open(() => server);
  const holder = await newKeyHolder(client);
  const makeKey = async (expiresOn?: string) => (await client.post(holder.keys, { expiresOn })).body.key as string;
  const key = { lasting: await makeKey(), expiring: await makeKey(clock.iso(hour)) };
  const makeToken = async (expiresOn?: string) =>
    client.as((await client.post(`/v1/accounts/${account}/tokens`, { role: "reader", expiresOn })).body.token);
  const token = { lasting: await makeToken(), expiring: await makeToken(clock.iso(hour)) };
  const { bucket, path } = await subscribed(client);
  const began = clock.iso();
  await record(client, bucket, [usageEvent({ requests: 7 })]);
  const repeated = () => client.post(holder.keys, {}, { "idempotency-key": "jump" });
  const first = (await repeated()).body.id;
  const count = async () => (await client.get(holder.keys)).body.total;
  expect(await limited(scene)).toEqual([200, 200, 200, 429]);
  const keys = await count();

  clock.advance(year);
  expect(await verdict(client, holder.bucket, key.expiring)).toBe("expired");
  expect(await verdict(client, holder.bucket, key.lasting)).toBe("valid");
  expect((await token.expiring.get("/v1/who-am-i")).status).toBe(401);
  expect((await token.lasting.get("/v1/who-am-i")).status).toBe(200);
  promises?.kept(
    "What has expired by the new time is rejected from the next request on; everything else keeps working.",
  );
  expect((await metersOf(client, path)).requests.used).toBe(0);
  expect((await metersOf(client, path, began)).requests.used).toBe(7);
  promises?.kept("Usage is counted in the period of the new time; earlier periods stay as they were.");
  expect((await repeated()).body.id).not.toBe(first);
  expect(await count()).toBe(keys + 1);
  promises?.kept("An `Idempotency-Key` that is older than a day is forgotten.");
  expect(await limited(scene)).toEqual([200, 200, 200, 429]);
  expect(await hello(scene, await scene.deployNext())).toBe(true);

  const before = await listed(server, holder.keys);
  clock.advance(-day);
  expect(await listed(server, holder.keys)).toEqual(before);
  const later = await makeKey();
  expect((await listed(server, holder.keys)).slice(0, -1)).toEqual(before);
  for (const value of [key.lasting, later]) expect(await verdict(client, holder.bucket, value)).toBe("valid");
  promises?.kept("If the clock is set back, nothing is lost, and lists keep the order of creation.");
  expect(await limited(scene)).toEqual([200, 200, 200, 429]);
  expect(await hello(scene, await scene.deployNext())).toBe(true);
  promises?.kept("Gateways keep working: limits count in the window of the new time, and new versions take over.");

  clock.set(began);
  expect(await verdict(client, holder.bucket, key.expiring)).toBe("valid");
  expect((await token.expiring.get("/v1/who-am-i")).status).toBe(200);
  expect((await metersOf(client, path)).requests.used).toBe(7);
  promises?.kept("Expiry follows the clock: what had expired is valid again if the clock is set back.");
  await scene.close();
}

async function limited(scene: GatewayScene): Promise<number[]> {
  const statuses: number[] = [];
  for (let call = 0; call <= limitedRequests; call++) statuses.push(await scene.status("/limited"));
  return statuses;
}

async function hello(scene: GatewayScene, version: number): Promise<boolean> {
  return (await (await scene.call("/hello")).text()) === `version ${version}`;
}

async function listed({ client }: TestServer, path: string): Promise<string[]> {
  return (await client.get(path)).body.data.map(({ id }: { id: string }) => id);
}
