import { expect, test } from "bun:test";
import { putTraffic, useCanaryUpstream, versionsServing, weights } from "./support/canary-scene.ts";
import { eachEngine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { callHost, deploy, openApi } from "./support/project.ts";
import { startServer, useServer } from "./support/server.ts";
import { account } from "./support/server-settings.ts";
import { until } from "./support/until.ts";
import { versionOf, versionWithCode } from "./support/versioned-project.ts";
import { useWebhookReceiver } from "./support/webhook-receiver.ts";

const { broken, hanging, newCanaryScene, upstream } = useCanaryUpstream();

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const receiver = useWebhookReceiver();

  test("a version that is built without activation gets no traffic until a canary release gives it a share", async () => {
    const scene = await newCanaryScene(server, versionWithCode);
    expect(await versionsServing(scene, 5)).toEqual({ v1: 5 });
    expect((await client.get(scene.traffic)).body).toEqual({
      liveVersionNumber: 1,
      splits: [{ versionNumber: 1, weight: 1, share: 1, isLive: true }],
      lastCanary: null,
    });

    const { body } = await putTraffic(client, scene, { splits: weights(1, 1) });
    expect(body).toMatchObject({ liveVersionNumber: 1, splits: [{ share: 0.5, isLive: true }, { share: 0.5 }] });
    // The probability that one of the versions gets none of 200 requests is below 1e-59.
    const seen = await versionsServing(scene, 200);
    expect(Object.keys(seen).toSorted()).toEqual(["v1", "v2"]);
    expect(await (await scene.deployed.call("/handled")).text()).toMatch(/-v[12]$/);

    await server.runTasks();
    const { splits } = (await client.get(scene.traffic)).body;
    // The request to /handled was served by one of them.
    expect(splits[0].counts.requests + splits[1].counts.requests).toBe(201);
    expect(splits[0].counts.requests - seen.v1!).toBeOneOf([0, 1]);
    expect(splits[1]).toMatchObject({
      counts: { errors: 0, errorShare: 0, latencyMs: { p50: expect.any(Number) } },
      lastMinute: { errors: 0 },
    });

    await putTraffic(client, scene, { splits: weights(0, 1) });
    expect(await versionsServing(scene, 20)).toEqual({ v2: 20 });
    await putTraffic(client, scene, { splits: weights(1, 0) });
    expect(await versionsServing(scene, 20)).toEqual({ v1: 20 });
    await server.runTasks();
    // Changed weights continue the release and its counts.
    const after = (await client.get(scene.traffic)).body.splits;
    expect(after[0].counts.requests + after[1].counts.requests).toBe(241);

    expect((await client.delete(scene.traffic)).status).toBe(204);
    expect(await versionsServing(scene, 5)).toEqual({ v1: 5 });
    expect((await client.get(scene.traffic)).body).toMatchObject({
      splits: [{ versionNumber: 1, share: 1 }],
      lastCanary: { versionNumber: 2, liveVersionNumber: 1, outcome: "stopped" },
    });
  });

  test("the requests of one credential or address stay on one version, and a larger share keeps them", async () => {
    const scene = await newCanaryScene(server);
    await putTraffic(client, scene, { splits: weights(3, 1), stickyBy: "credential" });
    const keys = Array.from({ length: 40 }, (_, at) => ({ authorization: `Bearer key-${at}` }));
    const servingVersions = async () => {
      const versions: string[] = [];
      for (const headers of keys) versions.push(Object.keys(await versionsServing(scene, 1, () => headers))[0]!);
      return versions;
    };
    const first = await servingVersions();
    expect(new Set(first)).toEqual(new Set(["v1", "v2"]));
    expect(await servingVersions()).toEqual(first);
    await putTraffic(client, scene, { splits: weights(1, 3), stickyBy: "credential" });
    const grown = await servingVersions();
    expect(grown.filter((version, at) => first[at] === "v2" && version !== "v2")).toEqual([]);
    expect(grown.filter((version) => version === "v2").length).toBeGreaterThan(
      first.filter((version) => version === "v2").length,
    );
    await putTraffic(client, scene, { splits: weights(1, 1), stickyBy: "ip" });
    expect(Object.keys(await versionsServing(scene, 30, (at) => keys[at]!))).toHaveLength(1);
  });

  test("a signed header selects a version for an hour", async () => {
    const scene = await newCanaryScene(server);
    const withValue = (value: string) =>
      scene.deployed.call("/forwarded", { headers: { "x-tollgate-version": value } });
    expectProblem(await client.post(`${scene.traffic}/$test`, { versionNumber: 2 }), 409, "no_canary");
    // A canary without traffic can be tested before it gets any.
    await putTraffic(client, scene, { splits: weights(1, 0) });
    expectProblem(await client.post(`${scene.traffic}/$test`, { versionNumber: 3 }), 400, "validation_failed");
    const { body } = await client.post(`${scene.traffic}/$test`, { versionNumber: 2 });
    expect(body).toMatchObject({ header: "x-tollgate-version", versionNumber: 2 });

    const response = await withValue(body.value);
    expect(await response.text()).toBe(`${scene.name}-v2`);
    expect(response.headers.get("x-tollgate-version")).toBe("2");
    expect((await scene.deployed.call("/forwarded")).headers.has("x-tollgate-version")).toBe(false);

    const other = await newCanaryScene(server);
    await putTraffic(client, other, { splits: weights(1, 0) });
    const { body: ofOther } = await client.post(`${other.traffic}/$test`, { versionNumber: 2 });
    const flipped = body.value.slice(0, -2) + (body.value.endsWith("AA") ? "BB" : "AA");
    for (const invalid of ["2", "", flipped, ofOther.value, "x".repeat(5000)]) {
      const rejected = await withValue(invalid);
      expect({ invalid, status: rejected.status }).toEqual({ invalid, status: 400 });
      expect(await rejected.json()).toMatchObject({ code: "version_value_invalid" });
    }
    server.clock.advance(60 * 60 * 1000);
    expect((await withValue(body.value)).status).toBe(400);
    server.clock.advance(-60 * 60 * 1000);

    await client.delete(scene.traffic);
    expect(await (await withValue(body.value)).text()).toBe(`${scene.name}-v1`);
  });

  test("a failing canary is aborted once under load, with an audit entry and a webhook", async () => {
    await client.post(`/v1/accounts/${account}/webhooks`, {
      url: receiver.url("/aborted"),
      events: ["deployment.canary_aborted"],
    });
    const scene = await newCanaryScene(server);
    broken.add(`${scene.name}-v2`);
    await putTraffic(client, scene, { splits: weights(1, 1), abort: { errorShare: 0.5, minimumRequests: 20 } });

    let isOn = true;
    const statuses: number[] = [];
    const load = Array.from({ length: 4 }, async () => {
      while (isOn) statuses.push((await scene.deployed.call("/forwarded")).status);
    });
    const aborted = await until(async () => (await client.get(scene.traffic)).body.lastCanary);
    isOn = false;
    await Promise.all(load);
    expect(aborted).toMatchObject({
      versionNumber: 2,
      outcome: "aborted",
      abort: { errorShare: 0.5, minimumRequests: 20 },
    });
    expect(aborted.counts.errors).toBeGreaterThanOrEqual(20);
    expect(aborted.liveCounts.errors).toBe(0);
    expect(new Set(statuses)).toEqual(new Set([200, 500]));
    expect(await versionsServing(scene, 20)).toEqual({ v1: 20 });
    await server.runTasks();

    const { data } = (await client.get(`/v1/accounts/${account}/audit-log?resource=${scene.deployed.name}`)).body;
    const entries = data.filter(({ action }: { action: string }) => action === "deployment.canary_aborted");
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({ actor: { type: "system" } });
    const events = await until(async () => {
      await server.catchUp();
      const received = receiver.ofType("deployment.canary_aborted");
      return received.length > 0 ? received : undefined;
    });
    expect(events).toHaveLength(1);
    expect(events[0]!.message.data).toMatchObject({
      name: scene.deployed.name,
      canary: { versionNumber: 2, liveVersionNumber: 1, errorShare: 1, abort: { errorShare: 0.5 } },
    });
  });

  test("too few requests, errors of the live version, and errors of more than a minute ago do not abort", async () => {
    const scene = await newCanaryScene(server);
    broken.add(`${scene.name}-v1`);
    const abort = { errorShare: 0.5, minimumRequests: 10 };
    await putTraffic(client, scene, { splits: weights(1, 0), abort });
    await versionsServing(scene, 20);
    broken.add(`${scene.name}-v2`);
    await putTraffic(client, scene, { splits: weights(0, 1), abort });
    await versionsServing(scene, 9);
    await server.runTasks();
    expect((await client.get(scene.traffic)).body.splits[1].lastMinute).toEqual({
      requests: 9,
      errors: 9,
      errorShare: 1,
    });
    server.clock.advance(61_000);
    await versionsServing(scene, 9);
    await server.runTasks();
    expect((await client.get(scene.traffic)).body).toMatchObject({
      splits: [{}, { counts: { requests: 18, errors: 18 }, lastMinute: { requests: 9 } }],
      lastCanary: null,
    });
    await versionsServing(scene, 1);
    await server.runTasks();
    expect((await client.get(scene.traffic)).body).toMatchObject({ lastCanary: { outcome: "aborted" } });
  });

  test("a promoted canary is live without a failed request, and a deployment or a rollback ends a release", async () => {
    const scene = await newCanaryScene(server, versionWithCode);
    const { name } = scene.deployed;
    expectProblem(await client.post(`${scene.traffic}/$promote`), 409, "no_canary");
    await putTraffic(client, scene, { splits: weights(9, 1) });
    let isOn = true;
    const statuses = new Set<number>();
    const load = Array.from({ length: 4 }, async () => {
      while (isOn)
        for (const path of ["/forwarded", "/handled"]) statuses.add((await scene.deployed.call(path)).status);
    });
    const { body } = await client.post(`${scene.traffic}/$promote`);
    expect(body).toMatchObject({ liveVersionNumber: 2, splits: [{}], lastCanary: { outcome: "promoted" } });
    expect(await versionsServing(scene, 10)).toEqual({ v2: 10 });
    isOn = false;
    await Promise.all(load);
    expect([...statuses]).toEqual([200]);

    await putTraffic(client, scene, { splits: weights(0, 1) });
    expect((await client.post(`/v1/deployments/${name}/rollback`)).status).toBe(200);
    expect((await client.get(scene.traffic)).body).toMatchObject({
      liveVersionNumber: 1,
      lastCanary: { outcome: "replaced", versionNumber: 1 },
    });
    await putTraffic(client, scene, { splits: weights(0, 1) });
    await deploy(server, { project: scene.name, branch: "main" }, versionOf(upstream, `${scene.name}-v3`));
    expect(await versionsServing(scene, 10)).toEqual({ v3: 10 });
    expect((await client.get(scene.traffic)).body).toMatchObject({ liveVersionNumber: 3, splits: [{ share: 1 }] });
  });

  test("a rollback skips versions that were never live", async () => {
    const scene = await newCanaryScene(server);
    await deploy(server, { project: scene.name, branch: "main" }, versionOf(upstream, `${scene.name}-v3`));
    expect((await client.post(`/v1/deployments/${scene.deployed.name}/rollback`)).status).toBe(200);
    expect(await versionsServing(scene, 5)).toEqual({ v1: 5 });
  });

  test("requests and analytics name the version that served", async () => {
    const scene = await newCanaryScene(server);
    await putTraffic(client, scene, { splits: weights(0, 1) });
    await versionsServing(scene, 3);
    const recorded = await until(async () => {
      await server.runTasks();
      const { data } = (await client.get(`/v1/deployments/${scene.deployed.name}/requests`)).body;
      return data.length === 3 && data;
    });
    expect(recorded.map(({ version }: { version: number }) => version)).toEqual([2, 2, 2]);
    const { body } = await client.get(`/v1/deployments/${scene.deployed.name}/analytics?by=version`);
    expect(body.series).toMatchObject([{ key: "2", totals: { requests: 3 } }]);
  });

  test("a restarted server continues the release with its counts", async () => {
    const own = await startServer(engine, {});
    try {
      const scene = await newCanaryScene(own);
      await putTraffic(own.client, scene, { splits: weights(0, 1) });
      await versionsServing(scene, 4);
      await own.restart();
      const { hostname } = new URL(scene.deployed.url);
      const response = await callHost(own.url, hostname, "/forwarded");
      expect(await response.text()).toBe(`${scene.name}-v2`);
      await own.runTasks();
      expect((await own.client.get(scene.traffic)).body.splits[1].counts.requests).toBe(5);
    } finally {
      await own.stop();
    }
  });

  test("a request whose client disconnects is not failed; one that exceeds the timeout of its route is", async () => {
    const scene = await newCanaryScene(server);
    const files = (timeoutSeconds: number) => ({
      "openapi.json": openApi({
        "/forwarded": { "x-tollgate": { upstream: `${upstream.url.origin}/${scene.name}-hangs`, timeoutSeconds } },
      }),
    });
    hanging.add(`${scene.name}-hangs`);
    const countsOf = async (versionNumber: number, send: () => Promise<unknown>) => {
      await putTraffic(client, scene, { splits: [weights(0, 1)[0], { versionNumber, weight: 1 }] });
      await send();
      const { splits } = (await until(async () => {
        await server.runTasks();
        const { body } = await client.get(scene.traffic);
        return body.splits[1].counts.requests > 0 && body;
      })) as { splits: { counts: object }[] };
      return splits[1]!.counts;
    };
    await deploy(server, { project: scene.name, branch: "main", activate: false }, files(30));
    const impatient = () => scene.deployed.call("/forwarded", { signal: AbortSignal.timeout(50) }).catch(() => {});
    expect(await countsOf(3, impatient)).toMatchObject({ requests: 1, errors: 0 });
    await deploy(server, { project: scene.name, branch: "main", activate: false }, files(1));
    const patient = async () => expect((await scene.deployed.call("/forwarded")).status).toBe(504);
    expect(await countsOf(4, patient)).toMatchObject({ requests: 1, errors: 1 });
  });

  test("attempts that failed before a retry count as errors", async () => {
    const down = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("", { status: 503 }) });
    const place = { project: "retried", branch: "main" };
    const files = {
      "openapi.json": openApi({
        "/forwarded": {
          "x-tollgate": {
            upstream: {
              targets: [{ url: down.url.origin }, { url: `${upstream.url.origin}/${place.project}-v2` }],
              balance: "round-robin",
              retries: { attempts: 2, on: ["503"] },
            },
          },
        },
      }),
    };
    try {
      const deployed = await deploy(server, place, versionOf(upstream, `${place.project}-v1`));
      await deploy(server, { ...place, activate: false }, files);
      const scene = { name: place.project, traffic: `/v1/deployments/${deployed.name}/traffic`, deployed };
      await putTraffic(client, scene, { splits: weights(0, 1) });
      expect(await versionsServing(scene, 4)).toEqual({ v2: 4 });
      await server.runTasks();
      const { counts } = (await client.get(scene.traffic)).body.splits[1];
      expect(counts).toMatchObject({ requests: 4, errors: 2 });
    } finally {
      down.stop(true);
    }
  });
});
