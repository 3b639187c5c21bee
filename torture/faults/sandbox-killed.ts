import { expect } from "bun:test";
import { type Database, sqlite } from "../../test/support/engines.ts";
import { processRuns } from "../../test/support/sandboxes.ts";
import { spawnServer } from "../../test/support/spawned-server.ts";
import { until } from "../../test/support/until.ts";
import { GatewayScene } from "../gateway-scene.ts";
import { descendants } from "../process-figures.ts";
import type { Fault } from "./fault.ts";

const underWay = 10;

export const sandboxKilled: Fault = async (promises) => {
  const database: Database = await sqlite.migratedDatabase();
  const server = await spawnServer(sqlite, { database });
  const scene = await GatewayScene.open(() => server);
  const sandboxes = () => descendants(server.processId, "workerd");
  expect(await scene.status("/hello")).toBe(200);

  const deaths = 2;
  let failed = 0;
  let forwarded = 0;
  for (let death = 0; death < deaths; death++) {
    const arrived = scene.upstream.arrived + underWay;
    const cut = Array.from({ length: underWay }, () => scene.call("/wait"));
    await until(() => scene.upstream.arrived === arrived, { what: "the code to be at all of them" });
    for (const processId of sandboxes()) process.kill(processId, "SIGKILL");
    for (const response of await Promise.all(cut)) {
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([502, "handler_crashed"]);
      failed += 1;
    }
    const isBack = async () => {
      expect(await scene.status("/open")).toBe(200);
      forwarded += 1;
      return (await scene.status("/hello")) === 200;
    };
    await until(isBack, { what: "another sandbox" });
  }
  promises.kept("Requests in progress in its code get 502 `handler_crashed`.");
  promises.kept("The next request starts another one,");
  promises.kept("Routes without code are not affected.");

  const left = sandboxes();
  expect(left).not.toBeEmpty();
  await server.kill("SIGKILL");
  await until(() => !left.some(processRuns), { what: "the sandboxes of a killed server to end" });
  promises.kept("If the server is killed, its sandboxes end too.");

  await scene.close();
  await server.stop();
  await database.drop();
  return `${deaths} times; ${failed} requests cut off, ${forwarded} forwarded while it was down; none left after the server was killed`;
};
