import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../test/support/callers.ts";
import type { Client } from "../../../test/support/client.ts";
import { type DomainBody, domainsPath, settledDomain, useDns } from "../../../test/support/domains.ts";
import { eachEngine } from "../../../test/support/engines.ts";
import { expectProblem } from "../../../test/support/expect-problem.ts";
import { callHost, type Deployed, deploy, requestUpload } from "../../../test/support/project.ts";
import { runSql } from "../../../test/support/run-sql.ts";
import { useServer } from "../../../test/support/server.ts";
import { account, operatorToken } from "../../../test/support/server-settings.ts";
import { tableContent } from "../../../test/support/table-content.ts";
import { echoUpstream, versionOf } from "../../../test/support/versioned-project.ts";

const day = 24 * 60 * 60 * 1000;
const path = domainsPath();
const upstream = echoUpstream();
afterAll(() => upstream.stop(true));

eachEngine((engine) => {
  const { dns, environment } = useDns({
    TOLLGATE_PUBLIC_URL: "https://manage.example.com",
    TOLLGATE_ALLOWED_HOSTS: "manage.internal",
    TOLLGATE_GATEWAY_URL: "https://{name}.apis.example.com",
    TOLLGATE_EGRESS: "any",
  });
  const server = useServer(engine, { environment });
  const { client, clock } = server;
  let deployed: Deployed;
  let stranger: Client;
  let strangersDeployment: string;
  const strangers = `domains-${engine.name}`;
  const strangersPath = domainsPath(strangers);

  beforeAll(async () => {
    deployed = await deploy(server, { project: "shop", branch: "main" }, versionOf(upstream, "one"));
    stranger = await strangerOf(client, strangers);
    await requestUpload(stranger, { accountName: strangers, project: "other", branch: "main" });
    strangersDeployment = (await stranger.get(`/v1/deployments?accountName=${strangers}`)).body.data[0].name;
  });
  beforeEach(() => dns.clear());

  let count = 0;
  const newHost = () => `api-${++count}.acme.example`;
  /** The check runs right after a claim: whether it sees records that are set after the claim depends on timing. */
  const firstCheck = (by: Client, at: string) =>
    settledDomain(by, at, ({ checkedOn }) => checkedOn !== undefined, "the first check");
  const claim = async (host: string): Promise<DomainBody> => {
    const { status, body, text } = await client.post(path, { host, deploymentName: deployed.name });
    expect({ status, text }).toEqual({ status: 200, text });
    await firstCheck(client, `${path}/${body.id}`);
    return body;
  };
  const claimAsStranger = async (host: string): Promise<DomainBody> => {
    const { body } = await stranger.post(strangersPath, { host, deploymentName: strangersDeployment });
    await firstCheck(stranger, `${strangersPath}/${body.id}`);
    return body;
  };
  const proofOf = ({ dns: [record] }: DomainBody) => [record.name, record.value] as const;
  const prove = (domain: DomainBody) => dns.add("TXT", ...proofOf(domain));
  const withdraw = (domain: DomainBody) => dns.remove("TXT", ...proofOf(domain));
  /** Checks the domain once more, and returns it. */
  const checked = async (domain: DomainBody, by = client, at = path): Promise<DomainBody> => {
    await firstCheck(by, `${at}/${domain.id}`);
    clock.advance(5_001);
    expect((await by.post(`${at}/${domain.id}/check`)).status).toBe(200);
    const now = clock.iso();
    return settledDomain(by, `${at}/${domain.id}`, ({ checkedOn }) => checkedOn === now, "a check");
  };
  const activated = async (host: string) => {
    const domain = await claim(host);
    prove(domain);
    const active = await checked(domain);
    expect(active.status).toBe("active");
    return active;
  };
  const statusAt = async (host: string) => (await callHost(server.url, host, "/forwarded")).status;

  test("a claim shows the records to set, and is not routed before they are", async () => {
    const host = newHost();
    const domain = await claim(host.toUpperCase());
    expect(domain).toEqual({
      id: expect.stringMatching(/^domn_[0-9A-Za-z]{24}$/),
      host,
      deploymentName: deployed.name,
      status: "pending",
      dns: [
        {
          type: "TXT",
          name: `_tollgate.${host}`,
          value: expect.stringMatching(/^tollgate-domain=[0-9a-f]{40}$/),
          isSeen: false,
        },
        { type: "CNAME", name: host, value: `${deployed.name}.apis.example.com`, isSeen: false },
      ],
      certificate: null,
      expiresOn: clock.iso(7 * day),
      createdOn: clock.iso(),
      updatedOn: clock.iso(),
    });
    const looked = await settledDomain(client, `${path}/${domain.id}`, ({ checkedOn }) => checkedOn !== undefined);
    expect(looked).toMatchObject({ status: "pending", message: `There is no TXT record _tollgate.${host}.` });
    expect(await statusAt(host)).toBe(421);
    expect((await client.get(path)).body.data).toContainEqual(looked);
    const read = await client.get(`${path}/${domain.id}`);
    expect((await client.get(`${path}/${domain.id}`, { "if-none-match": read.headers.get("etag")! })).status).toBe(304);
  });

  test("with its TXT record it is served, however the host is written, until it is deleted", async () => {
    const host = newHost();
    const domain = await activated(host);
    expect(domain).toMatchObject({ status: "active", certificate: null, dns: [{ isSeen: true }, { isSeen: false }] });
    expect(domain.expiresOn).toBeUndefined();
    expect(domain.message).toBe(
      `Requests do not arrive yet: ${host} does not resolve to ${deployed.name}.apis.example.com.`,
    );
    for (const written of [host, host.toUpperCase(), `${host}:8443`, `${host}.`, `${host}.:80`])
      expect(await statusAt(written)).toBe(200);
    for (const other of [`www.${host}`, host.slice(4), `${host}.evil.example`]) expect(await statusAt(other)).toBe(421);
    expect((await client.delete(`${path}/${domain.id}`)).status).toBe(204);
    expect(await statusAt(host)).toBe(421);
    expectProblem(await client.get(`${path}/${domain.id}`), 404, "not_found");
  });

  test("a CNAME record alone proves nothing, and neither do other TXT records", async () => {
    const host = newHost();
    dns.set("CNAME", host, `${deployed.name}.apis.example.com`);
    const domain = await claim(host);
    const looked = await settledDomain(client, `${path}/${domain.id}`, ({ checkedOn }) => checkedOn !== undefined);
    expect(looked).toMatchObject({ status: "pending", dns: [{ isSeen: false }, { isSeen: true }] });
    expect(await statusAt(host)).toBe(421);
    const [name, value] = proofOf(domain);
    for (const wrong of [value.slice(0, -1), `${value}0`, "v=spf1 -all", value.replace("tollgate-domain=", "")]) {
      dns.set("TXT", name, wrong);
      dns.set("TXT", host, value);
      expect(await checked(domain)).toMatchObject({ status: "pending", dns: [{ isSeen: false }, {}] });
    }
    dns.set("TXT", name, `${value.slice(0, -1)}x`);
    expect((await checked(domain)).message).toBe(`The TXT record ${name} has another value.`);
    dns.set("TXT", name, "tollgate-domain=", `0${value.slice("tollgate-domain=".length)}`);
    expect(await checked(domain)).toMatchObject({ status: "pending", dns: [{ isSeen: false }, {}] });
    dns.set("TXT", name, "v=spf1 -all", value);
    const active = await checked(domain);
    expect(active).toMatchObject({ status: "active", dns: [{ isSeen: true }, { isSeen: true }] });
    expect(active.message).toBeUndefined();
  });

  test.each([1, 8, 16, 30])(
    "a TXT record in several strings is one value: split after %d characters",
    async (length) => {
      const domain = await claim(newHost());
      const [name, value] = proofOf(domain);
      const strings = [value.slice(0, length), value.slice(length, -3), value.slice(-3)];
      dns.set("TXT", name, "v=spf1 -all", strings.join("\0"), "last");
      expect(await checked(domain)).toMatchObject({ status: "active", dns: [{ isSeen: true }, {}] });
    },
  );

  test("addresses that are the deployment's lead there too: an apex has no CNAME", async () => {
    const host = newHost();
    dns.set("A", `${deployed.name}.apis.example.com`, "192.0.2.7", "192.0.2.8");
    dns.set("A", host, "192.0.2.8");
    const domain = await activated(host);
    expect(domain.dns[1]).toMatchObject({ isSeen: true });
    dns.set("A", host, "192.0.2.9");
    expect((await checked(domain)).dns[1]).toMatchObject({ isSeen: false });
  });

  test("a claim that is not proven within seven days is removed, and can be made anew", async () => {
    const host = newHost();
    const domain = await claim(host);
    clock.advance(7 * day - 1);
    expect((await client.get(`${path}/${domain.id}`)).status).toBe(200);
    clock.advance(1);
    await settledDomain(client, `${path}/${domain.id}`, ({ status }) => status === 404);
    prove(domain);
    expect((await client.get(path)).body.data).toEqual(expect.not.arrayContaining([expect.objectContaining({ host })]));
    expect(await claim(host)).toMatchObject({ host, status: "pending" });
  });

  describe("with two accounts", () => {
    test("an unproven claim does not block an account that proves the host, and an owner keeps it", async () => {
      const host = newHost();
      const first = await claim(host);
      const second = await claimAsStranger(host);
      expect(proofOf(first)[1]).not.toBe(proofOf(second)[1]);
      prove(second);
      expect(await checked(second, stranger, strangersPath)).toMatchObject({ status: "active" });
      prove(first);
      const late = await checked(first);
      expect(late).toMatchObject({ status: "pending", dns: [{ isSeen: true }, {}] });
      expect(late.message).toStartWith("The proof was found, but another account has proven this host before");
      // There is no deployment, so a 404 comes from the other account's deployment.
      expect(await statusAt(host)).toBe(404);
    });

    test("the host is handed over when its DNS has the other's record alone", async () => {
      const host = newHost();
      const own = await activated(host);
      const other = await claimAsStranger(host);
      withdraw(own);
      prove(other);
      expect(await checked(other, stranger, strangersPath)).toMatchObject({ status: "active" });
      const lost = (await client.get(`${path}/${own.id}`)).body;
      expect(lost).toMatchObject({ status: "pending", expiresOn: clock.iso(7 * day) });
      expect(lost.message).toEndWith("is gone, and another account has proven this host.");
      expect(await statusAt(host)).toBe(404);
      // In the opposite direction, and the released claim does not block the new owner.
      prove(own);
      withdraw(other);
      expect(await checked(own)).toMatchObject({ status: "active" });
      expect(await statusAt(host)).toBe(200);
      expect((await stranger.delete(`${strangersPath}/${other.id}`)).status).toBe(204);
      expect(await statusAt(host)).toBe(200);
    });

    test("a deleted domain is free at once", async () => {
      const host = newHost();
      const own = await activated(host);
      const other = await claimAsStranger(host);
      prove(other);
      expect(await checked(other, stranger, strangersPath)).toMatchObject({ status: "pending" });
      expect((await client.delete(`${path}/${own.id}`)).status).toBe(204);
      expect(await checked(other, stranger, strangersPath)).toMatchObject({ status: "active" });
    });

    test("neither can see or change the other's domains", async () => {
      const domain = await claim(newHost());
      for (const response of [
        await stranger.get(path),
        await stranger.get(`${path}/${domain.id}`),
        await stranger.get(`${strangersPath}/${domain.id}`),
        await stranger.delete(`${strangersPath}/${domain.id}`),
        await stranger.post(`${strangersPath}/${domain.id}/check`),
        await stranger.post(path, { host: newHost(), deploymentName: deployed.name }),
      ])
        expectProblem(response, 404, "not_found");
      const response = await stranger.post(strangersPath, { host: newHost(), deploymentName: deployed.name });
      expectProblem(response, 400, "validation_failed", { pointer: "/deploymentName" });
      expect((await client.get(`${path}/${domain.id}`)).status).toBe(200);
    });

    test("a deleted account's domains stop immediately", async () => {
      const name = `gone-${engine.name}`;
      const owner = await strangerOf(client, name);
      await requestUpload(owner, { accountName: name, project: "gone", branch: "main" });
      const [deployment] = (await owner.get(`/v1/deployments?accountName=${name}`)).body.data;
      const host = newHost();
      const { body } = await owner.post(domainsPath(name), { host, deploymentName: deployment.name });
      prove(body);
      expect(await checked(body, owner, domainsPath(name))).toMatchObject({ status: "active" });
      expect(await statusAt(host)).toBe(404);
      expect((await client.as(operatorToken).delete(`/v1/accounts/${name}`)).status).toBe(204);
      expect(await statusAt(host)).toBe(421);
    });
  });

  test("without its record it is failing and served for seven days, then a claim again", async () => {
    const host = newHost();
    const domain = await activated(host);
    withdraw(domain);
    const failing = await checked(domain);
    expect(failing).toMatchObject({ status: "failing", dns: [{ isSeen: false }, {}] });
    expect(failing.message).toBe(
      `There is no TXT record _tollgate.${host}. Requests are served until ${clock.iso(7 * day)}, and after that only if the record exists again.`,
    );
    expect(await statusAt(host)).toBe(200);
    clock.advance(7 * day - 10_000);
    expect(await checked(domain)).toMatchObject({ status: "failing" });
    expect(await statusAt(host)).toBe(200);
    clock.advance(5_000);
    expect(await checked(domain)).toMatchObject({ status: "pending", expiresOn: clock.iso(7 * day) });
    expect(await statusAt(host)).toBe(421);
    prove(domain);
    expect(await checked(domain)).toMatchObject({ status: "active" });
    expect(await statusAt(host)).toBe(200);
  });

  test("a record that returns in time ends the failure, and the next failure has a new grace period of seven days", async () => {
    const domain = await activated(newHost());
    for (let round = 0; round < 2; round++) {
      withdraw(domain);
      expect(await checked(domain)).toMatchObject({ status: "failing" });
      clock.advance(6 * day);
      prove(domain);
      expect(await checked(domain)).toMatchObject({ status: "active" });
    }
  });

  test("DNS servers that fail change nothing, and are queried again", async () => {
    const pending = await claim(newHost());
    const domain = await activated(newHost());
    dns.trouble = "failure";
    for (const each of [domain, pending]) {
      const looked = await checked(each);
      expect(looked.status).toBe(each.status);
      expect(looked.message).toContain("DNS gave no usable response");
    }
    expect(await statusAt(domain.host)).toBe(200);
    withdraw(domain);
    dns.trouble = "none";
    expect(await checked(domain)).toMatchObject({ status: "failing" });
    dns.trouble = "failure";
    clock.advance(8 * day);
    expect(await checked(domain)).toMatchObject({ status: "failing" });
    expect(await statusAt(domain.host)).toBe(200);
  });

  test("it is checked soon, then less often, and daily once it is active", async () => {
    const host = newHost();
    const { id } = await claim(host);
    const lookups = () => dns.queries.filter((query) => query === `TXT _tollgate.${host}`).length;
    await settledDomain(client, `${path}/${id}`, ({ checkedOn }) => checkedOn !== undefined);
    const waits: number[] = [];
    for (let round = 0; round < 10; round++) {
      const before = (await client.get(`${path}/${id}`)).body.checkedOn;
      const { next_check_on: next } = await dueOf(id);
      waits.push((next - Date.parse(before)) / 1000);
      clock.set(new Date(next - 1).toISOString());
      clock.advance(1);
      await settledDomain(client, `${path}/${id}`, ({ checkedOn }) => checkedOn !== before);
    }
    expect(waits).toEqual([5, 10, 30, 60, 120, 300, 600, 1800, 3600, 3600]);
    expect(lookups()).toBe(11);
    prove((await client.get(`${path}/${id}`)).body);
    const active = await checked({ id });
    expect(((await dueOf(id)).next_check_on - Date.parse(active.checkedOn)) / day).toBe(1);
  });

  async function dueOf(id: string): Promise<{ next_check_on: number }> {
    const row = (await tableContent(server.database, "domains")).find((each) => each.id === id)!;
    return { next_check_on: Number(row.next_check_on) };
  }

  test("a deleted deployment is a 404 with a message, and a redeployed one serves", async () => {
    const place = { project: "short-lived", branch: "main" };
    const short = await deploy(server, place, versionOf(upstream, "one"));
    const host = newHost();
    const { body } = await client.post(path, { host, deploymentName: short.name });
    prove(body);
    expect(await checked(body)).toMatchObject({ status: "active" });
    expect(await statusAt(host)).toBe(200);
    expect((await client.delete(`/v1/deployments/${short.name}`)).status).toBe(204);
    expect(await statusAt(host)).toBe(404);
    expect((await client.get(`${path}/${body.id}`)).body.message).toBe(
      `There is no deployment ${short.name}; requests get 404.`,
    );
    await deploy(server, place, versionOf(upstream, "two"));
    expect(await statusAt(host)).toBe(200);
  });

  test("domains outlive a restart", async () => {
    const host = newHost();
    await activated(host);
    await server.restart();
    expect(await statusAt(host)).toBe(200);
  });

  describe("rejected, and nothing is kept:", () => {
    const total = async () => (await client.get(path)).body.total;

    test.each([
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
    ])("%s", async (_, input, pointer) => {
      const before = await total();
      const response = await client.post(path, { deploymentName: deployed.name, ...input });
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
      const again = { host: `${host.toUpperCase()}.`, deploymentName: deployed.name };
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
      const input = { host: newHost(), deploymentName: deployed.name };
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
    expect((await stranger.get(`/v1/accounts/${strangers}/search?q=${domain.host}`)).body.data).toEqual([]);
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
