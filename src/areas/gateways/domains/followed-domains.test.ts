import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type DomainBody, domainsPath, settledDomain, useDns } from "../../../../test/support/domains.ts";
import { type Database, eachEngine, postgres } from "../../../../test/support/engines.ts";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { callHost, deploy } from "../../../../test/support/project.ts";
import { startServer, type TestServer, useServer } from "../../../../test/support/server.ts";
import { account, adminToken } from "../../../../test/support/server-settings.ts";
import { until } from "../../../../test/support/until.ts";
import { echoUpstream, versionOf } from "../../../../test/support/versioned-project.ts";
import { useWebhookReceiver } from "../../../../test/support/webhook-receiver.ts";

const path = domainsPath();
const upstream = echoUpstream();
afterAll(() => upstream.stop(true));

const activate = async ({ client, clock }: TestServer, dns: ReturnType<typeof useDns>["dns"], domain: DomainBody) => {
  await settledDomain(client, `${path}/${domain.id}`, ({ checkedOn }) => checkedOn !== undefined);
  dns.add("TXT", domain.dns[0].name, domain.dns[0].value);
  clock.advance(5_001);
  await client.post(`${path}/${domain.id}/check`);
  return settledDomain(client, `${path}/${domain.id}`, ({ status }) => status === "active");
};

describe("two nodes", () => {
  const { dns, environment } = useDns();

  test("two nodes on one database route and stop together", async () => {
    const nodes: TestServer[] = [];
    const clock = new FakeClock();
    const database: Database = await postgres.migratedDatabase();
    try {
      for (let node = 0; node < 2; node++) nodes.push(await startServer(postgres, { database, clock, environment }));
      const [one, other] = nodes as [TestServer, TestServer];
      const deployed = await deploy(one, { project: "shop", branch: "main" }, versionOf(upstream, "one"));
      const host = "api.nodes.example";
      const { body } = await one.client.post(path, { host, deploymentName: deployed.name });
      await activate(one, dns, body);
      const status = async (node: TestServer) => (await callHost(node.url, host, "/forwarded")).status;
      for (const node of nodes) await until(async () => (await status(node)) === 200);
      expect((await other.client.delete(`${path}/${body.id}`)).status).toBe(204);
      expect(await status(other)).toBe(404);
      await until(async () => (await status(one)) === 404);
      // One node checked between the two changes.
      expect(dns.queries.filter((query) => query === `TXT _tollgate.${host}`).length).toBe(2);
    } finally {
      for (const node of nodes) await node.stop();
      await database.drop();
    }
  });
});

eachEngine((engine) => {
  const { dns, environment } = useDns();
  const server = useServer(engine, { environment });
  const receiver = useWebhookReceiver();
  const { client, clock } = server;
  let deploymentName: string;
  beforeAll(async () => {
    deploymentName = (await deploy(server, { project: "shop", branch: "main" }, versionOf(upstream, "one"))).name;
  });

  test("a host under which the management API was used becomes the domain's", async () => {
    const host = "api.taken.example";
    const headers = { authorization: `Bearer ${adminToken}` };
    const whoAmI = async () => (await callHost(server.url, host, "/v1/who-am-i", { headers })).status;
    // Without a public URL the server serves every host.
    for (let round = 0; round < 3; round++) expect(await whoAmI()).toBe(200);
    const { body } = await client.post(path, { host, deploymentName });
    await activate(server, dns, body);
    const response = await callHost(server.url, host, "/v1/who-am-i", { headers });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ code: "no_such_route" });
    expect((await callHost(server.url, host, "/forwarded")).status).toBe(200);
    await client.delete(`${path}/${body.id}`);
    expect(await whoAmI()).toBe(200);
  });

  test("what becomes of a domain is in the audit log and sent to webhooks", async () => {
    const hook = await client.post(`/v1/accounts/${account}/webhooks`, { url: receiver.url(), events: ["domain.*"] });
    const host = "api.audited.example";
    const { body: domain } = await client.post(path, { host, deploymentName });
    await activate(server, dns, domain);
    dns.clear();
    clock.advance(24 * 60 * 60 * 1000);
    await settledDomain(client, `${path}/${domain.id}`, ({ status }) => status === "failing");
    clock.advance(7 * 24 * 60 * 60 * 1000);
    await settledDomain(client, `${path}/${domain.id}`, ({ status }) => status === "pending");
    clock.advance(7 * 24 * 60 * 60 * 1000);
    await settledDomain(client, `${path}/${domain.id}`, ({ status }) => status === 404);
    const { body: second } = await client.post(path, { host, deploymentName });
    await client.delete(`${path}/${second.id}`);

    const { body: log } = await client.get(`/v1/accounts/${account}/audit-log?resource=domain`);
    const entries = log.data.filter((entry: DomainBody) => entry.resource.name === host).reverse();
    expect(entries.map((entry: DomainBody) => [entry.action, entry.actor.type])).toEqual([
      ["domain.created", "token"],
      ["domain.activated", "system"],
      ["domain.failing", "system"],
      ["domain.released", "system"],
      ["domain.expired", "system"],
      ["domain.created", "token"],
      ["domain.deleted", "token"],
    ]);
    expect(entries[1].changes).toContainEqual({ pointer: "/status", before: "pending", after: "active" });
    const sent = await until(
      () => {
        const received = receiver.received.filter(({ message }) => message.data.host === host);
        return received.length < 5 ? undefined : received;
      },
      { what: "five messages" },
    );
    expect(new Set(sent.map(({ message }) => `${message.type} ${message.data.status}`))).toEqual(
      new Set([
        "domain.activated active",
        "domain.failing failing",
        "domain.released pending",
        "domain.expired pending",
        "domain.deleted pending",
      ]),
    );
    await client.delete(`/v1/accounts/${account}/webhooks/${hook.body.id}`);
  });
});
