import { describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../test/support/callers.ts";
import { useDomainClaims } from "../../../../test/support/domain-claims.ts";
import { domainsPath } from "../../../../test/support/domains.ts";
import { casesFor, eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { requestUpload } from "../../../../test/support/project.ts";
import { runSql } from "../../../../test/support/run-sql.ts";
import { account } from "../../../../test/support/server-settings.ts";

eachEngine((engine) => {
  const domains = useDomainClaims(engine);
  const { server, client, path, strangers, newHost, claim, activated, statusAt } = domains;

  describe("rejected, and nothing is kept:", () => {
    const total = async () => (await client.get(path)).body.total;

    test.each(
      casesFor(engine, [
        ["no host", {}, "/host"],
        ["a label alone", { host: "localhost" }, "/host"],
        ["an address", { host: "192.0.2.1" }, "/host"],
        ["a URL", { host: "https://api.acme.example" }, "/host"],
        ["a port", { host: "api.acme.example:443" }, "/host"],
        ["a wildcard", { host: "*.acme.example" }, "/host"],
        ["loopback", { host: "shop.localhost" }, "/host"],
        ["the public host", { host: "Manage.Example.com" }, "/host"],
        ["an allowed host", { host: "manage.internal" }, "/host"],
        ["a deployment's own", { host: "shop.apis.example.com" }, "/host"],
        ["a number", { host: 7 }, "/host"],
        ["a long one", { host: `${"a.".repeat(150)}example` }, "/host"],
        ["an unknown field", { host: "api.acme.example", status: "active" }, "/status"],
        ["no deployment", { host: "api.acme.example", deploymentName: undefined }, "/deploymentName"],
        ["an unknown deployment", { host: "api.acme.example", deploymentName: "nothing" }, "/deploymentName"],
      ]),
    )("%s", async (_, input, pointer) => {
      const before = await total();
      const response = await client.post(path, { deploymentName: domains.deployed.name, ...input });
      expectProblem(response, 400, "validation_failed", { pointer });
      expect(await total()).toBe(before);
    });

    test("both fields, named together", async () => {
      const response = await client.post(path, { host: "localhost", deploymentName: "nothing" });
      expectProblem(response, 400, "validation_failed", { pointer: "/host" });
      expectProblem(response, 400, "validation_failed", { pointer: "/deploymentName" });
    });

    test("a host that the account has already, also written otherwise", async () => {
      const host = newHost();
      await claim(host);
      const before = await total();
      const again = { host: `${host.toUpperCase()}.`, deploymentName: domains.deployed.name };
      expectProblem(await client.post(path, again), 409, "domain_exists");
      expect(await total()).toBe(before);
    });

    test("callers without permission", async () => {
      const domain = await activated(newHost());
      const reader = await callerWithRole(client, "reader");
      expect((await reader.get(path)).status).toBe(200);
      expect((await reader.get(`${path}/${domain.id}`)).status).toBe(200);
      const verifier = await callerWithRole(client, "verifier");
      const before = await total();
      const input = { host: newHost(), deploymentName: domains.deployed.name };
      for (const [who, status, code] of [
        [client.anonymous(), 401, "unauthenticated"],
        [reader, 403, "forbidden"],
        [verifier, 403, "forbidden"],
      ] as const) {
        expectProblem(await who.post(path, input), status, code);
        expectProblem(await who.delete(`${path}/${domain.id}`), status, code);
        expectProblem(await who.post(`${path}/${domain.id}/check`), status, code);
      }
      expectProblem(await verifier.get(path), 403, "forbidden");
      expect(await total()).toBe(before);
      expect(await statusAt(domain.host)).toBe(200);
    });

    test("an ETag that is not its own", async () => {
      const domain = await activated(newHost());
      const response = await client.delete(`${path}/${domain.id}`, { "if-match": '"other.1"' });
      expectProblem(response, 412, "precondition_failed");
      expect(await statusAt(domain.host)).toBe(200);
      const etag = (await client.get(`${path}/${domain.id}`)).headers.get("etag")!;
      expect((await client.delete(`${path}/${domain.id}`, { "if-match": etag })).status).toBe(204);
    });

    test("more than an account may have", async () => {
      const name = `many-${engine.name}`;
      const owner = await strangerOf(client, name);
      await requestUpload(owner, { accountName: name, project: "many", branch: "main" });
      const [deployment] = (await owner.get(`/v1/deployments?accountName=${name}`)).body.data;
      const add = (index: number) =>
        owner.post(domainsPath(name), { host: `h${index}.many.example`, deploymentName: deployment.name });
      for (let index = 0; index < 100; index++) expect((await add(index)).status).toBe(200);
      expectProblem(await add(100), 409, "too_many_domains");
      expect((await owner.get(domainsPath(name))).body.total).toBe(100);
    });
  });

  test("is found by its host and by its id", async () => {
    const domain = await claim(newHost());
    const found = { type: "domain", id: domain.id, name: domain.host, path: `${path}/${domain.id}` };
    for (const q of [domain.host, domain.host.slice(0, -3).toUpperCase(), domain.id])
      expect((await client.get(`/v1/accounts/${account}/search?q=${q}`)).body.data).toContainEqual(found);
    expect((await domains.stranger.get(`/v1/accounts/${strangers}/search?q=${domain.host}`)).body.data).toEqual([]);
  });

  // The bytes that follow these are punctuation, which a language-specific order would sort first.
  test.each(["9", "Z", "z"])("is found by an id that ends in %s", async (end) => {
    const { id } = await claim(newHost());
    const changed = id.slice(0, -1) + end;
    await runSql(server.database, `UPDATE domains SET id = '${changed}' WHERE id = '${id}'`);
    const { data } = (await client.get(`/v1/accounts/${account}/search?q=${changed}`)).body;
    expect(data).toMatchObject([{ type: "domain", id: changed }]);
  });
});
