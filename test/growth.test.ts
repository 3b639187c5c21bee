import { expect, test } from "bun:test";
import { migrations } from "../src/core/database/migrations/index.ts";
import { openStorage } from "../src/platform/storage/engines/open.ts";
import type { TableName } from "../src/platform/storage/tables.ts";
import { eachEngine } from "./support/engines.ts";
import { FakeClock } from "./support/fake-clock.ts";
import { startServer } from "./support/server.ts";
import { tableContent } from "./support/table-content.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const day = 24 * 60 * 60 * 1000;

eachEngine((engine) => {
  test("a server removes all expired data, beginning at its start", async () => {
    const database = await engine.freshDatabase();
    const folder = await temporaryFolder("growth");
    const clock = new FakeClock();
    const old = clock.now() - 40 * day;
    try {
      const storage = await openStorage({
        dataDirectory: database.environment.TOLLGATE_DATA_DIR ?? folder.path,
        databaseUrl: database.environment.DATABASE_URL,
        migrations,
        databaseConnections: 8,
        staleSeconds: 300,
        now: () => clock.now(),
        observer: { operation: () => {}, group: () => {}, revocationLag: () => {} },
        warn: () => {},
      });
      const many = <Row>(count: number, row: (at: number) => Row) => Array.from({ length: count }, (_, at) => row(at));
      const bytes = Buffer.from("sealed");
      await storage.write(async (transaction) => {
        await transaction.insertAll(
          "deployment_logs",
          many(12_000, (at) => ({
            id: `log_${at}`,
            deployment_seq: 1,
            time: old,
            kind: "console",
            entry: "{}",
            bytes: 0,
          })),
        );
        await transaction.insertAll(
          "idempotency_keys",
          many(3_000, (at) => ({ credential: "c", key: `${at}`, fingerprint: bytes, answer: bytes, created_on: old })),
        );
        await transaction.insertAll(
          "changes",
          many(12_000, () => ({
            at: old,
            origin: "another",
            account_seq: null,
            actor: "system",
            kind: "test",
            subject: "subject",
            data: null,
          })),
        );
        if (engine.name === "postgres")
          await transaction.insertAll(
            "rate_limits",
            many(12_000, (at) => ({ scope: "s", subject: `${at}`, window_start: 0, ends_on: old, used: 1 })),
          );
      });
      await storage.close();

      const server = await startServer(engine, { database, clock });
      try {
        const left = async (table: TableName) => (await tableContent(database, table)).length;
        await until(async () => (await left("deployment_logs")) === 0);
        await until(async () => (await left("idempotency_keys")) === 0);
        await until(async () => (await left("rate_limits")) === 0);
        await until(async () => (await tableContent(database, "changes")).every(({ kind }) => kind !== "test"), {});
        expect((await server.client.get("/v1/who-am-i")).status).toBe(200);
      } finally {
        await server.stop();
      }
    } finally {
      await folder.remove();
      await database.drop();
    }
  });
});
