import { expect, test } from "bun:test";
import { eachEngine } from "../../../test/support/engines.ts";
import { useStorage } from "../../../test/support/storage.ts";

eachEngine((engine) => {
  const storage = useStorage(engine);

  test("a fleeting change is told here at once, and stored only where other nodes may be", async () => {
    const lasting = { accountSeq: null, actor: "system", kind: "thing.created", subject: "lasting" };
    const fleeting = { ...lasting, kind: "thing.counted", subject: "fleeting", isFleeting: true };
    await storage.open.write(async (transaction) => {
      transaction.record(lasting);
      transaction.record(fleeting);
    });
    expect(storage.changes).toEqual([lasting, fleeting]);
    const rows = await storage.open.reads.query.selectFrom("changes").select("subject").orderBy("seq").execute();
    const subjects = rows.map(({ subject }) => subject).filter((subject) => ["lasting", "fleeting"].includes(subject));
    expect(subjects).toEqual(engine.name === "sqlite" ? ["lasting"] : ["lasting", "fleeting"]);
  });
});
