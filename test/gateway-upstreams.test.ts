import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import type { ArtifactUpstream } from "../src/core/artifact/upstream-schema.ts";
import type { Policy } from "../src/gateway/policy.ts";
import { makeCertificate } from "./support/certificates.ts";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { MutualTlsServer, TestTarget } from "./support/target.ts";
import { until } from "./support/until.ts";
import { RawUpstream } from "./support/upstream.ts";

let gateway: TestGateway;
let targets: TestTarget[];
const addresses = new Map<string, string[]>();

beforeAll(async () => {
  const consumer = (): Policy => ({
    enter(context) {
      const sub = context.headers.get("x-consumer");
      if (sub !== null) context.user = { sub, data: {} };
      return undefined;
    },
  });
  /** Like `validate`, which reads bodies of up to 1 MiB. */
  const reads = (): Policy => ({
    async enter(context) {
      context.body = await context.request.body?.bytes(1024 * 1024);
      return undefined;
    },
  });
  const resolver = { addresses: async (name: string) => addresses.get(name) ?? [] };
  gateway = new TestGateway({ resolver, policies: { consumer, reads } });
  targets = await Promise.all(["a", "b", "c"].map((name) => TestTarget.start(name)));
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all(targets.map((target) => target.stop()));
});

afterEach(async () => {
  for (const name of [...gateway.deployments.live.keys()]) {
    gateway.deployments.live.delete(name);
    await gateway.changed(name);
  }
  for (const target of targets) {
    target.treatment = 200;
    target.health = 200;
    target.requests.length = 0;
  }
});

let deployments = 0;
const noDelay = 0.02;

type Options = Partial<Omit<ArtifactUpstream, "targets">> & { targets?: { url: string; weight?: number }[] };

function artifactWith({ targets: given, ...options }: Options, timeoutSeconds = 10) {
  const all = (given ?? urls("a", "b", "c")).map(({ url, weight = 1 }: { url: string; weight?: number }) => ({
    url,
    weight,
  }));
  const target = { upstream: all[0]!.url, balanced: 0 };
  const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"];
  const routes = methods.map((method) => ({ path: "/{id}", method, target, timeoutSeconds }));
  return artifactOf(routes, { upstreams: [{ balance: "round-robin", ...options, targets: all }] });
}

/** Deploys an upstream, and returns a function that sends requests to it. */
async function deploy(options: Options = {}, timeoutSeconds?: number) {
  deployments += 1;
  const name = `shop${deployments}`;
  await gateway.deploy(name, artifactWith(options, timeoutSeconds));
  const send = (path = "/1", init: BunFetchRequestInit = {}) => gateway.fetch(name, path, init);
  /** The names of the targets that responded, or statuses. */
  const responders = async (count: number, init: BunFetchRequestInit = {}) => {
    const all: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const response = await send("/1", init);
      const text = await response.text();
      all.push(response.headers.get("x-target") ? text : String(response.status));
    }
    return all;
  };
  return { name, send, responders };
}

/** The status of the targets of a deployment's first upstream. */
const targetsOf = (name: string) =>
  gateway.gateway.upstreams(name, gateway.deployments.live.get(name)!.versionNumber)![0]!.targets;

const retries = {
  attempts: 3,
  on: ["connect" as const, "reset" as const, "502" as const, "503" as const, "504" as const],
};
const ejection = { consecutiveErrors: 2, seconds: noDelay, maxShare: 0.5 };
const longEjection = { ...ejection, seconds: 600 };
const health = { path: "/health", intervalSeconds: noDelay, unhealthyAfter: 2, healthyAfter: 2 };
const urls = (...names: string[]) =>
  names.map((name) => ({ url: targets.find((target) => target.name === name)!.url }));

