import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Engine, eachEngine, sqlite } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { startServer } from "../../../../test/support/server.ts";
import { adminToken } from "../../../../test/support/server-settings.ts";
import { spawnServer } from "../../../../test/support/spawned-server.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";

const generatedToken = /^tgt_[0-9a-f]{32}_[0-9a-f]{8}$/;

eachEngine((engine) => {
  describe("the first start", () => {
    test("creates an account and its admin token, in a file that only its owner can read", async () => {
      const start = await firstStart(engine, { TOLLGATE_ACCOUNT: "acme" });
      const { file } = start;
      expect(statSync(file).mode & 0o777).toBe(0o600);
      const token = readFileSync(file, "utf8").trim();
      expect(token).toMatch(generatedToken);
      const holder = start.server.client.as(token);
      const identity = { sub: expect.stringMatching(/^tokn_/), account: "acme", role: "admin" };
      expect((await holder.get("/v1/who-am-i")).body).toEqual(identity);

      await start.server.restart();
      expect(readFileSync(file, "utf8").trim()).toBe(token);
      expect((await holder.get("/v1/accounts/acme/tokens")).body).toMatchObject({ total: 1 });
      await start.stop();
    });

    test("uses the configured token, and its new value when it is changed", async () => {
      const start = await firstStart(engine, { TOLLGATE_ADMIN_TOKEN: adminToken });
      const { client } = start.server;
      expect(existsSync(start.file)).toBe(false);
      const tokens = await client.get("/v1/accounts/default/tokens");
      expect(tokens.body).toMatchObject({ total: 1 });

      await start.server.restart();
      expect((await client.get("/v1/accounts/default/tokens")).body.data[0].id).toBe(tokens.body.data[0].id);

      const changed = "another-admin-token-0123456789";
      await start.server.restart({ TOLLGATE_ADMIN_TOKEN: changed });
      expectProblem(await client.get("/v1/who-am-i"), 401, "unauthenticated");
      const after = await client.as(changed).get("/v1/accounts/default/tokens");
      expect(after.body).toMatchObject({ total: 1, data: [{ role: "admin" }] });
      await start.stop();
    });

    test("leaves a generated token alone when one is configured later", async () => {
      const start = await firstStart(engine);
      const generated = start.server.client.as(readFileSync(start.file, "utf8").trim());
      await start.server.restart({ TOLLGATE_ADMIN_TOKEN: adminToken });
      for (const holder of [generated, start.server.client])
        expect((await holder.get("/v1/who-am-i")).body).toMatchObject({ account: "default", role: "admin" });
      await start.stop();
    });

    // The terminal is the same for both engines.
    if (engine === sqlite)
      test("prints the token on a terminal, once", async () => {
        const folder = await temporaryFolder("first-start");
        const database = await engine.freshDatabase();
        const environment = { TOLLGATE_DATA_DIR: folder.path, TOLLGATE_ADMIN_TOKEN: "" };
        for (const timesShown of [1, 0]) {
          const process = await spawnServer(engine, { database, environment });
          await process.stop();
          const token = readFileSync(join(folder.path, "admin-token"), "utf8").trim();
          expect(process.output.filter((line) => line.includes(token))).toHaveLength(timesShown);
        }
        await database.drop();
        await folder.remove();
      });
  });
});

const folders: TemporaryFolder[] = [];
afterAll(() => Promise.all(folders.map((folder) => folder.remove())));

/** Starts a server for the first time, by default without a configured token, in a temporary folder. */
async function firstStart(engine: Engine, environment: Record<string, string> = {}) {
  const folder = await temporaryFolder("first-start");
  folders.push(folder);
  const server = await startServer(engine, {
    environment: { TOLLGATE_DATA_DIR: folder.path, TOLLGATE_ADMIN_TOKEN: "", ...environment },
  });
  return { server, file: join(folder.path, "admin-token"), stop: () => server.stop() };
}
