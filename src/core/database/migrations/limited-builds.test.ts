import { expect, test } from "bun:test";
import { type Database, eachEngine } from "../../../../test/support/engines.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { openStorage } from "../../../platform/storage/engines/open.ts";
import { migrations } from "./index.ts";

eachEngine((engine) => {
  test("versions that a token for previews built are limited after an upgrade, others are not", async () => {
    const database = await engine.freshDatabase();
    const folder = await temporaryFolder("data");
    const before = await open(database, folder.path, "0310");
    await before.write(async (transaction) => {
      const insert = (table: string, row: Record<string, string | number>) =>
        transaction.run(
          `INSERT INTO ${table} (${Object.keys(row).join(", ")}) VALUES (${Object.keys(row)
            .map(() => "?")
            .join(", ")})`,
          Object.values(row),
        );
      const revision = { version: 1, created_on: 1, updated_on: 1 };
      await insert("accounts", { seq: 7, id: "acct_7", name: "acme", ...revision });
      await insert("deployments", {
        ...{ seq: 1, account_seq: 7, name: "shop-a-1", project: "shop", branch: "a", code: "1", message: "" },
        ...revision,
      });
      const built = async (seq: number, hash: string, isPreviewOnly: number) => {
        const id = `build-${seq}`;
        await insert("deployment_sources", { seq, deployment_seq: 1, created_on: 1 });
        await insert("deployment_builds", {
          ...{ seq, id, deployment_seq: 1, state: "succeeded", upload_until: 1, source_seq: seq, steps: "{}" },
          ...{ attempts: 1, is_preview_only: isPreviewOnly },
          ...revision,
        });
        await insert("deployment_versions", {
          ...{ seq, id: `vrsn_${seq}`, deployment_seq: 1, number: seq, build_id: id, source_seq: seq },
          ...{ artifact_hash: hash, artifact_bytes: 1, routes: 0, created_on: 1 },
        });
      };
      for (const hash of ["preview", "both", "other"])
        await insert("deployment_artifacts", { deployment_seq: 1, hash, data: JSON.stringify({ format: 1, hash }) });
      await built(1, "preview", 1);
      await built(2, "both", 1);
      await built(3, "both", 0);
      await built(4, "other", 0);
    });
    await before.close();
    const after = await open(database, folder.path);
    const artifacts = await after.reads.all<{ data: string }>(
      "SELECT data FROM deployment_artifacts ORDER BY hash",
      [],
    );
    expect(artifacts.map(({ data }) => JSON.parse(data))).toEqual([
      { format: 1, hash: "both" },
      { format: 1, hash: "other" },
      { format: 1, hash: "preview", isLimited: true },
    ]);
    const limited = await after.reads.all("SELECT seq FROM deployment_sources WHERE is_limited = 1 ORDER BY seq", []);
    expect(limited).toEqual([{ seq: 1 }, { seq: 2 }]);
    await after.close();
    await folder.remove();
    await database.drop();
  });
});

function open(database: Database, dataDirectory: string, below = "9999") {
  return openStorage({
    dataDirectory: database.environment.TOLLGATE_DATA_DIR ?? dataDirectory,
    databaseUrl: database.environment.DATABASE_URL,
    migrations: migrations.filter(({ name }) => name < below),
    databaseConnections: 4,
    staleSeconds: 300,
    now: () => 1,
    observer: { operation: () => {}, group: () => {}, revocationLag: () => {} },
    warn: () => {},
  });
}
