import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { casesFor, eachEngine, postgres } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { LogStream } from "../../../../../test/support/log-stream.ts";
import { build, type Deployed, deploy, openApi } from "../../../../../test/support/project.ts";
import { startServer, type TestServer, useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { until } from "../../../../../test/support/until.ts";
import { echoUpstream, versionOf } from "../../../../../test/support/versioned-project.ts";
import type { LogLine } from "./logs.ts";

const upstream = echoUpstream();
afterAll(() => upstream.stop(true));

const talkative = {
  "openapi.json": openApi({
    "/orders/{id}": {
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      "x-tollgate": { upstream: `${upstream.url.origin}/one` },
    },
    "/talk": { "x-tollgate": { handler: "modules/talk.ts" } },
    "/away": { "x-tollgate": { upstream: "http://127.0.0.1:1" } },
  }),
  "modules/talk.ts": `
    export default () => {
      console.debug("in detail");
      console.log("hello", { name: "world" }, 42);
      console.info("for information");
      console.warn("careful");
      console.error(new Error("broken"));
      return new Response("logged");
    };`,
};

let count = 0;
const newPlace = () => ({ project: `logs-${++count}`, branch: "main" });
const requestId = () => `request-${++count}`;

/** A second, plus the delay of a busy machine. */
async function endsSoon({ ended }: LogStream): Promise<void> {
  let isEnded = false;
  void ended.then(() => {
    isEnded = true;
  });
  await until(() => isEnded, { what: () => "the end of the stream" });
}

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;

  const read = async (name: string, query = ""): Promise<LogLine[]> =>
    (await client.get(`/v1/deployments/${name}/logs${query}`)).body.data;
  const call = ({ call }: Deployed, path: string, id: string, method = "GET") =>
    call(path, { method, headers: { "x-request-id": id } });
  /** Lines are written asynchronously: waits until those of a request are stored. */
  const linesOf = (name: string, id: string, kind: string, expected: number) =>
    until(async () => {
      const lines = (await read(name, `?kind=${kind}`)).filter((line) => line.requestId === id);
      return lines.length >= expected ? lines : undefined;
    });

  let deployed: Deployed;
  beforeAll(async () => {
    deployed = await deploy(server, newPlace(), talkative);
  });

  describe("a request", () => {
    test("is logged with its route, status and time", async () => {
      const id = requestId();
      await call(deployed, "/orders/7?secret=1", id);
      const [line, ...more] = await linesOf(deployed.name, id, "access", 1);
      expect(more).toEqual([]);
      expect(line as unknown).toEqual({
        id: expect.stringMatching(/^req_[0-9A-Za-z]{24}$/),
        time: clock.iso(),
        kind: "access",
        level: "info",
        message: "GET /orders/7 200",
        requestId: id,
        method: "GET",
        path: "/orders/7",
        route: "/orders/{id}",
        status: 200,
        durationMs: expect.any(Number),
      });
    });

    test("a request that matches no route has no route in the log", async () => {
      const id = requestId();
      await call(deployed, "/nothing", id);
      const [line] = await linesOf(deployed.name, id, "access", 1);
      expect(line).toMatchObject({ status: 404, path: "/nothing", level: "info" });
      expect(line).not.toHaveProperty("route");
    });

    test("whose upstream is away is a warning", async () => {
      const id = requestId();
      expect((await call(deployed, "/away", id)).status).toBe(502);
      const [line] = await linesOf(deployed.name, id, "access", 1);
      expect(line).toMatchObject({ status: 502, level: "warn", route: "/away" });
    });

    test("is logged for its own deployment alone", async () => {
      const other = await deploy(server, newPlace(), versionOf(upstream, "one"));
      const id = requestId();
      await call(deployed, "/orders/1", id);
      await linesOf(deployed.name, id, "access", 1);
      expect((await read(other.name)).filter((line) => line.requestId === id)).toEqual([]);
    });

    test("is counted where there are too many to write down", async () => {
      const busy = await deploy(server, newPlace(), versionOf(upstream, "one"));
      const [connections, each] = [40, 10];
      const requests = Array.from({ length: connections }, async () => {
        for (let at = 0; at < each; at++) expect((await busy.call("/forwarded")).status).toBe(200);
      });
      await Promise.all(requests);
      const logged = async () => {
        const lines = await read(busy.name, "?kind=access&limit=1000");
        const left = lines.map(({ message }) => Number(/^(\d+) lines were dropped/.exec(message)?.[1] ?? 0));
        const leftOut = left.reduce((sum, count) => sum + count, 0);
        return lines.filter(({ status }) => status !== undefined).length + leftOut;
      };
      await until(async () => (await logged()) === connections * each);
    });
  });

  describe("code", () => {
    test("has its console logged, with the level and the request", async () => {
      const id = requestId();
      await call(deployed, "/talk", id);
      const lines = await linesOf(deployed.name, id, "console", 5);
      expect(lines.map(({ level, message }) => [level, message])).toEqual([
        ["debug", "in detail"],
        ["info", expect.stringMatching(/^hello .*name.*world.* 42$/)],
        ["info", "for information"],
        ["warn", "careful"],
        ["error", expect.stringContaining("broken")],
      ]);
    });
  });

  describe("a build", () => {
    test("is logged from its beginning to the version that is live", async () => {
      const { name, statusId } = await deploy(server, newPlace(), { ...versionOf(upstream, "one"), "odd.txt": "x" });
      const isLive = ({ message }: LogLine) => message === "Version 1 is live.";
      await until(async () => (await read(name)).some(isLive));
      const lines = await read(name, "?kind=build");
      expect(lines[0]).toMatchObject({ level: "info", message: `Build ${statusId} began.` });
      expect(lines.map(({ level, message }) => [level, message])).toContainEqual([
        "warn",
        expect.stringContaining("odd.txt:1:1"),
      ]);
      expect(lines.map(({ message }) => message)).toContainEqual(expect.stringMatching(/^Built version 1: 1 route, /));
    });

    test("a build that fails logs each error with its place", async () => {
      const place = newPlace();
      await deploy(server, place, versionOf(upstream, "one"));
      const { name } = await deploy(server, place, versionOf(upstream, "two"));
      await build(client, place, { "openapi.json": "{\n  x" });
      const errors = async () => (await read(name, "?kind=build")).filter(({ level }) => level === "error");
      await until(async () => (await errors()).length > 0);
      expect((await errors())[0]!.message).toMatch(/^openapi\.json:2:3: /);
    });
  });

  describe("a request for", () => {
    test("a kind gives that kind alone", async () => {
      const id = requestId();
      await call(deployed, "/talk", id);
      await linesOf(deployed.name, id, "console", 5);
      await linesOf(deployed.name, id, "access", 1);
      for (const kind of ["access", "console", "build"] as const) {
        const lines = await read(deployed.name, `?kind=${kind}`);
        expect(lines.length).toBeGreaterThan(0);
        expect(new Set(lines.map((line) => line.kind))).toEqual(new Set([kind]));
      }
    });

    test("a number gives the newest, oldest first", async () => {
      const ids = [requestId(), requestId(), requestId()];
      for (const id of ids) {
        await call(deployed, "/orders/1", id);
        await linesOf(deployed.name, id, "access", 1);
      }
      const lines = await read(deployed.name, "?kind=access&limit=2");
      expect(lines.map((line) => line.requestId)).toEqual(ids.slice(1));
      const many = await read(deployed.name, "?kind=access&limit=100000");
      expect(many.slice(-3).map((line) => line.requestId)).toEqual(ids);
    });

    test("a moment gives what came from then on", async () => {
      const [before, after] = [requestId(), requestId()];
      await call(deployed, "/orders/1", before);
      await linesOf(deployed.name, before, "access", 1);
      clock.advance(1000);
      await call(deployed, "/orders/1", after);
      await linesOf(deployed.name, after, "access", 1);
      const lines = await read(deployed.name, `?since=${clock.iso()}`);
      expect(lines.map((line) => line.requestId)).toEqual([after]);
    });

    const bad: [query: string, pointer: string][] = [
      ["limit=0", "?limit"],
      ["limit=-1", "?limit"],
      ["limit=1.5", "?limit"],
      ["limit=many", "?limit"],
      ["limit=", "?limit"],
      ["since=yesterday", "?since"],
      ["since=2026-01-01", "?since"],
      ["kind=audit", "?kind"],
      ["kind=", "?kind"],
      ["follow=yes", "?follow"],
      ["follow=true&kind=audit", "?kind"],
      ["level=error", "?level"],
      ["before=log_0QGzNqW81Kx8VhTb3mPcRdZu", "?before"],
    ];
    test.each(casesFor(engine, bad))("%s is rejected", async (query, pointer) => {
      const response = await client.get(`/v1/deployments/${deployed.name}/logs?${query}`);
      expectProblem(response, 400, "validation_failed", { pointer });
    });
  });

  describe("a follower", () => {
    test("receives new lines as they come, and none from before", async () => {
      const before = requestId();
      await call(deployed, "/orders/1", before);
      await linesOf(deployed.name, before, "access", 1);
      const stream = await LogStream.open(server.url, deployed.name);
      expect(stream.contentType).toBe("text/event-stream");
      for (const id of [requestId(), requestId()]) {
        await call(deployed, "/talk", id);
        const line = await stream.line((line) => line.kind === "access" && line.requestId === id);
        expect(line).toMatchObject({ kind: "access", route: "/talk", status: 200, time: clock.iso() });
        await stream.line((line) => line.kind === "console" && line.requestId === id && line.message === "careful");
      }
      expect(stream.lines.map((line) => line.requestId)).not.toContain(before);
      const ids = stream.lines.map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      await stream.close();
    });

    test("one kind receives that kind alone", async () => {
      const stream = await LogStream.open(server.url, deployed.name, "&kind=console");
      const id = requestId();
      await call(deployed, "/talk", id);
      await stream.line((line) => line.requestId === id && line.level === "error");
      expect(new Set(stream.lines.map(({ kind }) => kind))).toEqual(new Set(["console"]));
      await stream.close();
    });

    test("a deployment that does not exist is 404", async () => {
      expectProblem(await client.get("/v1/deployments/nothing/logs?follow=true"), 404, "not_found");
    });

    test("a followed log ends when its token is deleted or expires, and other followers continue", async () => {
      const tokens = `/v1/accounts/${account}/tokens`;
      const { body: deleted } = await client.post(tokens, { role: "reader" });
      const { body: expiring } = await client.post(tokens, { role: "reader", expiresOn: clock.iso(60_000) });
      const stay = await LogStream.open(server.url, deployed.name);
      const first = await LogStream.open(server.url, deployed.name, "", deleted.token);
      const second = await LogStream.open(server.url, deployed.name, "", expiring.token);
      expect((await client.delete(`${tokens}/${deleted.id}`)).status).toBe(204);
      await endsSoon(first);
      clock.advance(60_000);
      await endsSoon(second);
      const id = requestId();
      await call(deployed, "/orders/1", id);
      await stay.line((line) => line.requestId === id);
      await stay.close();
    });

    test("a server that stops closes the stream", async () => {
      const stream = await LogStream.open(server.url, deployed.name);
      await server.restart();
      await stream.ended;
    });
  });

  test("lines outlive a restart, and a stop writes the last", async () => {
    const id = requestId();
    await call(deployed, "/talk", id);
    await server.restart();
    const lines = (await read(deployed.name)).filter((line) => line.requestId === id);
    expect(lines.map(({ kind }) => kind).sort()).toEqual(["access", ...Array(5).fill("console")]);
  });
});

