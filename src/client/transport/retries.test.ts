import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { FaultyServer, type Treatment } from "../../../test/support/faulty-server.ts";
import { rejected } from "../../../test/support/tollgate-client.ts";
import { until } from "../../../test/support/until.ts";
import { Tollgate, type TollgateOptions } from "../index.ts";

const server = new FaultyServer();
beforeAll(() => server.start());
afterAll(() => server.stop());

/** Records the delays instead of waiting. Half of each delay is random; here the random part is the maximum. */
let pauses: number[] = [];
const waiting = {
  random: () => 1,
  sleep: async (milliseconds: number, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted();
    pauses.push(milliseconds);
  },
};

function clientFor(treatments: Treatment[], options: Partial<TollgateOptions> = {}): Tollgate {
  server.setTreatments(...treatments);
  pauses = [];
  return new Tollgate({ url: server.url, token: "tgt_secret", account: "default", ...options }, waiting);
}

const consumer = { status: 200, body: { id: "csmr_1", name: "acme" } };
const identity = { status: 200, body: { sub: "me", account: "default", role: "admin" } };
const problem = (status: number, code: string, headers: Record<string, string> = {}) => ({
  status,
  headers: { "content-type": "application/problem+json", "x-request-id": "request-1", ...headers },
  body: { type: "about:blank", title: "", status, detail: `It is ${code}.`, instance: "/", code, trace: {} },
});
const away = problem(503, "storage_unavailable");
const busy = (seconds: number) => problem(429, "too_many", { "retry-after": String(seconds) });
const unfinished = problem(409, "request_in_progress", { "retry-after": "1" });

const create = (client: Tollgate) => client.consumers("main").create({ name: "acme" });
const keysSent = () => server.requests.map(({ headers }) => headers["idempotency-key"]);

describe("a call is retried", () => {
  const troubles: [name: string, trouble: Treatment][] = [
    ["503", away],
    ["429", busy(1)],
    ["a broken connection", "hang up"],
    ["half a response", "hang up in the middle"],
    ["a first try that is still under way", unfinished],
  ];
  test.each(troubles)("after %s", async (_, trouble) => {
    const client = clientFor([trouble, trouble, consumer]);
    expect(await create(client)).toMatchObject({ name: "acme" });
    expect(server.requests.map(({ body }) => body)).toEqual(Array(3).fill('{"name":"acme"}'));
  });

  test("with the same Idempotency-Key, which differs from other calls'", async () => {
    const client = clientFor([away, "hang up", consumer]);
    await create(client);
    expect(keysSent()[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keysSent()).size).toBe(1);
    await create(client);
    expect(new Set(keysSent()).size).toBe(2);
  });

  test("a call is retried with the caller's key", async () => {
    const client = clientFor([away, consumer]);
    await client.consumers("main").create({ name: "acme" }, { idempotencyKey: "mine" });
    expect(keysSent()).toEqual(["mine", "mine"]);
  });

  test("after a pause that doubles", async () => {
    const client = clientFor([away, away, away, identity]);
    await client.whoAmI();
    expect(pauses).toEqual([200, 400, 800]);
  });

  test("not before Retry-After", async () => {
    const client = clientFor([busy(7), identity]);
    await client.whoAmI();
    expect(pauses).toEqual([7200]);
  });

  test("if it reads by POST, without a key", async () => {
    const client = clientFor(["hang up", { status: 200, body: { valid: false, code: "not_found" } }]);
    expect(await client.verifyKey("main", "tg_x")).toEqual({ valid: false, code: "not_found" });
    expect(keysSent()).toEqual([undefined, undefined]);
  });

  test("if it sends events, which the server counts once", async () => {
    const client = clientFor(["hang up", { status: 200, body: { accepted: 0, duplicates: 0, rejected: [] } }]);
    await client.events("mtr_1").send([]);
    expect(keysSent()).toEqual([undefined, undefined]);
  });

  test("a call is retried if it deletes; a 404 on the retry is a success", async () => {
    const client = clientFor(["hang up", problem(404, "not_found")]);
    await client.consumers("main").delete("acme");
    expect(server.requests).toHaveLength(2);
  });

  test("if a change was rejected, with its If-Match", async () => {
    const client = clientFor([away, consumer]);
    await client.consumers("main").update("acme", {}, { ifMatch: '"1"' });
    expect(server.requests.map(({ headers }) => headers["if-match"])).toEqual(['"1"', '"1"']);
  });
});

