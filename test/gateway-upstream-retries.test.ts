import { describe, expect, test } from "bun:test";
import { TestGateway } from "./support/gateway.ts";
import { RawUpstream } from "./support/upstream.ts";
import { retries, useUpstreams } from "./support/use-upstreams.ts";

const bench = useUpstreams();
const { artifactWith, deploy, targets, urls } = bench;

describe("retries", () => {
  test.each(["reset", 502, 503, 504] as const)("after %p another target gets the request", async (treatment) => {
    const { responders } = await deploy({ retries, targets: urls("a", "b") });
    targets[0]!.treatment = treatment;
    expect(await responders(4)).toEqual(["b", "b", "b", "b"]);
    expect(bench.gateway.requests.at(-1)!.target).toMatchObject({ url: `${targets[1]!.url}/1` });
  });

  test("a cause that is not listed is not retried", async () => {
    const { responders } = await deploy({ retries: { ...retries, on: ["502"] }, targets: urls("a", "b") });
    targets[0]!.treatment = 503;
    expect((await responders(2)).sort()).toEqual(["a", "b"]);
    expect(targets[0]!.requests.length).toBe(1);
  });

  test("a try that exceeds perTrySeconds counts as 504", async () => {
    const { responders } = await deploy({ retries: { ...retries, perTrySeconds: 1 }, targets: urls("a", "b") });
    targets[0]!.treatment = "hang";
    expect(await responders(2)).toEqual(["b", "b"]);
    targets[1]!.treatment = "hang";
    expect(await responders(1)).toEqual(["504"]);
  });

  test("timeoutSeconds bounds all tries together", async () => {
    for (const target of targets) target.treatment = "hang";
    const { send } = await deploy({ retries: { ...retries, attempts: 10, perTrySeconds: 1 } }, 2.5);
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
    const tries = bench.gateway.requests.slice(-4).map(({ target }) => target!);
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
      await bench.gateway.deploy("read", read);
      const putRead = (size: number) => bench.gateway.fetch("read", "/1", { method: "PUT", body: "x".repeat(size) });
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
