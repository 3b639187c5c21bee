import { describe, expect, test } from "bun:test";
import { makeCertificate } from "./support/certificates.ts";
import { artifactOf } from "./support/gateway.ts";
import { MutualTlsServer, TestTarget } from "./support/target.ts";
import { until } from "./support/until.ts";
import { health, useUpstreams } from "./support/use-upstreams.ts";

const bench = useUpstreams();
const { addresses, deploy, targets, targetsOf, urls } = bench;

describe("connections", () => {
  test("a slow target does not use up those of the others", async () => {
    const { send, responders, name } = await deploy({ maxConnections: 2, targets: urls("a", "b") });
    targets[0]!.treatment = "hang";
    const controllers = Array.from({ length: 4 }, () => new AbortController());
    const before = targets[0]!.connections;
    const hanging = controllers.map(({ signal }) => send("/slow", { signal }).catch(() => undefined));
    await until(() => targets[0]!.requests.length === 2);
    // All of them are served by the target that has connections left.
    expect(await responders(6)).toEqual(["b", "b", "b", "b", "b", "b"]);
    expect(targets[0]!.connections - before).toBe(2);
    for (const controller of controllers) controller.abort();
    await Promise.all(hanging);
    await until(() => targetsOf(name)[0]!.inFlight === 0);
  });

  test("a changed address of a name is used", async () => {
    const [a] = targets;
    addresses.set("api.test", ["127.0.0.1"]);
    const { send } = await deploy({ targets: [{ url: `http://api.test:${a!.port}` }], health });
    expect(await (await send()).text()).toBe("a");
    addresses.set("api.test", ["127.0.0.2"]);
    // Nothing listens there: neither the connection to the old address nor its health is used.
    expect((await send()).status).toBe(502);
    addresses.set("api.test", ["127.0.0.1"]);
    await until(async () => (await send()).status === 200);
  });

  test("one blocked address rejects a target, and the others serve", async () => {
    addresses.set("api.test", ["127.0.0.1", "169.254.169.254"]);
    const { responders } = await deploy({ targets: [{ url: `http://api.test:${targets[0]!.port}` }, ...urls("b")] });
    expect(await responders(2)).toEqual(["b", "b"]);
    const alone = await deploy({ targets: [{ url: `http://api.test:${targets[0]!.port}` }] });
    expect(await (await alone.send()).json()).toMatchObject({ code: "upstream_not_allowed" });
  });

  test("connections of two upstreams at one address with different client certificates are not shared", async () => {
    const server = makeCertificate(["api.test", "127.0.0.1"]);
    const [one, two] = [makeCertificate(["one"]), makeCertificate(["two"])];
    const secure = new MutualTlsServer(server, `${one.certificate}${two.certificate}`);
    await secure.listen();
    try {
      const tlsOf = ({ certificate: cert, key }: typeof one) => ({ ca: server.certificate, cert, key });
      const target = (index: number) => ({ upstream: secure.url, balanced: index });
      const upstream = { targets: [{ url: secure.url, weight: 1 }], balance: "round-robin" as const };
      await bench.gateway.deploy(
        "mutual",
        artifactOf(
          [
            { path: "/one", target: target(0) },
            { path: "/two", target: target(1) },
            { path: "/none", target: target(2) },
          ],
          {
            upstreams: [
              { ...upstream, tls: tlsOf(one) },
              { ...upstream, tls: tlsOf(two) },
              { ...upstream, tls: { ca: server.certificate } },
            ],
          },
        ),
      );
      for (const path of ["/one", "/two", "/one", "/two"])
        expect((await bench.gateway.fetch("mutual", path)).status).toBe(200);
      expect(secure.clients).toEqual(["one", "two"]);
      expect((await bench.gateway.fetch("mutual", "/none")).status).toBe(502);
    } finally {
      await secure.stop();
    }
  });

  test("a private CA and another server name", async () => {
    const server = makeCertificate(["internal.test"]);
    const secure = await TestTarget.start("secure", { cert: server.certificate, key: server.key });
    try {
      const one = { targets: [{ url: secure.url }] };
      const named = await deploy({ ...one, tls: { ca: server.certificate, serverName: "internal.test" } });
      expect(await named.responders(1)).toEqual(["secure"]);
      const other = await deploy({ ...one, tls: { ca: server.certificate, serverName: "other.test" } });
      expect(await other.responders(1)).toEqual(["502"]);
      const untrusted = await deploy({ ...one, tls: { serverName: "internal.test" } });
      expect(await untrusted.responders(1)).toEqual(["502"]);
    } finally {
      await secure.stop();
    }
  });

  test("are not shared by two deployments with the same upstream", async () => {
    const plain = (name: string) =>
      bench.gateway.deploy(name, artifactOf([{ path: "/x", target: { upstream: targets[0]!.url } }]));
    await plain("first");
    await plain("second");
    const before = targets[0]!.connections;
    for (const name of ["first", "second", "first", "second"]) await (await bench.gateway.fetch(name, "/x")).text();
    expect(targets[0]!.connections - before).toBe(2);
  });
});
