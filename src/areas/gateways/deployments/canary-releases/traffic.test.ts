// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of variables in projects, not a template literal.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import type { Client } from "../../../../../test/support/client.ts";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { type Deployed, deploy, openApi, requestUpload } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { echoUpstream, versionOf } from "../../../../../test/support/versioned-project.ts";

const upstream = echoUpstream();
afterAll(() => upstream.stop(true));

const place = { project: "traffic", branch: "main" };
const splits = [
  { versionNumber: 1, weight: 9 },
  { versionNumber: 2, weight: 1 },
];

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  let deployed: Deployed;
  let path: string;

  const put = (caller: Client, body: unknown, headers?: Record<string, string>) =>
    caller.raw("PUT", path, JSON.stringify(body), headers);
  const auditEntries = async () =>
    (await client.get(`/v1/accounts/${account}/audit-log?resource=${deployed.name}&limit=1000`)).body.data.length;

  beforeAll(async () => {
    deployed = await deploy(server, place, versionOf(upstream, "v1"));
    await deploy(server, { ...place, activate: false }, versionOf(upstream, "v2"));
    path = `/v1/deployments/${deployed.name}/traffic`;
  });

  /** Runs a call that is rejected, and expects that traffic and audit log are unchanged. */
  async function unchanged(reject: () => Promise<unknown>): Promise<void> {
    const before = { traffic: (await client.get(path)).body, entries: await auditEntries() };
    await reject();
    expect({ traffic: (await client.get(path)).body, entries: await auditEntries() }).toEqual(before);
    expect(await (await deployed.call("/forwarded")).text()).toBe("v1");
  }

  test("rejects splits that are not the live version and another one", async () => {
    const cases: [body: unknown, pointer: string, detail: string][] = [
      [{}, "/splits", "is required"],
      [{ splits: splits.slice(0, 1) }, "/splits", "must be two versions: the live one and another one"],
      [{ splits: [...splits, splits[0]] }, "/splits", "must be two versions: the live one and another one"],
      [{ splits: [splits[0], splits[0]] }, "/splits/1/versionNumber", "must be another version than the live one"],
      [{ splits: [splits[1], { versionNumber: 3, weight: 1 }] }, "/splits", "must include version 1, which is live"],
      [
        { splits: [splits[0], { versionNumber: 9, weight: 1 }] },
        "/splits/1/versionNumber",
        "is not a version of this deployment",
      ],
      [{ splits: splits.map((split) => ({ ...split, weight: 0 })) }, "/splits", "must have a weight above 0"],
      [
        { splits: [splits[0], { versionNumber: 2, weight: -1 }] },
        "/splits/1/weight",
        "must be a whole number from 0 to 10,000",
      ],
      [{ splits, stickyBy: "cookie" }, "/stickyBy", 'must be one of "credential", "ip"'],
      [
        { splits, abort: { errorShare: 0, minimumRequests: 1 } },
        "/abort/errorShare",
        "must be a number above 0 and at most 1",
      ],
      [
        { splits, abort: { errorShare: 0.5, minimumRequests: 0 } },
        "/abort/minimumRequests",
        "must be a whole number from 1 to 1,000,000",
      ],
      [{ splits, weight: 1 }, "/weight", "is not a field of this request"],
    ];
    await unchanged(async () => {
      for (const [body, pointer, detail] of cases) {
        const response = await put(client, body);
        expect({ body, status: response.status }).toEqual({ body, status: 400 });
        expect(response.body.errors).toEqual([{ pointer, detail }]);
      }
    });
  });

  test("needs a token of the account with the role to edit", async () => {
    const reader = await callerWithRole(client, "reader");
    const stranger = await strangerOf(client, "traffic-stranger");
    await unchanged(async () => {
      for (const [caller, status, code] of [
        [client.anonymous(), 401, "unauthenticated"],
        [reader, 403, "forbidden"],
        [stranger, 404, "not_found"],
      ] as const) {
        expectProblem(await put(caller, { splits }), status, code);
        expectProblem(await caller.delete(path), status, code);
        expectProblem(await caller.post(`${path}/$promote`), status, code);
        expectProblem(await caller.post(`${path}/$test`, { versionNumber: 1 }), status, code);
      }
    });
    expectProblem(await client.anonymous().get(path), 401, "unauthenticated");
    expectProblem(await stranger.get(path), 404, "not_found");
    expect((await reader.get(path)).status).toBe(200);
  });

  test("If-Match prevents changes of a split that another client has changed", async () => {
    const { headers } = await client.get(path);
    const etag = headers.get("etag")!;
    const stickyBy = "ip";
    expect((await put(client, { splits, stickyBy }, { "if-match": etag })).status).toBe(200);
    expectProblem(await put(client, { splits }, { "if-match": etag }), 412, "precondition_failed");
    expectProblem(await client.raw("DELETE", path, undefined, { "if-match": etag }), 412, "precondition_failed");
    const { body, headers: current } = await client.get(path);
    expect(body).toMatchObject({ stickyBy, splits: [{ weight: 9 }, { weight: 1, isLive: false }] });
    expect((await client.raw("DELETE", path, undefined, { "if-match": current.get("etag")! })).status).toBe(204);
    expect((await client.delete(path)).status).toBe(204);
  });

  test("an audit entry has the split before and after", async () => {
    await put(client, { splits, abort: { errorShare: 0.5, minimumRequests: 10 } });
    const { data } = (await client.get(`/v1/accounts/${account}/audit-log?resource=${deployed.name}&limit=1`)).body;
    expect(data[0]).toMatchObject({
      action: "deployment.traffic_split",
      resource: { type: "deployment", id: deployed.name },
      changes: [{ pointer: "/traffic", after: { splits, abort: { errorShare: 0.5, minimumRequests: 10 } } }],
    });
    await client.delete(path);
  });

  test("a deployment without a live version has no traffic to divide", async () => {
    await requestUpload(client, { project: "nothing-live", branch: "main" });
    const { data } = (await client.get("/v1/deployments?projectName=nothing-live")).body;
    const nothing = `/v1/deployments/${data[0].name}/traffic`;
    expect((await client.get(nothing)).body).toEqual({ liveVersionNumber: null, splits: [], lastCanary: null });
    expectProblem(await client.raw("PUT", nothing, JSON.stringify({ splits })), 409, "no_live_version");
  });

  test("a first version is live although it was uploaded without activation", async () => {
    const first = await deploy(
      server,
      { project: "first", branch: "main", activate: false },
      versionOf(upstream, "v1"),
    );
    expect(await (await first.call("/forwarded")).text()).toBe("v1");
  });

  test("a version that does not start gets no traffic", async () => {
    const variable = `/v1/accounts/${account}/projects/${place.project}/variables/UPSTREAM`;
    await client.raw("PUT", variable, JSON.stringify({ value: upstream.url.origin, isSecret: true }));
    const target = { "x-tollgate": { upstream: "${UPSTREAM}/v3" } };
    await deploy(server, { ...place, activate: false }, { "openapi.json": openApi({ "/forwarded": target }) });
    await client.delete(variable);
    await unchanged(async () => {
      const body = { splits: [splits[0], { versionNumber: 3, weight: 1 }] };
      expectProblem(await put(client, body), 409, "version_does_not_start");
    });
  });
});
