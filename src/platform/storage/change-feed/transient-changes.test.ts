import { expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import type { Change } from "../change.ts";

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("a transient change is published here at once, and stored only where other nodes may be", async () => {
    const base = { accountSeq: null, actor: "system", data: undefined };
    const lasting: Change = { ...base, kind: "account.created", subject: "lasting" };
    const transient: Change = { ...lasting, subject: "transient", isTransient: true };
    await storage.open.write(async (transaction) => {
      transaction.record(lasting);
      transaction.record(transient);
    });
    expect(storage.changes).toEqual([lasting, transient]);
    const rows = await storage.open.reads.query.selectFrom("changes").select("subject").orderBy("seq").execute();
    const subjects = rows.map(({ subject }) => subject).filter((subject) => ["lasting", "transient"].includes(subject));
    expect(subjects).toEqual(engine.name === "sqlite" ? ["lasting"] : ["lasting", "transient"]);
  });
});
