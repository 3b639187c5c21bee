import { describe, expect, test } from "bun:test";
import { strangerOf } from "../../../../test/support/callers.ts";
import { useDomainClaims } from "../../../../test/support/domain-claims.ts";
import { domainsPath, settledDomain } from "../../../../test/support/domains.ts";
import { eachEngine } from "../../../../test/support/engines.ts";
import { expectProblem } from "../../../../test/support/expect-problem.ts";
import { deploy, requestUpload } from "../../../../test/support/project.ts";
import { operatorToken } from "../../../../test/support/server-settings.ts";
import { versionOf } from "../../../../test/support/versioned-project.ts";

const day = 24 * 60 * 60 * 1000;

eachEngine((engine) => {
  const domains = useDomainClaims(engine);
  const {
    server,
    client,
    clock,
    dns,
    path,
    upstream,
    strangersPath,
    newHost,
    claim,
    claimAsStranger,
    proofOf,
    prove,
    withdraw,
    checked,
    activated,
    statusAt,
  } = domains;

  test("a claim shows the records to set, and is not routed before they are", async () => {
    const host = newHost();
    const domain = await claim(host.toUpperCase());
    expect(domain).toEqual({
      id: expect.stringMatching(/^domn_[0-9A-Za-z]{24}$/),
      host,
      deploymentName: domains.deployed.name,
      status: "pending",
      dns: [
        {
          type: "TXT",
          name: `_tollgate.${host}`,
          value: expect.stringMatching(/^tollgate-domain=[0-9a-f]{40}$/),
          isSeen: false,
        },
        { type: "CNAME", name: host, value: `${domains.deployed.name}.apis.example.com`, isSeen: false },
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
      `Requests do not arrive yet: ${host} does not resolve to ${domains.deployed.name}.apis.example.com.`,
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
    dns.set("CNAME", host, `${domains.deployed.name}.apis.example.com`);
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
    dns.set("A", `${domains.deployed.name}.apis.example.com`, "192.0.2.7", "192.0.2.8");
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
      expect(await checked(second, domains.stranger, strangersPath)).toMatchObject({ status: "active" });
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
      expect(await checked(other, domains.stranger, strangersPath)).toMatchObject({ status: "active" });
      const lost = (await client.get(`${path}/${own.id}`)).body;
      expect(lost).toMatchObject({ status: "pending", expiresOn: clock.iso(7 * day) });
      expect(lost.message).toEndWith("is gone, and another account has proven this host.");
      expect(await statusAt(host)).toBe(404);
      // In the opposite direction, and the released claim does not block the new owner.
      prove(own);
      withdraw(other);
      expect(await checked(own)).toMatchObject({ status: "active" });
      expect(await statusAt(host)).toBe(200);
      expect((await domains.stranger.delete(`${strangersPath}/${other.id}`)).status).toBe(204);
      expect(await statusAt(host)).toBe(200);
    });

    test("a deleted domain is free at once", async () => {
      const host = newHost();
      const own = await activated(host);
      const other = await claimAsStranger(host);
      prove(other);
      expect(await checked(other, domains.stranger, strangersPath)).toMatchObject({ status: "pending" });
      expect((await client.delete(`${path}/${own.id}`)).status).toBe(204);
      expect(await checked(other, domains.stranger, strangersPath)).toMatchObject({ status: "active" });
    });

    test("neither can see or change the other's domains", async () => {
      const domain = await claim(newHost());
      for (const response of [
        await domains.stranger.get(path),
        await domains.stranger.get(`${path}/${domain.id}`),
        await domains.stranger.get(`${strangersPath}/${domain.id}`),
        await domains.stranger.delete(`${strangersPath}/${domain.id}`),
        await domains.stranger.post(`${strangersPath}/${domain.id}/check`),
        await domains.stranger.post(path, { host: newHost(), deploymentName: domains.deployed.name }),
      ])
        expectProblem(response, 404, "not_found");
      const response = await domains.stranger.post(strangersPath, {
        host: newHost(),
        deploymentName: domains.deployed.name,
      });
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
});
