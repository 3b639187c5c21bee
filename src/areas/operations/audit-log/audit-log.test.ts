import { describe, expect, test } from "bun:test";
import type { Client } from "../../../../test/support/client.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { furnishAccount, issueToken } from "../../../../test/support/furnished-account.ts";
import { unique } from "../../../../test/support/metering.ts";
import { runSql } from "../../../../test/support/run-sql.ts";
import { useServer } from "../../../../test/support/server.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";
import { holdText, tableContent } from "../../../../test/support/table-content.ts";
import { until } from "../../../../test/support/until.ts";
import { linkHash } from "../../../lib/crypto/hash-chain.ts";
import { auditEntriesOf as unpacked } from "./segment.ts";

// biome-ignore lint/suspicious/noExplicitAny: the shape was checked against /openapi.json; tests read the members that they expect
type Entry = any;
type Segment = Parameters<typeof unpacked>[0];

eachEngine((engine) => {
  const server = useServer(engine);
  const operator = server.client.as(operatorToken);

  async function freshAccount() {
    const account = await furnishAccount(operator, unique("audited"));
    const { holder, tokenId } = await issueToken(operator, account, "admin");
    return { ...account, holder, tokenId, log: `${account.path}/audit-log` };
  }

  const entriesOf = async (client: Client, path: string): Promise<Entry[]> => {
    const { status, body, text } = await client.get(path);
    expect({ status, text }).toEqual({ status: 200, text });
    return body.data;
  };
  const allSealed = async (client: Client, log: string) => {
    await server.catchUp();
    await until(async () => (await entriesOf(client, log)).every(({ isSealed }: Entry) => isSealed));
  };

  test("a change is an entry immediately, with its actor, action and origin", async () => {
    const { holder, tokenId, consumer, log } = await freshAccount();
    const headers = { "x-request-id": "req-of-mine" };
    await holder.patch(consumer, { tags: { plan: "gold" }, description: "Acme" }, headers);
    await holder.patch(consumer, { tags: { plan: "silver" }, description: null });
    const [newest, first] = await entriesOf(holder, `${log}?action=consumer.updated`);
    expect(first).toMatchObject({
      id: expect.stringMatching(/^audt_/),
      time: new Date(server.clock.now()).toISOString(),
      action: "consumer.updated",
      actor: { type: "token", id: tokenId },
      resource: { type: "consumer", id: expect.stringMatching(/^csmr_/), name: "acme", parent: { type: "bucket" } },
      requestId: "req-of-mine",
      ip: "127.0.0.1",
      changes: [
        { pointer: "/description", after: "Acme" },
        { pointer: "/tags", after: { plan: "gold" } },
      ],
    });
    expect(newest.changes).toEqual([
      { pointer: "/description", before: "Acme" },
      { pointer: "/tags/plan", before: "gold", after: "silver" },
    ]);
  });

  test("a rejected request is not logged", async () => {
    const { holder, bucket, log } = await freshAccount();
    const before = await entriesOf(holder, log);
    expectProblem(await holder.post(`${bucket}/consumers`, { name: "acme" }), 409, "consumer_exists");
    expectProblem(await holder.patch(`${bucket}/consumers/nobody`, {}), 404, "not_found");
    expect((await entriesOf(holder, log)).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });

  test("creations and deletions have the whole resource; bulk calls and cascades are one entry with counts", async () => {
    const { holder, bucket, consumer, path, log } = await freshAccount();
    await holder.post(`${consumer}/keys/$bulk`, [{}, {}, {}]);
    await holder.delete(consumer);
    await holder.post(`${bucket}/consumers?with-api-key=true`, { name: "other" });
    const seen = new Set((await entriesOf(holder, log)).map(({ id }) => id));
    await holder.delete(`${path}/key-buckets/main?force=true`);
    const entries = await entriesOf(holder, log);
    const [deletion, ...others] = entries.filter(({ id }) => !seen.has(id));
    expect(others).toEqual([]);
    expect(deletion).toMatchObject({ action: "bucket.deleted", counts: { consumers: 1, keys: 1 } });
    expect(deletion.changes).toEqual([{ pointer: "", before: expect.objectContaining({ name: "main" }) }]);
    const byAction = (action: string) => entries.find((entry) => entry.action === action);
    expect(byAction("consumer.deleted").counts).toEqual({ keys: 4, managers: 0, managerInvites: 0 });
    expect(byAction("key.created").counts ?? byAction("key.created").changes[0].pointer).toBeDefined();
    expect(entries.filter(({ counts }) => counts?.keys === 3)).toHaveLength(1);
  });

  test("the log filters by action, actor, type of actor, resource and time, and pages by before", async () => {
    const { holder, tokenId, consumer, bucket, log } = await freshAccount();
    const { id: consumerId } = (await holder.get(consumer)).body;
    const { id: keyId } = (await holder.post(`${consumer}/keys`, {})).body;
    for (const phase of ["unsealed", "sealed"]) {
      if (phase === "sealed") await allSealed(holder, log);
      const actions = async (query: string) =>
        (await entriesOf(holder, `${log}?${query}`)).map(({ action }: Entry) => action);
      expect(await actions("action=key.created&limit=1")).toEqual(["key.created"]);
      expect(await actions("action=key.*")).toEqual(["key.created", "key.created"]);
      expect(await actions(`actor=${tokenId}`)).toEqual(["key.created"]);
      expect(await actions("actorType=token&action=key.*")).toEqual(["key.created"]);
      expect(await actions("actorType=operator&action=key.*")).toEqual(["key.created"]);
      expect(await actions(`actorType=operator&actor=${tokenId}`)).toEqual([]);
      expect(await actions("actorType=manager")).toEqual([]);
      expect(await actions(`resource=${keyId}`)).toEqual(["key.created"]);
      expect(await actions("resource=account")).toEqual(["account.created"]);
      expect(await actions(`resource=${consumerId}`)).toEqual(["key.created", "key.created", "consumer.created"]);
      expect(await actions(`resource=${consumerId}&action=consumer.*`)).toEqual(["consumer.created"]);
      const now = server.clock.now();
      const at = (time: number) => new Date(time).toISOString();
      expect(await actions(`to=${at(now)}`)).toEqual([]);
      expect(await actions(`from=${at(now)}&to=${at(now + 1)}&action=key.*`)).toHaveLength(2);
      const whole = (await entriesOf(holder, log)).map(({ id }) => id);
      expect(whole).toEqual(whole.toSorted().reverse());
      const paged: string[] = [];
      for (let before = ""; ; ) {
        const page = await entriesOf(holder, `${log}?limit=2${before && `&before=${before}`}`);
        if (page.length === 0) break;
        paged.push(...page.map(({ id }) => id));
        before = page.at(-1).id;
      }
      expect(paged).toEqual(whole);
    }
    expectProblem(await holder.get(`${log}?limit=0`), 400, "validation_failed");
    expectProblem(await holder.get(`${log}?from=yesterday`), 400, "validation_failed");
    const unknown = await holder.get(`${log}?actorType=customer`);
    expectProblem(unknown, 400, "validation_failed");
    expect(unknown.body.detail).toBe(
      '?actorType must be one of "token", "person", "manager", "client", "operator", "system"',
    );
    expect(bucket).toBeDefined();
  });

  test("an export has the hashed text, also with members that JavaScript would reorder", async () => {
    const { holder, consumer, path, log } = await freshAccount();
    const tags = { zulu: "1", 10: "ten", 2: "two", __proto: "p", ünïcode: "\u{1f600}\u0000" };
    await holder.patch(consumer, { tags });
    await holder.patch(consumer, { tags: { 3: "three" } });
    await holder.delete(`${path}/key-buckets/main?force=true`);
    await allSealed(holder, log);
    const { text } = await holder.get(log, { accept: "application/jsonl" });
    const listed = await entriesOf(holder, log);
    const lines = text.trimEnd().split("\n");
    expect(lines).toHaveLength(listed.length);
    for (const [index, line] of lines.entries()) {
      expect(JSON.stringify(listed[index])).toBe(line);
      const { isSealed: _, seal, ...entry } = JSON.parse(line);
      expect(linkHash(seal.previousHash, seal.number, JSON.stringify(entry))).toBe(seal.hash);
    }
  });

  test("it is also CSV without formulas, and JSON lines", async () => {
    const { holder, consumer, log } = await freshAccount();
    await holder.post(`${consumer}/managers`, { sub: '=HYPERLINK("http://evil.example")' });
    const csv = await holder.get(log, { accept: "text/csv" });
    expect(csv.headers.get("content-type")).toStartWith("text/csv");
    const [head, newest] = csv.text.split("\r\n");
    expect(head).toBe(
      "id,time,action,actorType,actorId,actorName,resourceType,resourceId,resourceName,requestId,ip,changes,counts,isSealed,bucketTime,assistant",
    );
    expect(newest).toContain(`"'=HYPERLINK(""http://evil.example"")"`);
    for (const line of csv.text.split("\r\n")) expect(line).not.toMatch(/(^|,)"?\s*[=+\-@]/);
    const lines = await holder.get(log, { accept: "application/jsonl" });
    expect(lines.headers.get("content-type")).toStartWith("application/jsonl");
    const parsed = lines.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(parsed.map(({ id }) => id)).toEqual((await entriesOf(holder, log)).map(({ id }) => id));
  });

  test("admin, editor and reader may read it; other roles and accounts may not", async () => {
    const account = await freshAccount();
    for (const role of ["admin", "editor", "reader"]) {
      const { holder } = await issueToken(operator, account, role);
      expect((await holder.get(account.log)).status).toBe(200);
      expect((await holder.get(`${account.log}/verification`)).status).toBe(200);
    }
    const { holder: verifier } = await issueToken(operator, account, "verifier");
    const stranger = await freshAccount();
    for (const path of [account.log, `${account.log}/verification`]) {
      expectProblem(await verifier.get(path), 403, "forbidden");
      expectProblem(await account.holder.anonymous().get(path), 401, "unauthenticated");
      expectProblem(await stranger.holder.get(path), 404, "not_found");
    }
    const { id } = (await account.holder.get(account.consumer)).body;
    expect(await entriesOf(stranger.holder, `${stranger.log}?resource=${id}`)).toEqual([]);
    const theirs = JSON.stringify(await entriesOf(stranger.holder, stranger.log));
    expect(theirs).not.toContain(account.name);
  });

  describe("showing key values", () => {
    test("is an entry for each call that shows any", async () => {
      const { holder, consumer, bucket, keyId, log } = await freshAccount();
      const reveals = async () => (await entriesOf(holder, `${log}?action=key.revealed`)).reverse();
      await holder.get(`${consumer}/keys`);
      await holder.get(`${consumer}?key-format=visible`);
      expect(await reveals()).toEqual([]);
      await holder.get(`${consumer}/keys?key-format=visible`);
      await holder.get(`${consumer}/keys/${keyId}?key-format=visible`);
      await holder.get(`${consumer}?include-api-keys=true&key-format=visible`);
      await holder.get(`${bucket}/consumers?include-api-keys=true&key-format=visible`);
      expect((await reveals()).map(({ resource, counts }) => [resource.type, counts])).toEqual([
        ["consumer", { keys: 1 }],
        ["key", { keys: 1 }],
        ["consumer", { keys: 1 }],
        ["bucket", { keys: 1 }],
      ]);
    });

    test("does not happen where the entry cannot be written", async () => {
      const { holder, consumer, key, log } = await freshAccount();
      await runSql(server.database, rejecting[engine.name]);
      const { status, text } = await holder.get(`${consumer}/keys?key-format=visible`);
      expect({ status, shown: text.includes(key) }).toEqual({ status: 503, shown: false });
      await runSql(server.database, allowing[engine.name]);
      expect((await holder.get(`${consumer}/keys?key-format=visible`)).text).toContain(key);
      expect(await entriesOf(holder, `${log}?action=key.revealed`)).toHaveLength(1);
    });
  });

  test("secrets are neither in the response nor in storage", async () => {
    const { holder, consumer, path, log } = await freshAccount();
    const canary = `canary-${crypto.randomUUID()}`;
    const other = `canary-${crypto.randomUUID()}`;
    const { id } = (await holder.post(`${consumer}/keys`, { key: canary })).body;
    await holder.patch(`${consumer}/keys/${id}`, { key: other });
    await holder.get(`${consumer}/keys/${id}?key-format=visible`);
    const { token } = (await holder.post(`${path}/tokens`, { role: "reader", name: "shown once" })).body;
    await holder.post(`${consumer}/roll-key`, { expiresOn: new Date(server.clock.now()).toISOString() });
    await allSealed(holder, log);
    const values = (await holder.get(`${consumer}/keys?key-format=visible`)).body.data.map(
      (each: { key: string }) => each.key,
    );
    const shown = (await holder.get(log)).text;
    const [updated] = await entriesOf(holder, `${log}?action=key.updated`);
    expect(updated.changes).toEqual([{ pointer: "/key", after: "changed" }]);
    const sealed = await tableContent(server.database, "audit_segments");
    const kept = {
      changes: await tableContent(server.database, "changes"),
      audit_segments: sealed.map((row) => ({ entries: unpacked(row as Segment).join() })),
      audit_topics: await tableContent(server.database, "audit_topics"),
      audit_chains: await tableContent(server.database, "audit_chains"),
    };
    for (const [table, rows] of Object.entries(kept)) {
      expect(rows.length).toBeGreaterThan(0);
      for (const secret of [canary, other, token, ...values]) {
        expect({ table, secret, isThere: holdText(rows, secret) }).toEqual({ table, secret, isThere: false });
        expect(shown).not.toContain(secret);
      }
    }
  });

  test("an account's log survives it in storage, with the deletion as one entry", async () => {
    const account = await freshAccount();
    await operator.delete(account.path);
    const rows = await until(async () => {
      const segments = await tableContent(server.database, "audit_segments");
      const all: Entry[] = segments.flatMap((row) =>
        unpacked(row as Segment).map((text) => ({ account_seq: row.account_seq, ...JSON.parse(text) })),
      );
      const deletion = all.find(
        ({ action, resource }) => action === "account.deleted" && resource.name === account.name,
      );
      return deletion && all.filter(({ account_seq }) => account_seq === deletion.account_seq);
    });
    expect(rows.filter(({ action }: Entry) => `${action}`.endsWith(".deleted"))).toHaveLength(1);
    const { counts, actor } = rows.find(({ action }: Entry) => action === "account.deleted")!;
    expect(counts).toMatchObject({ keyBuckets: 1, consumers: 1, keys: 1, deployments: 1 });
    expect(actor).toEqual({ type: "operator", id: "operator" });
  });
});

const rejecting = {
  sqlite: `CREATE TRIGGER no_reveals BEFORE INSERT ON changes WHEN NEW.kind = 'key.revealed'
    BEGIN SELECT RAISE(ABORT, 'no'); END`,
  postgres: "ALTER TABLE changes ADD CONSTRAINT no_reveals CHECK (kind <> 'key.revealed') NOT VALID",
};
const allowing = {
  sqlite: "DROP TRIGGER no_reveals",
  postgres: "ALTER TABLE changes DROP CONSTRAINT no_reveals",
};
