import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { RawUpstream, responseText } from "../../../../test/support/upstream.ts";
import { Egress } from "../../../platform/egress/egress.ts";
import { WebhookSender } from "./sender.ts";

const message = { id: "msg_1", timestampSeconds: 1_700_000_000, signature: "v1,signed", body: '{"name":"Zoë"}' };
const { signal } = new AbortController();

describe("an attempt", () => {
  let upstream: RawUpstream;
  const sender = new WebhookSender(new Egress("any"), 200);

  beforeAll(async () => {
    upstream = await RawUpstream.start(({ path, socket }) => {
      if (path === "/silent") return;
      if (path === "/endless") socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\nbeginning");
      else if (path === "/cut") socket.end();
      else if (path === "/nonsense") socket.end("nonsense\r\n\r\n");
      else if (path === "/large") socket.end(responseText("y".repeat(1_000_000)));
      else if (path === "/nul") socket.end(responseText("a\0b"));
      else socket.end(responseText("thanks"));
    });
  });
  afterAll(() => upstream.stop());

  const send = (path: string) => sender.send({ ...message, url: upstream.url + path }, signal);

  test("has the headers of Standard Webhooks and the body as UTF-8", async () => {
    expect(await send("/a?b=c")).toMatchObject({ status: 200, response: "thanks" });
    const { method, path, headers } = upstream.requests.at(-1)!;
    expect({ method, path, ...Object.fromEntries(headers) }).toMatchObject({
      method: "POST",
      path: "/a?b=c",
      "content-type": "application/json",
      "content-length": String(Buffer.byteLength(message.body)),
      "webhook-id": "msg_1",
      "webhook-timestamp": "1700000000",
      "webhook-signature": "v1,signed",
    });
  });

  test.each([
    ["/silent", { error: "no response within 0.2 s" }],
    ["/cut", { error: expect.stringMatching(/\S/) }],
    ["/nonsense", { error: expect.stringMatching(/\S/) }],
    ["/endless", { status: 200, response: "beginning" }],
    ["/large", { status: 200, response: "y".repeat(4096) }],
    ["/nul", { status: 200, response: "a\uFFFDb" }],
  ])("of an endpoint that responds as %s does is a result, never an exception", async (path, expected) => {
    expect(await send(path)).toMatchObject(expected);
  });

  test("leaves no connection behind", async () => {
    const before = upstream.closed;
    await send("/silent");
    await send("/kept");
    await Bun.sleep(50);
    expect(upstream.closed).toBeGreaterThanOrEqual(before + 2);
  });

  test("does not reach what the egress rules deny, also by a name", async () => {
    const strict = new WebhookSender(new Egress("public", { addresses: async () => ["127.0.0.1"] }), 200);
    const count = upstream.requests.length;
    const { port } = new URL(upstream.url);
    for (const url of [`http://rebound.example:${port}/`, upstream.url, "http://169.254.169.254/"])
      expect(await strict.send({ ...message, url }, signal)).toMatchObject({
        error: expect.stringContaining("TOLLGATE_EGRESS"),
      });
    expect(upstream.requests).toHaveLength(count);
  });
});
