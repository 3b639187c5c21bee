import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { activeDomain, type DomainBody, domainsPath, useDns } from "../../../../test/support/domains.ts";
import { type Database, eachEngine, postgres } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { callHost, deploy, openApi } from "../../../../test/support/project.ts";
import { startServer, type TestServer, useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";
import { useWebhookReceiver } from "../../../../test/support/webhook-receiver.ts";

const path = domainsPath();
/** Responds with the project of its deployment, the path it received, and the stripped prefix. */
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url, headers }) => new Response(`${new URL(url).pathname} ${headers.get("x-forwarded-prefix")}`),
});
afterAll(() => upstream.stop(true));

const projects = ["shop", "billing", "files"] as const;
const filesOf = (project: string) => {
  const operation = { "x-tollgate": { upstream: `${upstream.url.origin}/${project}` } };
  return { "openapi.json": openApi({ "/": operation, "/{path+}": operation }) };
};
async function deployAll(server: TestServer): Promise<Record<(typeof projects)[number], string>> {
  const names: Record<string, string> = {};
  for (const project of projects)
    names[project] = (await deploy(server, { project, branch: "main" }, filesOf(project))).name;
  return names as Record<(typeof projects)[number], string>;
}

const served = async (server: TestServer, host: string, at: string) => {
  const response = await callHost(server.url, host, at);
  return response.status === 200 ? await response.text() : response.status;
};

