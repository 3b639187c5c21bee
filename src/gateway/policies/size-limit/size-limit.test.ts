import { afterAll, beforeAll, expect, test } from "bun:test";
import { artifactOf, TestGateway } from "../../../../test/support/gateway.ts";
import { until } from "../../../../test/support/until.ts";
import { RawUpstream } from "../../../../test/support/upstream.ts";
import { SizeLimitPolicy } from "./size-limit.ts";

let gateway: TestGateway;
let upstream: RawUpstream;

const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`;
const head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

/** Responses whose chunks arrive in the same packet as their head. */
const responses: Record<string, string> = {
  "/complete": `${head}${chunk(40)}${chunk(61)}0\r\n\r\n`,
  "/incomplete": `${head}${chunk(101)}`,
  "/within": `${head}${chunk(40)}${chunk(60)}0\r\n\r\n`,
};

beforeAll(async () => {
  upstream = await RawUpstream.start(({ path, socket }) => socket.write(responses[path]!));
  gateway = new TestGateway({
    policies: { "size-limit": (options) => new SizeLimitPolicy(options as { responseBytes: number }) },
  });
  const target = { upstream: upstream.url };
  await gateway.deploy(
    "shop",
    artifactOf(
      Object.keys(responses).map((path) => ({ path, target, policies: ["small"] })),
      { policies: { small: { type: "size-limit", options: { responseBytes: 100 } } } },
    ),
  );
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

test.each(["/complete", "/incomplete"])(
  "%s: a chunked response that arrives with its head is rejected",
  async (path) => {
    gateway.requests.length = 0;
    const response = await gateway.fetch("shop", path);
    expect([response.status, await response.json()]).toEqual([
      502,
      expect.objectContaining({ code: "response_too_large", detail: "The response is larger than 100 bytes." }),
    ]);
    await until(() => gateway.requests.length === 1);
    expect(gateway.requests[0]!.decisions[0]!.detail).toEqual({ reason: "response_too_large", limit: 100 });
  },
);

test("a chunked response of exactly the limit passes", async () => {
  const response = await gateway.fetch("shop", "/within");
  expect([response.status, await response.text()]).toEqual([200, "x".repeat(100)]);
});
