import { beforeEach, describe, expect, test } from "bun:test";
import { createPublicKey, verify } from "node:crypto";
import type { Client } from "../../../test/support/client.ts";
import { eachEngine, postgres } from "../../../test/support/engines.ts";
import { expectProblem } from "../../../test/support/expect-problem.ts";
import { unique } from "../../../test/support/metering.ts";
import { runSql } from "../../../test/support/run-sql.ts";
import { TestServer, useServer } from "../../../test/support/server.ts";
import { operatorToken } from "../../../test/support/server-settings.ts";
import { tableContent } from "../../../test/support/table-content.ts";
import { until } from "../../../test/support/until.ts";
import { headText } from "../../lib/hash-chain.ts";

const sealedWithinMs = 50_000;

async function fill(operator: Client, count: number) {
  const name = unique("sealed");
  const path = `/v1/accounts/${name}`;
  await operator.post("/v1/accounts", { name });
  await operator.post(`${path}/key-buckets`, { name: "main" });
  for (let index = 2; index < count; index++)
    await operator.post(`${path}/key-buckets/main/consumers`, { name: `consumer-${index}` });
  return { path, log: `${path}/audit-log` };
}

async function sealed(operator: Client, log: string, count: number) {
  return until(
    async () => {
      const { body } = await operator.get(`${log}/verification`);
      return body.entries >= count && body.unsealed === 0 && body;
    },
    { withinMs: sealedWithinMs },
  );
}

eachEngine((engine) => {
  const server = useServer(engine);
  const operator = server.client.as(operatorToken);
  const verification = async (log: string, query = "") => (await operator.get(`${log}/verification${query}`)).body;

  async function rowsOf(log: string) {
    const { data } = (await operator.get(log)).body;
    const ids = new Set(data.map(({ id }: { id: string }) => id));
    const rows = (await tableContent(server.database, "audit_entries")).filter(({ id }) => ids.has(id));
    return rows.sort((one, other) => Number(one.number) - Number(other.number));
  }

  test("a log that nobody touched is intact, and its head is signed by the installation's key", async () => {
    const { log } = await fill(operator, 5);
    const { head, ...verified } = await sealed(operator, log, 5);
    const time = new Date(server.clock.now()).toISOString();
    expect(verified).toEqual({ intact: true, entries: 5, unsealed: 0, from: time, to: time });
    const response = await fetch(`${server.url}/.well-known/tollgate-audit-key`);
    const { keys } = (await response.json()) as { keys: { kid: string; kty: string; crv: string; x: string }[] };
    const jwk = keys.find(({ kid }) => kid === head.keyId)!;
    const key = createPublicKey({ key: { kty: jwk.kty, crv: jwk.crv, x: jwk.x }, format: "jwk" });
    const signature = Buffer.from(head.signature, "base64url");
    expect(verify(null, Buffer.from(headText(head)), key, signature)).toBe(true);
    const [row] = await tableContent(server.database, "audit_keys");
    expect(Buffer.from(row!.private_key as Uint8Array).includes("PRIVATE KEY")).toBe(false);
    expect(await verification(log, `?head=5:${head.hash}`)).toMatchObject({ intact: true });
    expectProblem(await operator.get(`${log}/verification?head=5`), 400, "validation_failed");
    expect(head).toMatchObject({ account: expect.stringMatching(/^acct_/), count: 5, time });
  });

  describe("verification names the place", () => {
    let log: string;
    let rows: Awaited<ReturnType<typeof rowsOf>>;
    let head: { count: number; hash: string };
    beforeEach(async () => {
      ({ log } = await fill(operator, 6));
      ({ head } = await sealed(operator, log, 6));
      rows = await rowsOf(log);
    });
    const where = (number: number) => `account_seq = ${rows[0]!.account_seq} AND number = ${number}`;

    test("of a byte that was changed", async () => {
      await runSql(
        server.database,
        `UPDATE audit_entries SET entry = replace(entry, 'consumer-3', 'consumer-9') WHERE ${where(4)}`,
      );
      const { intact, firstBroken } = await verification(log);
      expect({ intact, firstBroken }).toMatchObject({ intact: false, firstBroken: { number: 4, id: rows[3]!.id } });
    });

    test.each(["action", "actor", "resource", "resource_type", "hash"])("of another %s", async (column) => {
      await runSql(server.database, `UPDATE audit_entries SET ${column} = 'x' || ${column} WHERE ${where(3)}`);
      expect((await verification(log)).firstBroken).toMatchObject({ number: 3 });
    });

    test("of another time", async () => {
      await runSql(server.database, `UPDATE audit_entries SET time = time + 1 WHERE ${where(2)}`);
      expect((await verification(log)).firstBroken).toMatchObject({ number: 2 });
    });

    test("of one that was removed", async () => {
      await runSql(server.database, `DELETE FROM audit_entries WHERE ${where(5)}`);
      expect((await verification(log)).firstBroken).toEqual({ number: 5, detail: "is missing" });
    });

    test("where its end was cut off", async () => {
      await runSql(
        server.database,
        `DELETE FROM audit_entries WHERE account_seq = ${rows[0]!.account_seq} AND number > 4`,
      );
      expect((await verification(log)).firstBroken).toEqual({ number: 5, detail: "is missing" });
      // Whoever covers that up in the chain too is caught by a head that was noted before.
      await runSql(
        server.database,
        `UPDATE audit_chains SET count = 4, hash = '${rows[3]!.hash}', head = NULL
         WHERE account_seq = ${rows[0]!.account_seq}`,
      );
      expect(await verification(log)).toMatchObject({ intact: true });
      expect((await verification(log, `?head=${head.count}:${head.hash}`)).firstBroken).toEqual({
        number: 5,
        detail: "is missing",
      });
    });

    test("where the head is not the one that was noted", async () => {
      const { firstBroken } = await verification(log, `?head=3:${"0".repeat(64)}`);
      expect(firstBroken).toMatchObject({ number: 3 });
    });
  });

  test("heads go to the server's log", async () => {
    const { log } = await fill(operator, 3);
    const { head } = await sealed(operator, log, 3);
    await until(() => server.log.includes(head.hash), { withinMs: 30_000 });
  });
});

describe("two nodes", () => {
  test("writers on both are sealed into one chain, also after one of them dies while sealing", async () => {
    const first = new TestServer(postgres);
    await first.start();
    const second = new TestServer(postgres, { database: first.database, clock: first.clock });
    await second.start();
    try {
      const operator = first.client.as(operatorToken);
      const { path, log } = await fill(operator, 2);
      const clients = [operator, second.client.as(operatorToken)];
      await Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          clients[index % 2]!.post(`${path}/key-buckets/main/consumers`, { name: `both-${index}` }),
        ),
      );
      const verified = await sealed(operator, log, 62);
      expect(verified).toMatchObject({ intact: true, entries: 62 });
      await second.stop();
      await operator.post(`${path}/key-buckets/main/consumers`, { name: "alone" });
      expect(await sealed(operator, log, 63)).toMatchObject({ intact: true });
    } finally {
      await first.stop();
    }
  });
});