eachEngine((engine) => {
  const { dns, environment } = useDns({ TOLLGATE_EGRESS: "any" });
  const server = useServer(engine, { environment });
  const { client } = server;
  const receiver = useWebhookReceiver();
  let names: Awaited<ReturnType<typeof deployAll>>;
  let domain: DomainBody;
  const host = "mounts.acme.example";
  const shown = async () => (await client.get(`${path}/${domain.id}`)).body;

  beforeAll(async () => {
    names = await deployAll(server);
    const mounts = [
      { path: "/billing", deploymentName: names.billing, stripPath: true },
      { path: "/", deploymentName: names.shop },
      { path: "/billing/files", deploymentName: names.files },
    ];
    domain = await activeDomain(server, dns, { host, mounts });
  });

  test("a domain shows its mounts, and the one at / as its deployment", async () => {
    expect(domain).toMatchObject({
      deploymentName: names.shop,
      mounts: [
        { path: "/billing", deploymentName: names.billing, stripPath: true },
        { path: "/", deploymentName: names.shop },
        { path: "/billing/files", deploymentName: names.files },
      ],
      dns: [{}, { type: "CNAME", value: expect.stringContaining(names.shop) }],
    });
    expect((await client.get(path)).body.data).toContainEqual(await shown());
  });

  test.each([
    ["/", "/shop/ null"],
    ["/x/y", "/shop/x/y null"],
    ["/billings", "/shop/billings null"],
    ["/billing", "/billing/ /billing"],
    ["/billing/", "/billing/ /billing"],
    ["/billing/invoices/7", "/billing/invoices/7 /billing"],
    ["/billing/%66iles", "/files/billing/%66iles null"],
    ["/billing/files/a%20b", "/files/billing/files/a%20b null"],
    ["/billing;a/files", 400],
    ["/BILLING", 400],
    ["/billing%2ffiles", 400],
  ])("%s is routed by its longest prefix", async (at, response) => {
    expect(await served(server, host, at)).toBe(response);
  });

  test("the record of a stripped path is that of the deployment; the problem has the path of the client", async () => {
    const response = await callHost(server.url, host, "/billing/x%2f..%2fy");
    expect(await response.json()).toMatchObject({ code: "malformed_path", instance: "/billing/x%2f..%2fy" });
    const { headers } = await callHost(server.url, host, "/billing/recorded");
    const id = headers.get("x-request-id")!;
    const record = await until(
      async () => (await client.get(`/v1/accounts/${account}/requests?requestId=${id}`)).body.data[0],
      { what: "the record" },
    );
    expect(record).toMatchObject({ path: "/recorded", status: 200 });
  });

  test("a change applies to the next request, and null keeps the deployment", async () => {
    const change = async (body: object) => {
      const response = await client.patch(`${path}/${domain.id}`, body);
      expect({ status: response.status, text: response.text }).toEqual({ status: 200, text: response.text });
      return response.body;
    };
    const { mounts: before } = await shown();
    const only = await change({ mounts: [{ path: "/a", deploymentName: names.files }] });
    expect(only).toMatchObject({ deploymentName: names.files, mounts: [{ path: "/a", deploymentName: names.files }] });
    expect(await served(server, host, "/a/b")).toBe("/files/a/b null");
    expect(await served(server, host, "/b")).toBe(404);
    const alone = await change({ mounts: null });
    expect(alone).toMatchObject({ deploymentName: names.files });
    expect(alone.mounts).toBeUndefined();
    expect(await served(server, host, "/b")).toBe("/files/b null");
    await change({ mounts: before });
    expect((await change({ deploymentName: names.billing })).mounts).toBeUndefined();
    expect(await served(server, host, "/b")).toBe("/billing/b null");
    const { updatedOn } = await change({ mounts: before });
    server.clock.advance(1000);
    for (const same of [{}, { mounts: before }]) expect((await change(same)).updatedOn).toBe(updatedOn);
    expect(await served(server, host, "/b")).toBe("/shop/b null");
  });

  test("a pending domain can be changed, and is not served", async () => {
    const { body } = await client.post(path, { host: "pending.acme.example", deploymentName: names.shop });
    const changed = await client.patch(`${path}/${body.id}`, {
      mounts: [{ path: "/x", deploymentName: names.files }],
    });
    expect(changed.body).toMatchObject({ status: "pending", deploymentName: names.files });
    expect(changed.body.dns[1].value).toContain(names.files);
    expect(await served(server, "pending.acme.example", "/x")).toBe(404);
    await client.delete(`${path}/${body.id}`);
  });

  test("a missing deployment of a mount is a 404 with a message", async () => {
    const short = await deploy(server, { project: "short", branch: "main" }, filesOf("short"));
    const mounted = await activeDomain(server, dns, {
      host: "short.acme.example",
      mounts: [
        { path: "/", deploymentName: names.shop },
        { path: "/short", deploymentName: short.name },
      ],
    });
    expect(await served(server, "short.acme.example", "/short/a")).toBe("/short/short/a null");
    await client.delete(`/v1/deployments/${short.name}`);
    expect(await served(server, "short.acme.example", "/short/a")).toBe(404);
    expect(await served(server, "short.acme.example", "/a")).toBe("/shop/a null");
    expect((await client.get(`${path}/${mounted.id}`)).body.message).toBe(
      `There is no deployment ${short.name}; requests to /short get 404.`,
    );
  });

  test("a change is in the audit log and sent to webhooks", async () => {
    const hook = await client.post(`/v1/accounts/${account}/webhooks`, {
      url: receiver.url(),
      events: ["domain.updated"],
    });
    const { mounts } = await shown();
    const added = [...mounts, { path: "/audited", deploymentName: names.shop }];
    await client.patch(`${path}/${domain.id}`, { mounts: added });
    const { body: log } = await client.get(`/v1/accounts/${account}/audit-log?resource=domain`);
    expect(log.data[0]).toMatchObject({ action: "domain.updated", resource: { name: host }, actor: { type: "token" } });
    expect(log.data[0].changes).toContainEqual({ pointer: "/mounts", before: mounts, after: added });
    // Changes before the webhook may still be sent.
    const event = await until(
      () => receiver.received.find(({ message }) => message.data.mounts?.length === added.length),
      { what: "the event" },
    );
    expect(event.message).toMatchObject({ type: "domain.updated", data: { host, mounts: added } });
    await client.delete(`/v1/accounts/${account}/webhooks/${hook.body.id}`);
    await client.patch(`${path}/${domain.id}`, { mounts });
  });

  test("mounts outlive a restart", async () => {
    await server.restart();
    expect(await served(server, host, "/billing/a")).toBe("/billing/a /billing");
  });

  describe("rejected, and nothing changes:", () => {
    const at = (mount: object) => ({ mounts: [{ path: "/a", deploymentName: names.shop, ...mount }] });
    test.each<[string, () => object, string]>([
      ["no mounts", () => ({ mounts: [] }), "/mounts"],
      ["a deployment beside mounts", () => ({ ...at({}), deploymentName: names.shop }), "/deploymentName"],
      ["an unknown deployment", () => at({ deploymentName: "nothing" }), "/mounts/0/deploymentName"],
      ["no deployment", () => at({ deploymentName: undefined }), "/mounts/0/deploymentName"],
      ["an unknown field", () => at({ strip: true }), "/mounts/0/strip"],
      ["stripPath that is text", () => at({ stripPath: "yes" }), "/mounts/0/stripPath"],
      ...[
        "",
        "a",
        "/a/",
        "//a",
        "/a//b",
        "/..",
        "/a/./b",
        "/a.",
        "/%61",
        "/a;b",
        "/a\\b",
        "/a?b",
        "/a#b",
        "/{a}",
        "/é",
        `/${"a".repeat(200)}`,
      ].map((text): [string, () => object, string] => [
        `the path "${text}"`,
        () => at({ path: text }),
        "/mounts/0/path",
      ]),
      [
        "a path twice, ignoring case",
        () => ({
          mounts: [
            { path: "/a", deploymentName: names.shop },
            { path: "/A", deploymentName: names.files },
          ],
        }),
        "/mounts/1/path",
      ],
      [
        "too many mounts",
        () => ({
          mounts: Array.from({ length: 51 }, (_, index) => ({ path: `/${index}`, deploymentName: names.shop })),
        }),
        "/mounts",
      ],
    ])("%s", async (_, input, pointer) => {
      const before = await shown();
      const total = (await client.get(path)).body.total;
      expectProblem(await client.patch(`${path}/${domain.id}`, input()), 400, "validation_failed", { pointer });
      const created = await client.post(path, { host: "other.acme.example", ...input() });
      expectProblem(created, 400, "validation_failed", { pointer });
      expect(await shown()).toEqual(before);
      expect((await client.get(path)).body.total).toBe(total);
    });

    test("callers without permission, other accounts, another ETag", async () => {
      const before = await shown();
      const one = `${path}/${domain.id}`;
      const input = { deploymentName: names.files };
      expectProblem(await client.anonymous().patch(one, input), 401, "unauthenticated");
      const reader = await callerWithRole(client, "reader");
      expectProblem(await reader.patch(one, input), 403, "forbidden");
      const strangers = `mounts-${engine.name}`;
      const stranger = await strangerOf(client, strangers);
      expectProblem(await stranger.patch(one, input), 404, "not_found");
      const theirs = `${domainsPath(strangers)}/${domain.id}`;
      expectProblem(await stranger.patch(theirs, input), 404, "not_found");
      expectProblem(await client.patch(one, input, { "if-match": '"other.1"' }), 412, "precondition_failed");
      expect(await shown()).toEqual(before);
      // A deployment of another account looks like a missing one.
      const mounts = [{ path: "/", deploymentName: names.shop }];
      const response = await stranger.post(domainsPath(strangers), { host: "theirs.example", mounts });
      expectProblem(response, 400, "validation_failed", { pointer: "/mounts/0/deploymentName" });
    });
  });
});

