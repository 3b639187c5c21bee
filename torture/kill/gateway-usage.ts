import { expect } from "bun:test";
import { sqlite } from "../../test/support/engines.ts";
import { spawnServer } from "../../test/support/spawned-server.ts";
import { until } from "../../test/support/until.ts";
import { GatewayScene } from "../gateway-scene.ts";

/** Counts are written every 200 ms; the rest is tolerance for a slow write on a busy machine. */
const lostMs = 1_000;
const clients = 4;

/**
 * Gateway counts are written later, so a kill may lose the last ones, but no more, and nothing is counted twice.
 * Returns figures.
 */
export async function killGateway(): Promise<string> {
  const database = await sqlite.migratedDatabase();
  let server = await spawnServer(sqlite, { database });
  const scene = await GatewayScene.open(() => server);
  const respondedAt: number[] = [];
  let sent = 0;
  const client = async () => {
    for (;;) {
      sent += 1;
      const response = await scene.call("/guarded").catch(() => undefined);
      if (!response) return;
      expect(response.status).toBe(200);
      respondedAt.push(performance.now());
    }
  };
  const traffic = Promise.all(Array.from({ length: clients }, client));
  const isLongEnough = () => respondedAt.length > 0 && respondedAt.at(-1)! - respondedAt[0]! > 2 * lostMs;
  await until(isLongEnough, { what: "two seconds of traffic" });
  const killedAt = performance.now();
  await server.kill("SIGKILL");
  await traffic;
  await server.stop();
  server = await spawnServer(sqlite, { database });
  const used = await scene.used();
  const certain = respondedAt.filter((at) => at < killedAt - lostMs).length;
  expect(used).toBeGreaterThanOrEqual(certain);
  expect(used).toBeLessThanOrEqual(sent);
  await scene.close();
  await server.stop();
  await database.drop();
  return `a gateway killed under load: of ${respondedAt.length} requests that it served ${used} were counted`;
}
