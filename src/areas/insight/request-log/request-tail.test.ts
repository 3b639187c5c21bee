import { expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { useStorage } from "../../../../test/support/storage.ts";
import { until } from "../../../../test/support/until.ts";
import { newId } from "../../../lib/ids.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { newRequestsFor } from "./follow-requests.ts";
import { type NewRequests, RequestTail } from "./request-tail.ts";
import { insertRequests, newestRequests, type RequestFilter } from "./store.ts";

eachEngine((engine) => {
  const storage = useStorage(engine);

  /** Counts the statements that read requests. */
  function counted(reads: Reads) {
    const counts = { statements: 0 };
    const count = (sql: string) => {
      if (sql.includes("FROM requests JOIN")) counts.statements += 1;
    };
    const one: Reads["one"] = (sql, parameters) => reads.one(sql, parameters);
    const all: Reads["all"] = (sql, parameters) => {
      count(sql);
      return reads.all(sql, parameters);
    };
    return { counts, reads: { ...reads, one, all } };
  }

  const request = (more: object = {}) => ({
    id: newId("req", storage.clock.now()),
    account_seq: 1,
    deployment_seq: 1,
    version_seq: 1,
    is_failure: 0,
    time: storage.clock.now(),
    status: 200,
    method: "GET",
    path: "/orders/1",
    route: "/orders/{id}" as string | null,
    consumer: null as string | null,
    request_id: "one",
    entry: "{}",
    bytes: 100,
    ...more,
  });
  const insert = (rows: ReturnType<typeof request>[], omitted: NewRequests["omitted"] = []) =>
    storage.open.write((transaction) => insertRequests(transaction, rows, omitted));

  async function deployments(): Promise<void> {
    const now = storage.clock.now();
    await storage.open.write(async (transaction) => {
      const revision = { version: 1, created_on: now, updated_on: now };
      const account_seq = await transaction.insert("accounts", { id: "acct_1", name: "tail", ...revision });
      const empty = { message: "", active_version_seq: null, source_seq: null };
      for (const name of ["first", "second"]) {
        const place = { account_seq, project: "tail", branch: name, code: name, name };
        await transaction.insert("deployments", { ...place, ...empty, ...revision });
      }
    });
  }

  test("reads new rows once for all listeners, and nothing while there are none", async () => {
    await deployments();
    const { reads, counts } = counted(storage.open.reads);
    const tail = new RequestTail(reads, () => storage.clock.now());
    await insert([request({ path: "/before" })]);
    const received = Array.from({ length: 50 }, () => [] as string[]);
    const stops = await Promise.all(
      received.map((paths) => tail.listen(({ requests }) => paths.push(...requests.map(({ path }) => path)))),
    );
    counts.statements = 0;
    await insert([request({ path: "/first" }), request({ path: "/second" })]);
    await until(() => received.every((paths) => paths.length === 2));
    expect(counts.statements).toBeLessThan(received.length);
    expect(received).toEqual(received.map(() => ["/first", "/second"]));
    for (const stop of stops) stop();
    await until(() => !tail.isReading);
    counts.statements = 0;
    await insert([request({ path: "/unseen" })]);
    expect([counts.statements, received[0]!.length]).toEqual([0, 2]);
  });

  test("requests that were read before storage became unavailable are passed on with the next poll", async () => {
    const { reads } = counted(storage.open.reads);
    let failures = 0;
    const all: Reads["all"] = (sql, parameters) => {
      if (!sql.includes("FROM omitted_requests") || failures === 0) return reads.all(sql, parameters);
      failures -= 1;
      return Promise.reject(new Error("storage is unavailable"));
    };
    const tail = new RequestTail({ ...reads, all }, () => storage.clock.now());
    const paths: string[] = [];
    const stop = await tail.listen(({ requests }) => paths.push(...requests.map(({ path }) => path)));
    failures = 2;
    await insert([request({ path: "/kept" })]);
    await until(() => failures === 0 && paths.length > 0);
    expect(paths).toEqual(["/kept"]);
    stop();
    await until(() => !tail.isReading);
  });

  /** Calls `before` before each query of omitted requests, the last query of a poll. */
  function delayed(reads: Reads, before: () => Promise<void> | undefined): Reads {
    const all: Reads["all"] = async (sql, parameters) => {
      if (sql.includes("FROM omitted_requests")) await before();
      return reads.all(sql, parameters);
    };
    return { ...reads, all };
  }

  test("a listener that starts when the last one has stopped misses no request", async () => {
    let isWaiting = false;
    let gate: Promise<void> | undefined;
    const reads = delayed(storage.open.reads, () => {
      isWaiting = gate !== undefined;
      return gate;
    });
    const tail = new RequestTail(reads, () => storage.clock.now());
    const stopFirst = await tail.listen(() => {});
    stopFirst();
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    const paths: string[] = [];
    const starting = tail.listen(({ requests }) => paths.push(...requests.map(({ path }) => path)));
    // The timer of the first listener fires during the poll of the second.
    await until(() => isWaiting && !tail.isReading);
    gate = undefined;
    resolve();
    const stop = await starting;
    await insert([request({ path: "/first" })]);
    await until(async () => {
      await insert([request({ path: "/later" })]);
      return paths.length > 0;
    });
    expect(paths[0]).toBe("/first");
    stop();
    await until(() => !tail.isReading);
  });

  test("after a listener failed to start, the next one receives only rows written from then on", async () => {
    let queries = 0;
    const reads = delayed(storage.open.reads, () => {
      queries += 1;
      return queries === 2 ? Promise.reject(new Error("storage is unavailable")) : undefined;
    });
    const tail = new RequestTail(reads, () => storage.clock.now());
    await expect(tail.listen(() => {})).rejects.toThrow("storage is unavailable");
    // More than one poll reads.
    for (let part = 0; part < 3; part++) await insert(Array.from({ length: 500 }, () => request({ path: "/before" })));
    const paths: string[] = [];
    const stop = await tail.listen(({ requests }) => paths.push(...requests.map(({ path }) => path)));
    await insert([request({ path: "/after" })]);
    await until(() => paths.includes("/after"));
    expect(paths).toEqual(["/after"]);
    stop();
    await until(() => !tail.isReading);
  });

  test("listeners receive the same requests as lists with the same filter, and the omissions of their scope", async () => {
    const tail = new RequestTail(storage.open.reads, () => storage.clock.now());
    const news: NewRequests[] = [];
    const stop = await tail.listen((each) => news.push(each));
    const { now } = storage.clock;
    const start = now.call(storage.clock);
    const rows = [
      request(),
      request({ status: 404, is_failure: 1, route: null, path: "/100%_here" }),
      request({ status: 500, is_failure: 1, method: "POST", consumer: "acme", request_id: "two" }),
      request({ deployment_seq: 2, consumer: "acme", time: start + 5 }),
    ];
    const minute = start - (start % 60_000);
    const omission = { accountSeq: 1, deploymentSeq: 2, minute, successes: 3, failures: 1 };
    await insert(rows, [omission]);
    await insert([], [{ ...omission, successes: 1, failures: 0 }]);
    await until(() => news.flatMap(({ requests }) => requests).length === rows.length);
    stop();
    const all = {
      requests: news.flatMap((each) => each.requests),
      omitted: news.flatMap((each) => each.omitted),
      lines: [],
    };
    const filters: RequestFilter[] = [
      {},
      { statuses: [400, 499] },
      { method: "POST" },
      { route: "/orders/{id}" },
      { route: "unknown" },
      { consumer: "acme" },
      { consumer: "" },
      { requestId: "two" },
      { q: "%_" },
      { q: "/Orders" },
      { from: start + 1 },
      { to: start + 5 },
    ];
    for (const scope of [{ accountSeq: 1 }, { accountSeq: 1, deploymentSeq: 2 }])
      for (const filter of filters) {
        const range = { from: rows[0]!.id, below: "req_~", limit: 100 };
        const expected = (await newestRequests(storage.open.reads, scope, range, filter)).map(({ id }) => id);
        expect(
          newRequestsFor(all, scope, filter)
            .requests.map(({ id }) => id)
            .sort(),
        ).toEqual(expected.sort());
      }
    expect(newRequestsFor(all, { accountSeq: 1 }, {}).omitted).toEqual({ successes: 4, failures: 1 });
    expect(newRequestsFor(all, { accountSeq: 1, deploymentSeq: 1 }, {}).omitted).toBeUndefined();
  });
});
