import { afterAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { type Deployed, deploy, openApi } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { until } from "../../../../../test/support/until.ts";
import { echoUpstream, versionWithCode } from "../../../../../test/support/versioned-project.ts";

const upstream = echoUpstream();
afterAll(() => upstream.stop(true));

/** A version may respond from the request of its activation until the next version is seen. */
interface Reign {
  version: string;
  from: number;
  until: number;
}

interface SeenResponse {
  path: string;
  status: number;
  text: string;
  from: number;
  until: number;
}

/** Sends requests continuously over several connections, and records every response. */
class Load {
  readonly responses: SeenResponse[] = [];
  #isOn = true;
  readonly #connections: Promise<void>[];

  constructor(
    private readonly deployed: Deployed,
    paths: string[],
  ) {
    this.#connections = paths.map((path) => this.#callRepeatedly(path));
  }

  async #callRepeatedly(path: string): Promise<void> {
    while (this.#isOn) {
      const from = performance.now();
      const response = await this.deployed.call(path);
      const text = await response.text();
      this.responses.push({ path, status: response.status, text, from, until: performance.now() });
    }
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await Promise.all(this.#connections);
  }
}

const versions = 4;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  test("no request fails while versions are deployed and rolled back under load", async () => {
    const place = { project: "swaps", branch: "main" };
    const deployed = await deploy(server, place, versionWithCode(upstream, "v1"));
    const reigns: Reign[] = [{ version: "v1", from: 0, until: Number.POSITIVE_INFINITY }];
    /** Runs the operation that activates a version. */
    const reign = async (version: string, activate: () => Promise<unknown>) => {
      const next = { version, from: performance.now(), until: Number.POSITIVE_INFINITY };
      const last = reigns.at(-1)!;
      reigns.push(next);
      await activate();
      last.until = performance.now();
    };
    const load = new Load(deployed, [...Array(5).fill("/forwarded"), ...Array(5).fill("/handled")]);
    /** Both kinds of routes respond from the active version. */
    const seen = async (version: string) => {
      for (const path of ["/forwarded", "/handled"])
        await until(() => load.responses.findLast((response) => response.path === path)?.text === version, {});
    };
    try {
      for (let round = 2; round <= versions; round++) {
        const version = `v${round}`;
        await reign(version, () => deploy(server, place, versionWithCode(upstream, version)));
        await seen(version);
        const rollback = async () =>
          expect((await client.post(`/v1/deployments/${deployed.name}/rollback`)).status).toBe(200);
        await reign(`v${round - 1}`, rollback);
        await seen(`v${round - 1}`);
      }
    } finally {
      await load.stop();
    }

    const wrong = load.responses.filter(
      ({ status, text, from, until }) =>
        status !== 200 || !reigns.some((reign) => reign.version === text && reign.from <= until && reign.until >= from),
    );
    expect(wrong).toEqual([]);
    expect(load.responses.length).toBeGreaterThan(100);
    expect(new Set(load.responses.map(({ text }) => text)).size).toBe(versions);
  });

  test("a request in progress during a swap is finished by the old version", async () => {
    const gate = Promise.withResolvers<void>();
    let waiting = 0;
    using slow = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      idleTimeout: 0,
      fetch: async (request) => {
        waiting += 1;
        await gate.promise;
        return new Response(new URL(request.url).pathname.split("/")[1]);
      },
    });
    const slowVersion = (version: string) => ({
      "openapi.json": openApi({
        "/forwarded": { "x-tollgate": { upstream: `${slow.url.origin}/${version}` } },
        "/handled": { "x-tollgate": { handler: "modules/slow.ts" } },
      }),
      "modules/slow.ts": `export default async () => {
        const response = await fetch("${slow.url.origin}/${version}");
        return new Response("${version} of " + (await response.text()));
      };`,
    });
    const place = { project: "under-way", branch: "main" };
    const deployed = await deploy(server, place, slowVersion("old"));
    const begun = ["/forwarded", "/handled"].map((path) => deployed.call(path));
    await until(() => waiting === 2);

    await deploy(server, place, versionWithCode(upstream, "new"));
    for (const path of ["/forwarded", "/handled"]) expect(await (await deployed.call(path)).text()).toBe("new");
    gate.resolve();
    const responses = await Promise.all(begun);
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(await Promise.all(responses.map((response) => response.text()))).toEqual(["old", "old of old"]);
  });
});