describe("a call is not retried", () => {
  test("more often than the client's options allow", async () => {
    const client = clientFor([busy(1)], { retries: 2 });
    expect(await rejected(client.whoAmI())).toMatchObject({
      status: 429,
      code: "too_many",
      retryAfterSeconds: 1,
      requestId: "request-1",
    });
    expect(server.requests).toHaveLength(3);
  });

  test("a call is not retried if retries are disabled", async () => {
    const client = clientFor([away], { retries: 0 });
    expect(await rejected(client.whoAmI())).toMatchObject({ status: 503 });
    expect(server.requests).toHaveLength(1);
  });

  test("a call is not retried if Retry-After is too long", async () => {
    const client = clientFor([busy(3600), identity]);
    expect(await rejected(client.whoAmI())).toMatchObject({ status: 429, retryAfterSeconds: 3600 });
    expect(server.requests).toHaveLength(1);
  });

  test("a call is not retried if a change may have been made already", async () => {
    const client = clientFor(["hang up", consumer]);
    const change = client.consumers("main").update("acme", { description: "new" });
    expect(await rejected(change)).toMatchObject({ status: 0, code: "network" });
    expect(server.requests).toHaveLength(1);
  });

  const rejections = [400, 401, 403, 404, 409, 412, 413, 422, 500];
  test.each(rejections)("after %d", async (status) => {
    const client = clientFor([problem(status, "rejected"), consumer]);
    expect(await rejected(create(client))).toMatchObject({ status, code: "rejected", detail: "It is rejected." });
    expect(server.requests).toHaveLength(1);
  });

  test("a call is not retried if the first response of a deletion is 404", async () => {
    const client = clientFor([problem(404, "not_found")]);
    expect(await rejected(client.consumers("main").delete("acme"))).toMatchObject({ status: 404 });
  });
});

describe("responses that are not from Tollgate", () => {
  test("a page of a proxy", async () => {
    const client = clientFor([{ status: 502, headers: { "content-type": "text/html" }, body: "<h1>Bad</h1>" }]);
    expect(await rejected(client.whoAmI())).toMatchObject({ status: 502, code: "unexpected_answer", errors: [] });
  });

  test("a page where JSON should be", async () => {
    const client = clientFor([{ status: 200, headers: { "content-type": "text/html" }, body: "<h1>Hello</h1>" }]);
    expect(await rejected(client.whoAmI())).toMatchObject({ status: 200, code: "unexpected_answer" });
  });

  test("a redirect, which is not followed with the token", async () => {
    const client = clientFor([{ status: 301, headers: { location: "https://elsewhere.example/v1" } }]);
    const error = await rejected(create(client));
    expect(error).toMatchObject({ status: 301, code: "unexpected_answer" });
    expect(error.detail).toContain("https://elsewhere.example/v1");
    expect(server.requests).toHaveLength(1);
  });

  test("no server at the address", async () => {
    const client = clientFor([], { url: "http://127.0.0.1:1" });
    const error = await rejected(client.whoAmI());
    expect(error).toMatchObject({ status: 0, code: "network", requestId: undefined });
    expect(error.detail).toContain("http://127.0.0.1:1");
    expect(error.cause).toBeDefined();
    expect(pauses).toHaveLength(3);
  });
});

describe("time", () => {
  test("a server that stays silent times out, and the request is retried", async () => {
    const client = clientFor(["silence", identity], { timeoutMs: 1000 });
    expect(await client.whoAmI()).toMatchObject({ sub: "me" });
    expect(server.requests).toHaveLength(2);
  });

  test("a call may have its own timeout", async () => {
    const client = clientFor(["silence"], { retries: 0 });
    expect(await rejected(client.whoAmI({ timeoutMs: 20 }))).toMatchObject({ status: 0, code: "timeout" });
  });

  test("a signal aborts a pending call", async () => {
    const client = clientFor(["silence"]);
    const controller = new AbortController();
    const call = client.whoAmI({ signal: controller.signal });
    await until(() => server.requests.length === 1, { what: "the request" });
    const reason = new Error("The user went away");
    controller.abort(reason);
    expect(await call.catch((error) => error)).toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  test("a signal aborts the delay before a retry", async () => {
    const controller = new AbortController();
    const real = new Tollgate({ url: server.url, token: "tgt_secret" });
    server.setTreatments(busy(20));
    const call = real.whoAmI({ signal: controller.signal });
    await until(() => server.requests.length === 1, { what: "the request" });
    controller.abort();
    expect(await call.catch((error) => error)).toMatchObject({ name: "AbortError" });
  });

  test("an aborted signal prevents the request", async () => {
    const client = clientFor([identity]);
    expect(await client.whoAmI({ signal: AbortSignal.abort() }).catch((error) => error.name)).toBe("AbortError");
    expect(server.requests).toHaveLength(0);
  });
});

describe("what is sent", () => {
  test("the token, and the program's name where it has one", async () => {
    const client = clientFor([identity], { userAgent: "my-program/1.0" });
    await client.whoAmI();
    expect(server.requests[0]!.headers).toMatchObject({
      authorization: "Bearer tgt_secret",
      "user-agent": "my-program/1.0",
    });
  });

  test("the account is requested once, and again only if that failed", async () => {
    const list = { status: 200, body: { data: [], limit: 1, offset: 0, total: 0 } };
    const client = clientFor([problem(500, "internal_error"), identity, list], { account: undefined });
    expect(await rejected(client.buckets.list().all())).toMatchObject({ status: 500 });
    await Promise.all([client.buckets.list().all(), client.tokens.list().all()]);
    expect(server.requests.map(({ path }) => path).filter((path) => path === "/v1/who-am-i")).toHaveLength(2);
  });

  test("the account is known after who-am-i", async () => {
    const list = { status: 200, body: { data: [], limit: 1, offset: 0, total: 0 } };
    const client = clientFor([identity, list], { account: undefined });
    const { account } = await client.whoAmI();
    await client.buckets.list().all();
    expect(server.requests.map(({ path }) => path.replace(/\?.*/, ""))).toEqual([
      "/v1/who-am-i",
      `/v1/accounts/${account}/key-buckets`,
    ]);
  });
});
