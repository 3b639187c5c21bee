import { describe, expect, test } from "bun:test";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { TestTarget } from "./support/target.ts";
import { until } from "./support/until.ts";
import { ejection, health, longEjection, retries, useUpstreams } from "./support/use-upstreams.ts";

const bench = useUpstreams();
const { addresses, artifactWith, deploy, targets, targetsOf, urls } = bench;

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
    await bench.gateway.deploy("by-consumer", artifact("consumer"));
    await bench.gateway.deploy("by-ip", artifact("ip"));
    const targetOf = (name: string, consumer: number | undefined, client: number) =>
      new Promise<string>((resolve, reject) => {
        const headers = {
          host: `${name}.localhost`,
          ...(consumer !== undefined && { "x-consumer": `customer-${consumer}` }),
        };
        const options = { port: bench.gateway.port, path: "/1", localAddress: `127.0.1.${client}`, headers };
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
    await bench.gateway.deploy(
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
      await bench.gateway.deploy(name, artifactWith({ health, targets: [{ url: kept.url }] }));
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

  test("one of two targets is ejected whatever maxShare is, and a single target never", async () => {
    const options = { ejection: { ...longEjection, maxShare: 0.1 } };
    const pair = await deploy({ ...options, targets: urls("a", "b") });
    for (const target of targets) target.treatment = 503;
    await pair.responders(8);
    expect(
      targetsOf(pair.name)
        .map(({ state }) => state)
        .sort(),
    ).toEqual(["ejected", "up"]);
    const single = await deploy({ ...options, targets: urls("a") });
    await single.responders(4);
    expect(targetsOf(single.name).map(({ state }) => state)).toEqual(["up"]);
  });

  test("is kept by a new version", async () => {
    const { name, responders } = await deploy({ ejection: longEjection, targets: urls("a", "b") });
    targets[0]!.treatment = "reset";
    await responders(6);
    targets[0]!.treatment = 200;
    await bench.gateway.deploy(name, artifactWith({ ejection: longEjection, targets: urls("a", "b", "c") }));
    expect(new Set(await responders(6))).toEqual(new Set(["b", "c"]));
  });
});
