import { expect } from "bun:test";
import { postgres } from "../../test/support/engines.ts";
import { verify } from "../../test/support/key-holder.ts";
import { spawnServer } from "../../test/support/spawned-server.ts";
import { until } from "../../test/support/until.ts";
import { GatewayScene } from "../gateway-scene.ts";
import type { Fault } from "./fault.ts";
import { StallableLine } from "./stallable-line.ts";

const staleSeconds = 3;
/** A look-up that gets no response is given up after two seconds, and machines are busy. */
const slackSeconds = 4;
const writesEndWithinMs = 20_000;
const catchesUpWithinMs = 10_000;

export const nodeCutOff: Fault = async (promises) => {
  const database = await postgres.migratedDatabase();
  const { DATABASE_URL } = database.environment;
  const line = await StallableLine.to(DATABASE_URL!);
  const near = await spawnServer(postgres, { database });
  const far = await spawnServer(postgres, {
    database: { environment: { DATABASE_URL: line.through(DATABASE_URL!) }, drop: async () => {} },
    environment: { TOLLGATE_STALE_SECONDS: String(staleSeconds) },
  });
  const scene = await GatewayScene.open(() => near);
  const bucket = scene.keysPath.split("/consumers")[0]!;
  for (const server of [near, far]) {
    await until(async () => (await scene.status("/hello", server)) === 200, { what: "both to serve" });
    expect((await verify(server.client, bucket, scene.key.value)).body).toMatchObject({ valid: true });
  }

  line.stall();
  const cutAt = performance.now();
  expect((await near.client.delete(`${scene.keysPath}/${scene.key.id}`)).status).toBe(204);
  const version = await scene.deployNext();
  expect((await verify(near.client, bucket, scene.key.value)).body).toMatchObject({ valid: false, code: "not_found" });
  const write = timed(far.client.post(scene.keysPath, {}));
  let acceptedFor = 0;
  for (let rejections = 0; rejections < 2; ) {
    const { status, body } = await verify(far.client, bucket, scene.key.value);
    expect(status === 503 || body.valid).toBe(true);
    if (status === 503) rejections += 1;
    else acceptedFor = (performance.now() - cutAt) / 1000;
    expect(acceptedFor).toBeLessThan(staleSeconds + slackSeconds);
    expect((await near.client.get("/v1/who-am-i")).status).toBe(200);
  }
  promises.kept("The other nodes are not affected.");
  promises.kept("The node serves from its caches for at most `TOLLGATE_STALE_SECONDS` and a few seconds:");
  promises.kept("After that it returns 503, to known keys too.");
  const { response, afterMs } = await write;
  expect(response.status).toBe(503);
  expect(afterMs).toBeLessThan(writesEndWithinMs);
  promises.kept("Writes get 503 within 20 seconds.");

  line.resume();
  await until(async () => (await verify(far.client, bucket, scene.key.value)).body?.code === "not_found", {
    withinMs: catchesUpWithinMs,
    what: "the node to reject the revoked key",
  });
  const { key } = (await near.client.post(scene.keysPath, {})).body;
  const newVersion = async () => {
    const response = await scene.call("/hello", { headers: { authorization: `Bearer ${key}` } }, far);
    return (await response.text()) === `version ${version}`;
  };
  await until(newVersion, { withinMs: catchesUpWithinMs, what: "the node to serve the new version" });
  expect((await far.client.post(scene.keysPath, {})).status).toBe(200);
  promises.kept("When the connection is back, it catches up:");

  await scene.close();
  await far.stop();
  await near.stop();
  await line.close();
  await database.drop();
  return `a revoked key was accepted for ${acceptedFor.toFixed(1)} s with TOLLGATE_STALE_SECONDS=${staleSeconds}, then rejected; caught up after`;
};

async function timed<Result>(pending: Promise<Result>): Promise<{ response: Result; afterMs: number }> {
  const started = performance.now();
  const response = await pending;
  return { response, afterMs: performance.now() - started };
}
