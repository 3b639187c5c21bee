import { expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { newId } from "../../../lib/ids.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import { insertRequests, removeOldest } from "./store.ts";

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("retention counts a request that is written after it has read the oldest ones", async () => {
    const time = storage.clock.now();
    const common = {
      account_seq: 1,
      deployment_seq: 1,
      version_seq: 1,
      is_failure: 0,
      time,
      status: 200,
      method: "GET",
    };
    const texts = { path: "/", route: null, consumer: null, request_id: "one", entry: "{}", bytes: 100 };
    const [late, ...rows] = Array.from({ length: 4 }, () => ({ id: newId("req", time), ...common, ...texts }));
    await storage.open.write((transaction) => insertRequests(transaction, rows, []));
    const withLateRow = (transaction: WriteTransaction) =>
      new Proxy(transaction, {
        get(target, name: keyof WriteTransaction) {
          const value = target[name];
          if (name !== "all") return typeof value === "function" ? value.bind(target) : value;
          return async (sql: string, parameters: unknown[]) => {
            const found = await target.all(sql, parameters);
            if (sql.startsWith("SELECT")) await insertRequests(target, [late!], []);
            return found;
          };
        },
      });
    const bounds = { before: time, maxBytes: 150 };
    const removing = { deployment_seq: 1, is_failure: 0 };
    await storage.open.write((transaction) => removeOldest(withLateRow(transaction), removing, bounds, 10));
    const left = await storage.open.reads.all<{ bytes: number }>("SELECT bytes FROM requests", []);
    const size = await storage.open.reads.one<{ bytes: number }>("SELECT bytes FROM request_sizes", []);
    expect(left).toHaveLength(1);
    expect(size!.bytes).toBe(left.reduce((sum, { bytes }) => sum + bytes, 0));
  });
});
