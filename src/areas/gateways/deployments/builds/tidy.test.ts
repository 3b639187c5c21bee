import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { useStorage } from "../../../../../test/support/storage.ts";
import type { Act } from "../../../../core/access.ts";
import { Log } from "../../../../platform/telemetry/log.ts";
import { createAccount } from "../../../access/accounts/accounts.ts";
import { BuildQueue } from "./build-queue.ts";
import { requestUpload } from "./uploads.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("statuses go after 30 days, unused sources after an hour, and nothing that is still needed", async () => {
    const { clock, open } = storage;
    const queue = new BuildQueue({
      storage: open,
      clock,
      // The queue is empty, so neither is called.
      runBuilder: () => Promise.reject(new Error("nothing to build")),
      starter: { prepare: () => Promise.reject(new Error("nothing to start")) },
      logs: { add: () => {} },
      log: new Log({ level: "error", readable: false, sink: { write: () => {} } }),
    });
    const started = clock.now();
    const account = await open.write((transaction) =>
      createAccount(transaction, { actor: "test", now: started }, "tidy"),
    );
    const upload = () => {
      const act: Act = { account, actor: "test", now: clock.now() };
      return open.write((transaction) => requestUpload(transaction, act, { project: "project", branch: "main" }));
    };
    const { deployment, statusId: old } = await upload();
    const source = (createdOn: number) =>
      open.write((transaction) =>
        transaction.insert("deployment_sources", { deployment_seq: deployment.seq, created_on: createdOn }),
      );
    const needed = await source(started);
    await source(started);
    await open.write(async ({ query }) => {
      await query.updateTable("deployments").set({ source_seq: needed }).where("seq", "=", deployment.seq).execute();
      await query.updateTable("deployment_builds").set({ state: "running" }).where("id", "=", old).execute();
    });
    const waiting = await upload();
    clock.advance(29 * day);
    const { statusId: recent } = await upload();
    const underWay = await source(clock.now());

    const ids = async () =>
      (await open.reads.query.selectFrom("deployment_builds").select("id").orderBy("seq").execute()).map(
        ({ id }) => id,
      );
    const sources = async () =>
      (await open.reads.query.selectFrom("deployment_sources").select("seq").orderBy("seq").execute()).map(
        ({ seq }) => seq,
      );
    await queue.tidy();
    expect(await ids()).toEqual([old, waiting.statusId, recent]);
    expect(await sources()).toEqual([needed, underWay]);

    clock.advance(day + hour);
    await queue.tidy();
    expect(await ids()).toEqual([old, recent]);
    expect(await sources()).toEqual([needed]);
  });
});