describe("two nodes", () => {
  let one: TestServer;
  let other: TestServer;
  beforeAll(async () => {
    one = await startServer(postgres);
    other = await startServer(postgres, { database: one.database, clock: one.clock });
  });
  afterAll(async () => {
    await other.stop();
    await one.stop();
  });

  test("send each other's lines to followers", async () => {
    const deployed = await deploy(one, newPlace(), talkative);
    const stream = await LogStream.open(other.url, deployed.name);
    const id = requestId();
    await deployed.call("/talk", { headers: { "x-request-id": id } });
    await stream.line((line) => line.kind === "access" && line.requestId === id);
    await stream.line((line) => line.kind === "console" && line.requestId === id && line.level === "error");
    await stream.close();
  });

  test("end the stream of a follower whose deployment or token was deleted on the other node", async () => {
    const deployed = await deploy(one, newPlace(), talkative);
    const { body: token } = await one.client.post(`/v1/accounts/${account}/tokens`, { role: "reader" });
    const withToken = await LogStream.open(other.url, deployed.name, "", token.token);
    const stream = await LogStream.open(other.url, deployed.name);
    expect((await one.client.delete(`/v1/accounts/${account}/tokens/${token.id}`)).status).toBe(204);
    await endsSoon(withToken);
    expect((await one.client.delete(`/v1/deployments/${deployed.name}`)).status).toBe(204);
    await endsSoon(stream);
  });
});