describe("load balancing", () => {
  test("round-robin takes turns, and weights are smooth", async () => {
    const even = await deploy();
    expect(await even.responders(6)).toEqual(["a", "b", "c", "a", "b", "c"]);
    const [a, b] = targets;
    const weighted = await deploy({ targets: [{ url: a!.url, weight: 3 }, { url: b!.url }] });
    expect((await weighted.responders(8)).join("")).toBe("aabaaaba");
  });

  test("least-requests avoids a target that is busy", async () => {
    const { send, responders } = await deploy({ balance: "least-requests", targets: urls("a", "b") });
    targets[0]!.treatment = "hang";
    const controller = new AbortController();
    const hanging = send("/1", { signal: controller.signal }).catch(() => undefined);
    await until(() => targets[0]!.requests.length === 1);
    expect(await responders(5)).toEqual(["b", "b", "b", "b", "b"]);
    controller.abort();
    await hanging;
  });

  test("hash keeps a key at its target, and moves only the keys of a target that is down", async () => {
    const { send } = await deploy({
      balance: "hash",
      hashBy: "header:X-Customer",
      ejection: { ...longEjection, consecutiveErrors: 1 },
    });
    const targetOf = async (customer: number) =>
      (await send("/1", { headers: { "x-customer": String(customer) } })).text();
    const customers = Array.from({ length: 60 }, (_, at) => at);
    const before = await Promise.all(customers.map(targetOf));
    expect(await Promise.all(customers.map(targetOf))).toEqual(before);
    expect(new Set(before)).toEqual(new Set(["a", "b", "c"]));
    await targets[1]!.kill();
    const after = await Promise.all(customers.map(targetOf));
    await targets[1]!.revive();
    for (const customer of customers) {
      if (before[customer] === "b") expect(["a", "c"]).toContain(after[customer]!);
      else expect(after[customer]).toBe(before[customer]!);
    }
  });

  test("hashBy consumer and ip: one target for each, whatever the other is", async () => {
    const artifact = (hashBy: "consumer" | "ip") => {
      const built = artifactWith({ balance: "hash", hashBy });
      built.policies = { consumer: { type: "consumer", options: {} } };
      for (const route of built.routes) route.policies = ["consumer"];
      return built;
    };
    await gateway.deploy("by-consumer", artifact("consumer"));
    await gateway.deploy("by-ip", artifact("ip"));
    const targetOf = (name: string, consumer: number | undefined, client: number) =>
      new Promise<string>((resolve, reject) => {
        const headers = {
          host: `${name}.localhost`,
          ...(consumer !== undefined && { "x-consumer": `customer-${consumer}` }),
        };
        const options = { port: gateway.port, path: "/1", localAddress: `127.0.1.${client}`, headers };
        request(options, (response) => resolve(text(response)))
          .on("error", reject)
          .end();
      });
    const all = Array.from({ length: 20 }, (_, at) => at + 1);
    const byConsumer = await Promise.all(all.map((at) => targetOf("by-consumer", at, 1)));
    expect(new Set(byConsumer)).toEqual(new Set(["a", "b", "c"]));
    expect(await Promise.all(all.map((at) => targetOf("by-consumer", at, 100 + at)))).toEqual(byConsumer);
    const byAddress = await Promise.all(all.map((at) => targetOf("by-ip", 1, at)));
    expect(new Set(byAddress)).toEqual(new Set(["a", "b", "c"]));
    expect(await Promise.all(all.map((at) => targetOf("by-ip", 1000 + at, at)))).toEqual(byAddress);
    // Without a consumer the address decides.
    expect(await Promise.all(all.map((at) => targetOf("by-consumer", undefined, at)))).toEqual(byAddress);
  });
});

