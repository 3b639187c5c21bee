import { beforeAll, describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { recordingStatements } from "../../../../test/support/counted-statements.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { until } from "../../../../test/support/until.ts";
import { createAccount } from "../../access/accounts/accounts.ts";
import { createKeyBucket } from "../../api-keys/key-buckets/key-buckets.ts";
import type { Verdict } from "../../api-keys/keys/verification/verifier.ts";
import { timeSteps } from "./range.ts";
import { removeOldCounts } from "./retention.ts";
import { VerificationCounter } from "./verification-counter.ts";
import { readVerifications } from "./verification-series.ts";
import { VerificationWriter } from "./verification-writer.ts";

const buckets = `/v1/accounts/${account}/key-buckets`;
const path = `/v1/accounts/${account}/analytics/verifications`;

interface SeriesBody {
  key: string | null;
  isOther?: true;
  totals: { verifications: number; rejected: number };
  points: { time: string; verifications: number; rejected: number }[];
}

eachEngine((engine) => {
  describe("verifications of a server", () => {
    const server = useServer(engine);
    const { client } = server;

    const keyOf = async (bucket: string, name: string, input: object = {}): Promise<string> => {
      const created = await client.post(`${buckets}/${bucket}/consumers`, { name, apiKeys: [input] });
      expect(created.status).toBe(200);
      return created.body.apiKeys[0].key;
    };
    const verify = async (bucket: string, body: object) =>
      (await client.post(`${buckets}/${bucket}/verify-key`, body)).body.code ?? "valid";
    const series = async (query = ""): Promise<SeriesBody[]> => (await client.get(`${path}${query}`)).body.series;
    const byKey = async (query: string) =>
      Object.fromEntries(
        (await series(query)).map(({ key, isOther, totals }) => [
          isOther ? "others" : String(key),
          totals.verifications,
        ]),
      );
    const countedAtLeast = (count: number) =>
      until(async () => (await series())[0]!.totals.verifications >= count || undefined);

    beforeAll(async () => {
      const acme = await keyOf("main", "acme", { permissions: ["orders:read"] });
      const globex = await keyOf("main", "globex", { rateLimit: { requests: 1, windowSeconds: 60 } });
      const initech = await keyOf("other", "initech");
      const results = [
        await verify("main", { key: acme }),
        await verify("main", { key: acme }),
        await verify("main", { key: acme, permission: "orders:write" }),
        await verify("main", { key: globex }),
        await verify("main", { key: globex }),
        await verify("main", { key: "no key" }),
        await verify("main", { key: initech }),
        await verify("other", { key: initech }),
        await verify("missing", { key: initech }),
      ];
      expect(results).toEqual([
        ...["valid", "valid", "permission_missing", "valid", "rate_limited"],
        ...["malformed", "not_found", "valid", "not_found"],
      ]);
      await countedAtLeast(8);
    });

    test("are counted by bucket, consumer and result; those of a missing bucket are not", async () => {
      const [all, ...rest] = await series();
      expect(rest).toEqual([]);
      expect(all).toMatchObject({ key: null, totals: { verifications: 8, rejected: 4 } });
      expect(all!.points.reduce((sum, { verifications }) => sum + verifications, 0)).toBe(8);
      expect(await byKey("?by=bucket")).toEqual({ main: 7, other: 1 });
      expect(await byKey("?by=consumer")).toEqual({ acme: 3, globex: 2, null: 2, initech: 1 });
      expect(await byKey("?by=result")).toEqual({
        valid: 4,
        malformed: 1,
        not_found: 1,
        permission_missing: 1,
        rate_limited: 1,
      });
    });

    test("are filtered by bucket, consumer and result, together too", async () => {
      expect(await byKey("?bucket=other")).toEqual({ null: 1 });
      expect(await byKey("?bucket=main&by=result&consumer=acme")).toEqual({ valid: 2, permission_missing: 1 });
      expect(await byKey("?consumer=&by=result")).toEqual({ malformed: 1, not_found: 1 });
      expect(await byKey("?result=rate_limited&by=consumer")).toEqual({ globex: 1 });
      expect(await byKey("?by=consumer&limit=1")).toEqual({ acme: 3, others: 5 });
      expect(await byKey("?consumer=nobody&by=result")).toEqual({});
      expectProblem(await client.get(`${path}?bucket=missing`), 404, "not_found");
    });

    test("are not requests of a deployment", async () => {
      const { body } = await client.get(`/v1/accounts/${account}/analytics`);
      expect(body.series[0].totals.requests).toBe(0);
    });

    test("are CSV where the client accepts it", async () => {
      const { headers, text } = await client.get(`${path}?by=bucket&step=1d`, { accept: "text/csv" });
      expect(headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
      const lines = text.trimEnd().split("\r\n");
      expect(lines[0]).toBe("time,key,isOther,verifications,rejected,observed");
      expect(lines).toContain("2026-01-15T00:00:00.000Z,main,false,7,4,0");
    });

    test.each(
      casesFor(engine, [
        ["from=2026-01-15T10:00:00Z&to=2026-01-15T09:00:00Z", "?from"],
        ["step=5m", "?step"],
        ["step=1m&from=2026-01-13T09:59:00Z", "?step"],
        ["by=key", "?by"],
        ["limit=0", "?limit"],
        ["limit=100&by=consumer&step=1m&from=2026-01-13T11:00:00Z", "?limit"],
        ["result=good", "?result"],
        ["consumer=*", "?consumer"],
        ["route=/orders", "?route"],
      ]),
    )("reject %s", async (query, pointer) => {
      expectProblem(await client.get(`${path}?${query}`), 400, "validation_failed", { pointer });
    });

    test("are for readers of the account", async () => {
      expectProblem(await client.anonymous().get(path), 401, "unauthenticated");
      expect((await (await callerWithRole(client, "reader")).get(path)).status).toBe(200);
      expectProblem(await (await callerWithRole(client, "verifier")).get(path), 403, "forbidden");
      expectProblem(await (await strangerOf(client, "without-verifications")).get(path), 404, "not_found");
    });

    test("disappear with their bucket", async () => {
      const key = await keyOf("short-lived", "acme");
      await verify("short-lived", { key });
      await server.catchUp();
      await until(async () => (await byKey("?by=bucket"))["short-lived"]);
      expect((await client.delete(`${buckets}/short-lived?force=true`)).status).toBe(204);
      expect(await byKey("?by=bucket")).toEqual({ main: 7, other: 1 });
    });
  });

  describe("counts of verifications", () => {
    const storage = useStorage(engine);
    const day = 86_400_000;
    let buckets = 0;

    const bucketOf = () => {
      const act = { actor: "test", now: storage.clock.now() };
      return storage.open.write(async (transaction) => {
        const account = await createAccount(transaction, act, `verified-${buckets++}`);
        const { seq } = await createKeyBucket(transaction, { ...act, account }, { name: "main" });
        return { seq, accountSeq: account.seq };
      });
    };
    const verdictOf = (seq: number, consumer: string): Verdict => ({
      text: "",
      rejection: undefined,
      identity: undefined,
      retryAfterSeconds: undefined,
      known: {
        seq,
        expiresOn: Number.POSITIVE_INFINITY,
        identity: {
          keyId: `key_${seq}`,
          consumerId: consumer,
          user: { sub: consumer, data: {} },
          metadataText: undefined,
          permissions: [],
        },
      },
    });
    const unknown: Verdict = { ...verdictOf(0, ""), rejection: "not_found", known: undefined };
    const read = async (accountSeq: number, step: "1m" | "1h" | "1d", from: number) => {
      const range = timeSteps({ from, step }, storage.clock.now());
      const all = { bucketSeq: undefined, consumer: undefined, result: undefined };
      const series = await readVerifications(storage.open.reads, {
        accountSeq,
        range,
        by: "consumer",
        limit: 10,
        ...all,
      });
      return Object.fromEntries(
        series.map(({ key, isOther, totals }) => [isOther ? "others" : String(key), totals.verifications]),
      );
    };

    test("the counts of several nodes add up, in every step", async () => {
      const { seq, accountSeq } = await bucketOf();
      const now = storage.clock.now();
      for (const count of [1, 2]) {
        const counter = new VerificationCounter();
        const writer = new VerificationWriter(storage.open, storage.clock, counter);
        for (let at = 0; at < count; at += 1) counter.count(seq, verdictOf(1, "acme"), now);
        counter.count(seq, verdictOf(2, "acme"), now);
        counter.count(seq, unknown, now);
        await writer.flush();
        expect(writer.hasUnwritten).toBe(false);
      }
      for (const step of ["1m", "1h", "1d"] as const)
        expect(await read(accountSeq, step, now - 60_000)).toEqual({ acme: 5, null: 2 });
    });

    test("verifications of too many keys or consumers are counted as others", async () => {
      const { seq, accountSeq } = await bucketOf();
      const now = storage.clock.now();
      const counter = new VerificationCounter({ keysOfBucket: 3, keys: 100, minutes: 2 });
      const writer = new VerificationWriter(storage.open, storage.clock, counter, { minute: 2, longer: 100 });
      for (let key = 1; key <= 5; key += 1) counter.count(seq, verdictOf(key, `consumer-${key}`), now);
      await writer.flush();
      for (let key = 3; key <= 4; key += 1) counter.count(seq, verdictOf(key, `consumer-${key}`), now);
      await writer.flush();
      expect(await read(accountSeq, "1h", now - 60_000)).toEqual({
        "consumer-3": 2,
        "consumer-1": 1,
        "consumer-2": 1,
        "consumer-4": 1,
        others: 2,
      });
      expect(await read(accountSeq, "1m", now - 60_000)).toEqual({ "consumer-1": 1, "consumer-2": 1, others: 5 });
    });

    test("are removed after the retention of their step, and with their bucket", async () => {
      const kept = await bucketOf();
      const deleted = await bucketOf();
      const counter = new VerificationCounter();
      const writer = new VerificationWriter(storage.open, storage.clock, counter);
      const now = storage.clock.now();
      for (const { seq } of [kept, deleted]) counter.count(seq, verdictOf(1, "acme"), now);
      await writer.flush();
      await storage.open.write((transaction) =>
        transaction.run("DELETE FROM key_buckets WHERE seq = ?", [deleted.seq]),
      );
      const rows = async ({ seq }: { seq: number }) =>
        (
          await storage.open.reads.all<{ step: number }>(
            "SELECT DISTINCT step FROM verifications WHERE bucket_seq = ? ORDER BY step",
            [seq],
          )
        ).map(({ step }) => step);
      await removeOldCounts(storage.open, now);
      expect(await rows(kept)).toEqual([60_000, 3_600_000, day]);
      expect(await rows(deleted)).toEqual([]);
      await removeOldCounts(storage.open, now + 3 * day);
      expect(await rows(kept)).toEqual([3_600_000, day]);
      await removeOldCounts(storage.open, now + 732 * day);
      expect(await rows(kept)).toEqual([]);
    });

    test("counts of many buckets are removed with few statements", async () => {
      const counter = new VerificationCounter();
      const writer = new VerificationWriter(storage.open, storage.clock, counter);
      const now = storage.clock.now();
      for (let index = 0; index < 130; index++) counter.count((await bucketOf()).seq, verdictOf(1, "acme"), now);
      await writer.flush();
      const { storage: recorded, statements } = recordingStatements(storage.open);
      await removeOldCounts(recorded, now + 3 * day);
      const sql = "SELECT DISTINCT step FROM verifications ORDER BY step";
      expect(await storage.open.reads.all<{ step: number }>(sql, [])).toEqual([{ step: 3_600_000 }, { step: day }]);
      expect(statements.length).toBeLessThan(60);
    });
  });
});