describe("two nodes", () => {
  const { dns, environment } = useDns({ TOLLGATE_EGRESS: "any" });

  test("two nodes on one database follow a change of mounts", async () => {
    const nodes: TestServer[] = [];
    const clock = new FakeClock();
    const database: Database = await postgres.migratedDatabase();
    try {
      for (let node = 0; node < 2; node++) nodes.push(await startServer(postgres, { database, clock, environment }));
      const [one, other] = nodes as [TestServer, TestServer];
      const names = await deployAll(one);
      const host = "nodes.acme.example";
      const mounts = [
        { path: "/", deploymentName: names.shop },
        { path: "/b", deploymentName: names.billing, stripPath: true },
      ];
      const { id } = await activeDomain(one, dns, { host, mounts });
      for (const node of nodes) {
        await until(async () => (await served(node, host, "/b/x")) === "/billing/x /b");
        expect(await served(node, host, "/x")).toBe("/shop/x null");
      }
      await other.client.patch(`${path}/${id}`, { mounts: [{ path: "/b", deploymentName: names.files }] });
      expect(await served(other, host, "/b/x")).toBe("/files/b/x null");
      await until(async () => (await served(one, host, "/b/x")) === "/files/b/x null");
      expect(await served(one, host, "/x")).toBe(404);
    } finally {
      for (const node of nodes) await node.stop();
      await database.drop();
    }
  });
});