describe("health checks", () => {
  test.each([404, 401, 429, 500, 503, "hang", "reset"] as const)(
    "%p fails a check: no status leaves a target as it was",
    async (treatment) => {
      targets[0]!.health = treatment;
      const { responders } = await deploy({ health, targets: urls("a", "b") });
      await until(async () => !(await responders(4)).includes("a"));
      targets[0]!.health = 302;
      await until(async () => (await responders(4)).includes("a"));
    },
  );

  test("a new version keeps the health of targets", async () => {
    targets[0]!.health = 500;
    const upstream = { health: { ...health, unhealthyAfter: 3 }, targets: urls("a", "b") };
    const { name, responders } = await deploy(upstream);
    await until(async () => !(await responders(4)).includes("a"));
    // The new version's first check would be an hour later.
    await gateway.deploy(
      name,
      artifactWith({ ...upstream, retries, health: { ...upstream.health, intervalSeconds: 3600 } }),
    );
    expect(await responders(4)).toEqual(["b", "b", "b", "b"]);
  });

  test("a target is not checked any more when no version has it", async () => {
    const [kept, dropped] = await Promise.all([TestTarget.start("kept"), TestTarget.start("dropped")]);
    try {
      const { name } = await deploy({ health, targets: [{ url: kept.url }, { url: dropped.url }] });
      await until(() => dropped.checks > 1);
      await gateway.deploy(name, artifactWith({ health, targets: [{ url: kept.url }] }));
      const [before, checks] = [kept.checks, dropped.checks];
      await until(() => kept.checks > before + 5);
      expect(dropped.checks).toBeLessThanOrEqual(checks + 1);
    } finally {
      await Promise.all([kept.stop(), dropped.stop()]);
    }
  });

  test("a name that resolves to a blocked address is unhealthy", async () => {
    addresses.set("meta.test", ["169.254.169.254"]);
    const { name, responders } = await deploy({ health, targets: [{ url: "http://meta.test" }, ...urls("b")] });
    await until(() => targetsOf(name)[0]!.state === "unhealthy");
    expect(await responders(3)).toEqual(["b", "b", "b"]);
  });

  test("if all targets are down, one is tried, then 503", async () => {
    for (const target of targets) target.health = 500;
    const { name, send, responders } = await deploy({ health, retries });
    await until(() => targetsOf(name).every(({ state }) => state === "unhealthy"));
    // The checks themselves may be wrong.
    expect(await responders(3)).toEqual(["a", "b", "c"]);
    for (const target of targets) target.treatment = "reset";
    for (const target of targets) target.requests.length = 0;
    const response = await send();
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(await response.json()).toMatchObject({ code: "all_targets_down" });
    expect(targets.filter((target) => target.requests.length > 0).length).toBe(1);
  });
});

describe("ejection", () => {
  test("ends after a time: a request tries the target again", async () => {
    const { name, responders } = await deploy({ ejection, targets: urls("a", "b") });
    targets[0]!.treatment = 503;
    await responders(6);
    targets[0]!.requests.length = 0;
    expect(targetsOf(name)[0]!.state).toBe("ejected");
    // Still failing: ejected again with the first error.
    await until(async () => (await responders(1)).includes("503") || targets[0]!.requests.length > 0);
    expect(targetsOf(name)[0]!.state).toBe("ejected");
    targets[0]!.treatment = 200;
    await until(async () => (await responders(1))[0] === "a");
    expect(targetsOf(name)[0]!.state).toBe("up");
  });

  test("a client that disconnects from the trial leaves it to the next request", async () => {
    const { name, send, responders } = await deploy({ ejection, targets: urls("a", "b") });
    const [a] = targets;
    a!.treatment = 503;
    await responders(6);
    expect(targetsOf(name)[0]!.state).toBe("ejected");
    a!.treatment = "hang";
    a!.requests.length = 0;
    const controller = new AbortController();
    const untilTrial = async () => {
      while (a!.requests.length === 0) await (await send("/1", { signal: controller.signal })).text();
    };
    const trial = untilTrial().catch(() => "aborted");
    await until(() => a!.requests.length > 0);
    controller.abort();
    expect(await trial).toBe("aborted");
    a!.treatment = 200;
    await until(async () => (await responders(1))[0] === "a");
  });

  test("leaves the share of targets that maxShare allows", async () => {
    const { name, responders } = await deploy({ ejection: { ...longEjection, maxShare: 0.67 } });
    for (const target of targets) target.treatment = 503;
    await responders(12);
    const states = targetsOf(name).map(({ state }) => state);
    expect(states.filter((state) => state === "ejected").length).toBe(2);
  });

  test("is kept by a new version", async () => {
    const { name, responders } = await deploy({ ejection: longEjection, targets: urls("a", "b") });
    targets[0]!.treatment = "reset";
    await responders(6);
    targets[0]!.treatment = 200;
    await gateway.deploy(name, artifactWith({ ejection: longEjection, targets: urls("a", "b", "c") }));
    expect(new Set(await responders(6))).toEqual(new Set(["b", "c"]));
  });
});

