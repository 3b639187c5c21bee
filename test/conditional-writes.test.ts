import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { describedBy, filledPath, type OperationOfPath } from "../torture/described.ts";
import { sendGood, withCanary } from "../torture/who-may/requests.ts";
import { furnishWorld, type World } from "../torture/world.ts";
import type { Client, ClientResponse, RequestHeaders } from "./support/client.ts";
import { eachEngine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { useServer } from "./support/server.ts";
import { operatorToken } from "./support/server-settings.ts";
import { tableContent } from "./support/table-content.ts";
import { until } from "./support/until.ts";

/** Fewer than the connections of the server's pool, so that all of them have a transaction. */
const requests = 6;

/** Operations whose ETag is that of another resource. */
const customer = "/v1/metering/{bucketId}/customers/{customerKey}";
const etagPaths: Record<string, string> = { setPaymentMethod: customer, deletePaymentMethod: customer };

/** Operations that need a deployment with two versions. */
const needVersions = ["splitTraffic", "stopCanary"];

/** Every PUT: the parameters with which its path has no resource yet, or why there always is one. */
const missing: Record<string, Record<string, string> | string> = {
  setBillingProfile: { accountName: "account" },
  setPortal: { bucketName: "other" },
  setVariable: { variableName: "OTHER" },
  setPaymentProvider: "Without one, the default is used, which has an ETag.",
  setPaymentMethod: "The ETag is that of the customer, without which it is 404.",
  splitTraffic: "The ETag is that of the deployment, without which it is 404.",
};

eachEngine((engine) => {
  let connection: SQL | undefined;
  // Before the server, which drops the database.
  afterAll(() => connection?.close());
  const server = useServer(engine);
  const operator = server.client.as(operatorToken);
  let operations: OperationOfPath[];
  beforeAll(async () => {
    if (engine.name === "postgres") connection = new SQL(server.database.environment.DATABASE_URL!, { max: 2 });
    operations = Object.entries((await describedBy(server)).paths).flatMap(([template, methods]) =>
      Object.entries(methods)
        .filter(([, { parameters }]) => parameters.some(({ name }) => name === "If-Match"))
        .map(([method, operation]) => ({ method: method.toUpperCase(), template, operation })),
    );
  });

  let worlds = 0;
  const newWorld = (isBuilt = false) => furnishWorld(operator, `world-${++worlds}`, { isBuilt });

  async function etagOf({ template, operation }: OperationOfPath, world: World): Promise<string | undefined> {
    const path = filledPath(etagPaths[operation.operationId] ?? template, (name) => world.parameters[name]!);
    const { headers } = await operator.get(`${path}?accountName=${world.account}`);
    return headers.get("etag") ?? undefined;
  }

  /** Sends a valid request with If-Match. */
  function send(described: OperationOfPath, world: World, etag: string): Promise<ClientResponse> {
    const conditional: Client = Object.create(operator, {
      raw: {
        value: (method: string, path: string, body?: string, headers?: RequestHeaders) =>
          operator.raw(method, path, body, { ...headers, "if-match": etag }),
      },
    });
    return sendGood(conditional, operator, described, world);
  }

  /**
   * Sends requests such that all of them have read what they read without a lock before the first one commits. On SQLite
   * there is one writer.
   */
  async function race(sent: (() => Promise<ClientResponse>)[]): Promise<ClientResponse[]> {
    const sendAll = () => sent.map((each) => each());
    if (!connection) return Promise.all(sendAll());
    const holder = await connection.reserve();
    try {
      await holder.unsafe("BEGIN");
      // Each write ends with an insert into this table, which waits. Reading it does not.
      await holder.unsafe("LOCK TABLE changes IN SHARE MODE");
      let ended = 0;
      const responses = sendAll().map((response) =>
        response.finally(() => {
          ended += 1;
        }),
      );
      const seen: number[] = [];
      await until(async () => {
        const [{ waiting }] = await connection!.unsafe(
          `SELECT count(*)::int AS waiting FROM pg_stat_activity
           WHERE wait_event_type = 'Lock' AND datname = current_database()`,
        );
        seen.push(waiting);
        // Requests that share a transaction are fewer: their number does not change any more.
        return (
          ended + waiting >= sent.length ||
          (waiting > 0 && seen.slice(-20).filter((each) => each === waiting).length === 20)
        );
      });
      await holder.unsafe("COMMIT");
      return await Promise.all(responses);
    } finally {
      holder.release();
    }
  }

  test("one of several concurrent writes with the same If-Match succeeds, for each operation of the API", async () => {
    let world = await newWorld();
    const wrong: Record<string, string> = {};
    for (const described of operations) {
      const { operationId } = described.operation;
      if (needVersions.includes(operationId)) world = await newWorld(true);
      await withCanary(operator, operationId, world);
      let etag = await etagOf(described, world);
      if (etag === undefined) {
        // An operation before it deleted what it needs.
        world = await newWorld();
        etag = await etagOf(described, world);
      }
      if (etag === undefined)
        throw new Error(`${operationId} has no ETag: add it to etagPaths, or mark it with hasNoETag`);
      const current = etag;
      const stale = await send(described, world, '"another"');
      const responses = await race(Array(requests).fill(() => send(described, world, current)));
      const statuses = responses.map(({ status }) => status).sort();
      // After a deletion, the resource is missing.
      const isRejected = (status: number) => status === 412 || (described.method === "DELETE" && status === 404);
      const isRight = statuses[0]! < 300 && statuses.slice(1).every(isRejected);
      if (stale.status !== 412 || !isRight) wrong[operationId] = `${stale.status}; ${statuses}`;
    }
    expect(operations.length).toBeGreaterThan(30);
    expect(wrong).toEqual({});
  }, 600_000);

  test("a PUT with If-Match does not create what is missing, not even with *", async () => {
    const puts = operations.filter(({ method }) => method === "PUT");
    expect(puts.map(({ operation }) => operation.operationId).sort()).toEqual(Object.keys(missing).sort());
    const world = await newWorld();
    await operator.post("/v1/accounts", { name: "account" });
    await operator.post(`/v1/accounts/${world.account}/key-buckets`, { name: "other" });
    for (const described of puts) {
      const changed = missing[described.operation.operationId]!;
      if (typeof changed === "string") continue;
      const place = { ...world, parameters: { ...world.parameters, ...changed } };
      for (const etag of ["*", '"another"'])
        expectProblem(await send(described, place, etag), 412, "precondition_failed");
      expect(await etagOf(described, place)).toBeUndefined();
      expect((await sendGood(operator, operator, described, place)).status).toBe(200);
      expect(await etagOf(described, place)).toBeString();
    }
  });

  test("a credential that is omitted stays, also if a concurrent request replaces it", async () => {
    const path = "/v1/accounts/default/payment-provider/live";
    const put = (body: object) => operator.raw("PUT", path, JSON.stringify({ type: "stripe", ...body }));
    const stored = async () => {
      const rows = await tableContent(server.database, "payment_providers");
      // The account of the first start.
      return rows.find(({ account_seq, mode }) => Number(account_seq) === 1 && mode === "live")!;
    };
    expect((await put({ secretKey: "sk_live_1", webhookSecret: "whsec_1" })).status).toBe(200);
    const before = await stored();
    const responses = await race([() => put({ secretKey: "sk_live_2" }), () => put({ webhookSecret: "whsec_2" })]);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    const after = await stored();
    expect(after.secret_key).not.toEqual(before.secret_key);
    expect(after.webhook_secret).not.toEqual(before.webhook_secret);
    expect(Number(after.version)).toBe(Number(before.version) + 2);
  });
});
