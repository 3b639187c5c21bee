import { beforeAll, expect, test } from "bun:test";
import { eachEngine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { createPlan, subscribe } from "./support/metering.ts";
import { type Deployed, deploy, openApi } from "./support/project.ts";
import { useServer } from "./support/server.ts";
import { account } from "./support/server-settings.ts";
import { until } from "./support/until.ts";

const bucketPath = (bucket: string) => `/v1/accounts/${account}/key-buckets/${bucket}`;
const requestsPath = `/v1/accounts/${account}/requests`;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  let deployed: Deployed;
  let sent = 0;
  const ids: Record<string, string> = {};

  /** A consumer with one key. Returns the key's value and path. */
  async function consumer(bucket: string, name: string, more: object = {}) {
    const { body } = await client.post(`${bucketPath(bucket)}/consumers`, { name, apiKeys: [more] });
    ids[`${bucket}/${name}`] = body.id;
    const [{ key, id }] = body.apiKeys;
    return { key, id, path: `${bucketPath(bucket)}/consumers/${name}/keys/${id}` };
  }

  const call = async (path: string, key: string) => {
    const response = await deployed.call(path, { headers: { authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    sent += 1;
    return response.status;
  };

  /** The number of requests by status: as counted, and as recorded. */
  async function seen(query: string) {
    const { body } = await client.get(`/v1/accounts/${account}/analytics?by=status&${query}`);
    const counted = Object.fromEntries(
      body.series.map((each: { key: string; totals: { requests: number } }) => [each.key, each.totals.requests]),
    );
    const { data } = (await client.get(`${requestsPath}?${query}`)).body;
    const recorded: Record<string, number> = {};
    for (const { status } of data) recorded[status] = (recorded[status] ?? 0) + 1;
    return { counted, recorded };
  }
  const both = (counts: Record<string, number>) => ({ counted: counts, recorded: counts });

  beforeAll(async () => {
    const { body: metering } = await client.post("/v1/metering", { name: `consumers-${engine.name}` });
    const metered = `/v1/metering/${metering.id}`;
    const plan = await createPlan(client, metered, { meters: { requests: { max: 1 } } });
    await subscribe(client, metered, [plan], { customerKey: "spent" });
    deployed = await deploy(
      server,
      { project: "consumers", branch: "main" },
      {
        "tollgate.json": {
          policies: {
            main: { type: "api-key", options: { bucket: "main" } },
            other: { type: "api-key", options: { bucket: "other" } },
            quota: { type: "quota", options: { bucketId: metering.id, meters: { requests: 1 } } },
            done: { type: "mock" },
          },
        },
        "openapi.json": openApi({
          "/main": { "x-tollgate": { policies: ["main", "done"] } },
          "/other": { "x-tollgate": { policies: ["other", "done"] } },
          "/metered": { "x-tollgate": { policies: ["main", "quota", "done"] } },
        }),
      },
    );
    const [one, two] = [await consumer("main", "twin"), await consumer("other", "twin")];
    expect(await call("/main", one.key)).toBe(200);
    expect(await call("/other", two.key)).toBe(200);
    expect(await call("/other", two.key)).toBe(200);
    expect(await call("/main", two.key)).toBe(401);

    const off = await consumer("main", "off", { isEnabled: false });
    expect(await call("/main", off.key)).toBe(401);
    const late = await consumer("main", "late", { expiresOn: clock.iso(60_000) });
    expect(await call("/main", late.key)).toBe(200);
    clock.advance(120_000);
    expect(await call("/main", late.key)).toBe(401);
    const away = await consumer("main", "away", { allowedIps: ["203.0.113.9"] });
    expect(await call("/main", away.key)).toBe(403);
    const spent = await consumer("main", "spent");
    expect(await call("/metered", spent.key)).toBe(200);
    expect(await call("/metered", spent.key)).toBe(429);
    expect(await call("/main", `${spent.key.slice(0, -1)}x`)).toBe(401);
    await until(async () => {
      const { body } = await client.get(`/v1/accounts/${account}/analytics`);
      const { data } = (await client.get(requestsPath)).body;
      return (body.series[0].totals.requests === sent && data.length === sent) || undefined;
    });
  });

  test("requests with a key that is recognized and rejected are those of its consumer, in analytics and records", async () => {
    expect(await seen("consumer=off")).toEqual(both({ 401: 1 }));
    expect(await seen("consumer=late")).toEqual(both({ 200: 1, 401: 1 }));
    expect(await seen("consumer=away")).toEqual(both({ 403: 1 }));
    expect(await seen("consumer=spent")).toEqual(both({ 200: 1, 429: 1 }));
    // A key of another bucket and one that does not exist.
    expect(await seen("consumer=")).toEqual(both({ 401: 2 }));
    const { body } = await client.get(`/v1/accounts/${account}/analytics?by=key&consumer=off`);
    expect(body.series.map(({ key }: { key: string | null }) => key)).toEqual([expect.stringMatching(/^key_/)]);
  });

  test("consumers of two buckets that have the same name are distinguished by their ids", async () => {
    expect(await seen("consumer=twin")).toEqual(both({ 200: 3 }));
    expect(await seen(`consumerId=${ids["main/twin"]}`)).toEqual(both({ 200: 1 }));
    expect(await seen(`consumer=twin&consumerId=${ids["other/twin"]}`)).toEqual(both({ 200: 2 }));
    expect(await seen(`consumerId=${ids["main/late"]}&status=4xx`)).toEqual(both({ 401: 1 }));
    expect(await seen("consumerId=csmr_none")).toEqual(both({}));
    const { body } = await client.get(`/v1/accounts/${account}/analytics?consumerId=${ids["other/twin"]}`);
    expect(body.series).toMatchObject([{ key: null, totals: { requests: 2 } }]);
  });

  test.each([["route=/main"], ["by=route"], ["by=key"], ["by=client"], ["by=tool"]])(
    "analytics of a consumer's id are rejected with %s",
    async (query) => {
      const path = `/v1/accounts/${account}/analytics?consumerId=csmr_1&${query}`;
      expectProblem(await client.get(path), 400, "validation_failed", { pointer: "?consumerId" });
    },
  );
});