describe("retries", () => {
  test.each(["reset", 502, 503, 504] as const)("after %p another target gets the request", async (treatment) => {
    const { responders } = await deploy({ retries, targets: urls("a", "b") });
    targets[0]!.treatment = treatment;
    expect(await responders(4)).toEqual(["b", "b", "b", "b"]);
    expect(gateway.requests.at(-1)!.target).toMatchObject({ url: `${targets[1]!.url}/1` });
  });

  test("a cause that is not listed is not retried", async () => {
    const { responders } = await deploy({ retries: { ...retries, on: ["502"] }, targets: urls("a", "b") });
    targets[0]!.treatment = 503;
    expect((await responders(2)).sort()).toEqual(["a", "b"]);
    expect(targets[0]!.requests.length).toBe(1);
  });

  test("a try that exceeds perTrySeconds counts as 504", async () => {
    const { responders } = await deploy({ retries: { ...retries, perTrySeconds: 0.05 }, targets: urls("a", "b") });
    targets[0]!.treatment = "hang";
    expect(await responders(2)).toEqual(["b", "b"]);
    targets[1]!.treatment = "hang";
    expect(await responders(1)).toEqual(["504"]);
  });

  test("timeoutSeconds bounds all tries together", async () => {
    for (const target of targets) target.treatment = "hang";
    const { send } = await deploy({ retries: { ...retries, attempts: 10, perTrySeconds: 0.15 } }, 0.3);
    expect((await send()).status).toBe(504);
    const tries = targets.flatMap((target) => target.requests).length;
    expect(tries).toBeGreaterThan(1);
    expect(tries).toBeLessThan(4);
  });

  test.each(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"])("%s is retried", async (method) => {
    targets[0]!.treatment = 503;
    const { send } = await deploy({ retries, targets: urls("a", "b") });
    for (let at = 0; at < 2; at += 1) expect((await send("/1", { method })).headers.get("x-target")).toBe("b");
  });

  test.each(["POST", "PATCH", "QUERY"])("%s is not retried by default", async (method) => {
    targets[0]!.treatment = 503;
    const { send } = await deploy({ retries, targets: urls("a", "b") });
    const statuses = [await send("/1", { method }), await send("/1", { method })].map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 503]);
  });

  test("POST is retried only if methods lists it, with its body", async () => {
    targets[0]!.treatment = "reset";
    const without = await deploy({ retries, targets: urls("a", "b") });
    const post = { method: "POST", body: "once" };
    expect((await without.responders(2, post)).sort()).toEqual(["502", "b"]);
    const listed = await deploy({ retries: { ...retries, methods: ["POST"] }, targets: urls("a", "b") });
    expect(await listed.responders(2, post)).toEqual(["b", "b"]);
  });

  test("a failure before anything was sent moves to another target, whatever the method and without retries", async () => {
    await targets[0]!.kill();
    const { responders } = await deploy({ targets: urls("a", "b") });
    const large = {
      method: "POST",
      body: new Blob(["x".repeat(300_000)]).stream(),
      duplex: "half",
    } as BunFetchRequestInit;
    const small = await responders(3, { method: "POST", body: "x" });
    const streamed = await responders(1, large);
    await targets[0]!.revive();
    expect([...small, ...streamed]).toEqual(["b", "b", "b", "b"]);
    const tries = gateway.requests.slice(-4).map(({ target }) => target!);
    expect(new Set(tries.map(({ url }) => url))).toEqual(new Set([`${targets[1]!.url}/1`]));
    expect(tries.map(({ attempts }) => attempts).sort()).toEqual([1, 1, 2, 2]);
  });

  test("a body that is larger than 64 KiB is never sent twice", async () => {
    const raw = await RawUpstream.start(({ socket }) => socket.destroy());
    try {
      const { send } = await deploy({ retries, targets: [{ url: raw.url }, ...urls("b")] });
      const put = (size: number) => send("/1", { method: "PUT", body: "x".repeat(size) });
      expect((await put(65_537)).status).toBe(502);
      expect(targets[1]!.requests).toEqual([]);
      // First the other target's turn, then a body within the limit.
      await put(1);
      expect((await put(65_536)).status).toBe(200);
      expect(raw.requests.length).toBe(2);

      targets[1]!.requests.length = 0;
      const read = artifactWith({ retries, targets: [{ url: raw.url }, ...urls("b")] });
      read.policies = { reads: { type: "reads", options: {} } };
      for (const route of read.routes) route.policies = ["reads"];
      await gateway.deploy("read", read);
      const putRead = (size: number) => gateway.fetch("read", "/1", { method: "PUT", body: "x".repeat(size) });
      expect((await putRead(65_537)).status).toBe(502);
      expect(targets[1]!.requests).toEqual([]);
      await putRead(1);
      expect((await putRead(65_536)).status).toBe(200);
      expect(raw.requests.length).toBe(4);
    } finally {
      await raw.stop();
    }
  });

  test("are bounded: ten for forty requests", async () => {
    for (const target of targets) target.treatment = 503;
    const { responders } = await deploy({ retries });
    await responders(40);
    expect(targets.flatMap((target) => target.requests).length).toBe(50);
  });

  test("a single target is retried", async () => {
    let count = 0;
    const raw = await RawUpstream.start(({ socket }) => {
      count += 1;
      socket.end(
        count === 1
          ? "HTTP/1.1 503 No\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
          : "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
      );
    });
    try {
      const { send } = await deploy({ retries, targets: [{ url: raw.url }] });
      expect(await (await send()).text()).toBe("ok");
      expect(count).toBe(2);
    } finally {
      await raw.stop();
    }
  });

  test("policies see one request", async () => {
    let entered = 0;
    let left = 0;
    const counting = new TestGateway({
      policies: {
        count: () => ({
          enter: () => {
            entered += 1;
            return undefined;
          },
          leave: (_, response) => {
            left += 1;
            return response;
          },
        }),
      },
    });
    try {
      const artifact = artifactWith({ retries, targets: urls("a", "b") });
      artifact.policies = { count: { type: "count", options: {} } };
      for (const route of artifact.routes) route.policies = ["count"];
      await counting.deploy("shop", artifact);
      targets[0]!.treatment = 503;
      expect(await (await counting.fetch("shop", "/1")).text()).toBe("b");
      expect([entered, left, counting.requests.length]).toEqual([1, 1, 1]);
      expect(counting.requests[0]!.target).toMatchObject({ attempts: 2 });
    } finally {
      await counting.stop();
    }
  });
});

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

  test("of two upstreams at one address with different client certificates are not shared", async () => {
    const server = makeCertificate(["api.test", "127.0.0.1"]);
    const [one, two] = [makeCertificate(["one"]), makeCertificate(["two"])];
    const secure = new MutualTlsServer(server, `${one.certificate}${two.certificate}`);
    await secure.listen();
    try {
      const tlsOf = ({ certificate: cert, key }: typeof one) => ({ ca: server.certificate, cert, key });
      const target = (index: number) => ({ upstream: secure.url, balanced: index });
      const upstream = { targets: [{ url: secure.url, weight: 1 }], balance: "round-robin" as const };
      await gateway.deploy(
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
        expect((await gateway.fetch("mutual", path)).status).toBe(200);
      expect(secure.clients).toEqual(["one", "two"]);
      expect((await gateway.fetch("mutual", "/none")).status).toBe(502);
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
      gateway.deploy(name, artifactOf([{ path: "/x", target: { upstream: targets[0]!.url } }]));
    await plain("first");
    await plain("second");
    const before = targets[0]!.connections;
    for (const name of ["first", "second", "first", "second"]) await (await gateway.fetch(name, "/x")).text();
    expect(targets[0]!.connections - before).toBe(2);
  });
});
