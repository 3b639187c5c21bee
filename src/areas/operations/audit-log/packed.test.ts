import { beforeEach, describe, expect, test } from "bun:test";
import { eachEngine, sqlite } from "../../../../test/support/engines.ts";
import { unique } from "../../../../test/support/metering.ts";
import { runSql } from "../../../../test/support/run-sql.ts";
import { type TestServer, useServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";
import { tableContent } from "../../../../test/support/table-content.ts";
import { until } from "../../../../test/support/until.ts";
import { packLines } from "../../../lib/text/packed-lines.ts";
import { auditEntriesOf } from "./segment.ts";
import type { AuditSegmentRow } from "./store.ts";

interface Listed {
  id: string;
  resource: { id: string; name: string };
  seal: { number: number; first: number; last: number; previousHash: string; hash: string; pack?: string };
}

const burst = 60;

/** An account with so many consumers that were created at once, with a sealed log. */
async function fill(server: TestServer) {
  const operator = server.client.as(operatorToken);
  const name = unique("packed");
  const path = `/v1/accounts/${name}`;
  await operator.post("/v1/accounts", { name });
  const { body: bucket } = await operator.post(`${path}/key-buckets`, { name: "main" });
  const consumers = `${path}/key-buckets/main/consumers`;
  const created = await Promise.all(
    Array.from({ length: burst }, (_, index) => operator.post(consumers, { name: `consumer-${index}` })),
  );
  const log = `${path}/audit-log`;
  await server.catchUp();
  const { head } = await until(async () => {
    const { body } = await operator.get(`${log}/verification`);
    return body.entries === burst + 2 && body.unsealed === 0 && body;
  });
  const ids: string[] = created.map(({ body }) => body.id);
  const entries: Listed[] = (await operator.get(`${log}?limit=100`)).body.data;
  return { log, head, ids, bucket, entries, verification: `${log}/verification` };
}

eachEngine((engine) => {
  const server = useServer(engine);
  const operator = server.client.as(operatorToken);

  test("resources created in a burst are logged like those created one by one", async () => {
    const { log, ids, bucket, entries, verification } = await fill(server);
    expect((await operator.get(verification)).body).toMatchObject({ intact: true, entries: burst + 2 });
    const created = entries.filter(({ resource }) => ids.includes(resource.id));
    expect(created.map(({ resource }) => resource.id).toSorted()).toEqual(ids.toSorted());
    const numbers = entries.map(({ seal }) => seal.number).toSorted((one, other) => one - other);
    expect(numbers).toEqual(Array.from({ length: burst + 2 }, (_, index) => index + 1));
    for (const { id, resource } of [created[0]!, created[30]!, created.at(-1)!]) {
      const { data } = (await operator.get(`${log}?resource=${resource.id}`)).body;
      expect(data.map((entry: Listed) => entry.id)).toEqual([id]);
    }
    const ofBucket = (await operator.get(`${log}?resource=${bucket.id}&limit=100`)).body.data;
    expect(ofBucket).toHaveLength(burst + 1);
    const page = (await operator.get(`${log}?limit=10&before=${entries[19]!.id}`)).body.data;
    expect(page).toEqual(entries.slice(20, 30));
  });
});

describe("a pack", () => {
  const server = useServer(sqlite);
  const operator = server.client.as(operatorToken);
  let log: Awaited<ReturnType<typeof fill>>;
  let segment: AuditSegmentRow;
  const verification = async (query = "") => (await operator.get(log.verification + query)).body;

  beforeEach(async () => {
    // The number of changes that share a commit depends on how they arrive.
    await until(async () => {
      log = await fill(server);
      const first = log.entries.find(({ seal }) => seal.pack !== undefined);
      const rows = (await tableContent(server.database, "audit_segments")) as unknown as AuditSegmentRow[];
      segment = rows.find(({ highest_id, number }) => first?.seal.number === number && isOf(highest_id))!;
      return segment;
    });
  });

  test("is not shown to a role that may not read all of its entries", async () => {
    const account = log.log.replace(/\/audit-log$/, "");
    const packsFor = async (role: string) => {
      const { token } = (await operator.post(`${account}/tokens`, { role })).body;
      const { data } = (await operator.as(token).get(`${log.log}?limit=100`)).body;
      return (data as Listed[]).filter(({ seal }) => seal?.pack !== undefined).length;
    };
    expect(await packsFor("admin")).toBeGreaterThan(0);
    expect(await packsFor("reader")).toBe(0);
  });
  const isOf = (highestId: string) => log.entries.some(({ id }) => id === highestId);
  const inPack = () => log.entries.filter(({ seal }) => seal.first === segment.number);
  const set = (columns: string) =>
    runSql(
      server.database,
      `UPDATE audit_segments SET ${columns} WHERE account_seq = ${segment.account_seq} AND number = ${segment.number}`,
    );
  const bytes = (value: Uint8Array) => `X'${Buffer.from(value).toString("hex")}'`;
  const idOfNumber = (number: number) => log.entries.find(({ seal }) => seal.number === number)?.id;
  const changed = () => ({
    number: segment.number,
    id: idOfNumber(segment.number),
    detail: `or one of the ${segment.count - 1} after it was changed after it was sealed`,
  });

  test("has one hash, over bytes that come with its first entry", async () => {
    const entries = inPack().toSorted((one, other) => one.seal.number - other.seal.number);
    expect(entries).toHaveLength(segment.count);
    expect(segment.count).toBeGreaterThan(15);
    const [first, ...others] = entries;
    expect(new Set(entries.map(({ seal }) => seal.hash)).size).toBe(1);
    expect(others.every(({ seal }) => seal.pack === undefined)).toBe(true);
    const { previousHash, hash, pack, last } = first!.seal;
    expect(last).toBe(segment.number + segment.count - 1);
    const hashed = new Bun.CryptoHasher("sha256")
      .update(`${previousHash}\n${segment.number}\n`)
      .update(Buffer.from(pack!, "base64"))
      .digest("hex");
    expect(hashed).toBe(hash);
    const lines = Bun.zstdDecompressSync(Buffer.from(pack!, "base64")).toString().split("\n");
    expect(lines).toEqual(
      entries.map(({ seal: _, isSealed: __, ...entry }: Listed & { isSealed?: boolean }) => JSON.stringify(entry)),
    );
  });

  test("is reported if its entries were changed", async () => {
    const texts = auditEntriesOf(segment);
    await set(`entries = ${bytes(packLines(texts.with(3, texts[3]!.replace("consumer-", "consumed-"))))}`);
    expect((await verification()).firstBroken).toEqual(changed());
  });

  test("is reported if its hash was changed", async () => {
    const hashes = Buffer.from(segment.hashes);
    hashes[40]! ^= 1;
    await set(`hashes = ${bytes(hashes)}`);
    expect((await verification()).firstBroken).toEqual(changed());
  });

  test("is reported if it cannot be unpacked", async () => {
    await set(`entries = ${bytes(segment.entries.subarray(0, 20))}`);
    expect((await verification()).firstBroken).toMatchObject({ number: segment.number });
  });

  test.each(["count = count - 1", "count = count + 1", "latest = latest + 1", "highest_id = highest_id || 'x'"])(
    "is reported if a search column was changed: %s",
    async (columns) => {
      await set(columns);
      expect(await verification()).toMatchObject({ intact: false });
    },
  );

  test("is reported as missing if it was removed", async () => {
    const { account_seq, number } = segment;
    await runSql(
      server.database,
      `DELETE FROM audit_segments WHERE account_seq = ${account_seq} AND number = ${number}`,
    );
    expect((await verification()).firstBroken).toEqual({
      number,
      previousId: idOfNumber(number - 1),
      detail: "is missing",
    });
  });

  test("has a hash that is a valid head for its last entry only", async () => {
    const { seal } = inPack()[0]!;
    expect(await verification(`?head=${seal.last}:${seal.hash}`)).toMatchObject({ intact: true });
    expect((await verification(`?head=${seal.last - 1}:${seal.hash}`)).firstBroken).toEqual({
      number: seal.last - 1,
      id: idOfNumber(seal.last - 1),
      detail: "does not match the head",
    });
  });
});
