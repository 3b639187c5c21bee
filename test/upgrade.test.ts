import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../package.json" with { type: "json" };
import { bundleProgramElsewhere } from "../scripts/bundle-program.ts";
import { HttpClient } from "../src/platform/http1/client/http-client.ts";
import { HttpHeaders } from "../src/platform/http1/message/headers.ts";
import { MessageChannel } from "../src/platform/processes/message-channel.ts";
import { newBucketPath } from "./support/bucket-path.ts";
import { childrenOf, isRunning } from "./support/child-processes.ts";
import { eachEngine, sqlite } from "./support/engines.ts";
import { createPlan, newMeteringBucket, subscribe } from "./support/metering.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { type SpawnedServer, spawnServer } from "./support/spawned-server.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

const workers = 2;
const nextVersion = "99.0.0";
/** Between the requests of a connection, which would otherwise use all cores for as long as an upgrade takes. */
const pauseMs = 20;

eachEngine((engine) => {
  describe("an upgrade of a server with workers", () => {
    let program: TemporaryFolder;
    let server: SpawnedServer;
    let deployed: Deployed;
    let key: string;
    let usage: string;
    const stream = Promise.withResolvers<void>();
    const upstream = Bun.serve({
      idleTimeout: 0,
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => (url.endsWith("/stream") ? new Response(parts()) : Response.json({ url })),
    });

    async function* parts() {
      yield "first ";
      await stream.promise;
      yield "last";
    }

    beforeAll(async () => {
      program = await temporaryFolder("program");
      await bundleProgramElsewhere(program.path);
      server = await spawnServer(engine, {
        program: [process.execPath, join(program.path, "src/main.ts")],
        environment: { TOLLGATE_WORKERS: String(workers) },
      });
      await until(() => child("worker-process").length === workers);
      const { client } = server;
      const keys = newBucketPath();
      await client.post(`${keys}/consumers`, { name: "busy" });
      key = (await client.post(`${keys}/consumers/busy/keys?key-format=visible`, {})).body.key;
      const bucket = await newMeteringBucket(client);
      const plan = await createPlan(client, bucket, { meters: { requests: { max: 1_000_000 } } });
      const { id } = await subscribe(client, bucket, [plan], { customerKey: "busy" });
      usage = `${bucket}/subscriptions/${id}/usage`;
      const metered = { "x-tollgate": { policies: ["key", "quota"] } };
      deployed = await deploy(
        server,
        { project: "shop", branch: "main" },
        {
          "openapi.json": openApi({
            "POST /metered": metered,
            "/stream": metered,
            "POST /code": { "x-tollgate": { handler: "modules/code.ts", policies: ["key", "quota"] } },
          }),
          "tollgate.json": {
            upstream: upstream.url.origin,
            policies: {
              key: { type: "api-key", options: { bucket: keys.split("/").at(-1) } },
              quota: { type: "quota", options: { bucketId: bucket.split("/").at(-1), meters: { requests: 1 } } },
            },
          },
          "modules/code.ts": `export default async () => new Response("code");`,
        },
      );
    });

    afterAll(async () => {
      stream.resolve();
      await server.stop();
      upstream.stop(true);
      await program.remove();
    });

    const child = (word: string) => childrenOf(server.processId, word);
    const all = () => [...child("primary-process"), ...child("worker-process"), ...child("sandbox-process")];
    const logged = (message: string) => server.log.filter(({ msg }) => msg === message);

    /** Replaces a text in every file of the program. */
    async function edit(text: string, by: string): Promise<void> {
      for (const name of readdirSync(program.path, { recursive: true, encoding: "utf8" })) {
        if (!/\.(js|ts)$/.test(name) || /^(node_modules|dist)\//.test(name)) continue;
        const path = join(program.path, name);
        const content = readFileSync(path, "utf8");
        if (content.includes(text)) await Bun.write(path, content.replaceAll(text, by));
      }
    }

    const filesOf = (pid: number) =>
      readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
        try {
          return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
        } catch {
          return [];
        }
      });
    /** Only for SQLite: connections to PostgreSQL are closed when they are idle. */
    const expectReads = (pids: number[], expected: boolean) => {
      if (engine !== sqlite) return;
      const readsStorage = (pid: number) => filesOf(pid).some((path) => path.endsWith("tollgate.db"));
      expect(pids.map(readsStorage)).toEqual(pids.map(() => expected));
    };

    /** A client that never repeats a request, with connections that it reuses. */
    function load(path: string, connections: number) {
      const client = new HttpClient();
      const { port } = new URL(server.url);
      const host = new URL(deployed.url).hostname;
      let isOver = false;
      const outcomes = new Map<string, number>();
      const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      const loops = Array.from({ length: connections }, async (_, index) => {
        const origin = {
          key: String(index),
          host,
          connect: { hostname: "127.0.0.1", port: Number(port), tls: undefined },
        };
        while (!isOver) {
          const headers = new HttpHeaders({ authorization: `Bearer ${key}` });
          try {
            const request = { origin, method: "POST", target: path, headers, body: undefined, noRetry: true };
            const response = await client.request(request).response;
            await response.text();
            count(String(response.status));
          } catch (error) {
            count(String(error));
          }
          await Bun.sleep(pauseMs);
        }
      });
      return async () => {
        isOver = true;
        await Promise.all(loops);
        client.close();
        return Object.fromEntries(outcomes);
      };
    }

    test("a worker of another release must end, and gets nothing", async () => {
      const [worker] = child("worker-process");
      const words = readFileSync(`/proc/${worker}/cmdline`, "utf8").split("\0");
      const { paths } = JSON.parse(words.find((word) => word.startsWith("{"))!);
      const messages: unknown[] = [];
      const channel = new MessageChannel({ handle: (message) => messages.push(message), onClose: () => {} });
      channel.opened(await Bun.connect({ unix: paths.channel, data: channel, socket: MessageChannel.handlers }));
      const state = { release: "0.0.1", isLeaving: false, writer: "other", holds: [], inProgress: [] };
      await expect(channel.request(["hello", state], 60_000)).rejects.toThrow("The release differs.");
      expect(messages).toEqual([["stop", `its release is 0.0.1, and the primary's is ${packageJson.version}`]]);
      channel.close();
    });

    test("replaces the primary and the workers, and no request is lost or counted twice", async () => {
      const before = all();
      expect(before).toHaveLength(workers + 2);
      const oldWorkers = child("worker-process");
      expectReads(oldWorkers, true);
      const streaming = await deployed.call("/stream", { headers: { authorization: `Bearer ${key}` } });
      const end = [load("/metered", 4), load("/code", 2)];

      await edit(`"${packageJson.version}"`, `"${nextVersion}"`);
      process.kill(server.processId, "SIGHUP");
      await until(() => logged("upgrade is complete").length === 1, { withinMs: 60_000 });
      const primary = logged("listening").at(-1);
      expect(primary).toMatchObject({ version: nextVersion });
      expect(child("primary-process").filter((pid) => before.includes(pid))).toEqual([]);
      const newWorkers = child("worker-process").filter((pid) => !before.includes(pid));
      expect(newWorkers).toHaveLength(workers);
      expectReads(newWorkers, true);
      // The one with the stream is left.
      const leaving = oldWorkers.filter(isRunning);
      expect(leaving.length).toBeGreaterThan(0);
      expectReads(leaving, false);
      stream.resolve();
      expect(await streaming.text()).toBe("first last");
      await until(() => !before.some(isRunning), { withinMs: 60_000 });

      const outcomes = await Promise.all(end.map((stop) => stop()));
      expect(outcomes).toEqual([{ 200: expect.any(Number) }, { 200: expect.any(Number) }]);
      const served = outcomes.reduce((sum, { 200: count }) => sum + count!, 1);
      await until(async () => (await server.client.get(usage)).body.meters.requests.used === served, {
        what: () => `${served} counted requests`,
      });
    });

    // What the supervisor does alone is the same on both engines.
    if (engine !== sqlite) return;

    test("a program that does not start replaces nothing", async () => {
      const before = all();
      const main = join(program.path, "src/main.ts");
      const content = readFileSync(main, "utf8");
      await Bun.write(main, "throw new Error('broken');");
      process.kill(server.processId, "SIGHUP");
      await until(() => logged("the program does not start, so nothing is replaced").length === 1);
      expect(all()).toEqual(before);
      expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
      await Bun.write(main, content);
    });

    test("SIGTERM during an upgrade ends all processes", async () => {
      const before = all();
      process.kill(server.processId, "SIGHUP");
      await until(() => child("sandbox-process").length === 2);
      const pids = new Set([...before, ...all()]);
      expect(await server.kill("SIGTERM")).toBe(0);
      expect([...pids].filter(isRunning)).toEqual([]);
      expect(server.log.filter(({ level }) => level === "error")).toEqual([]);
    });
  });
});
