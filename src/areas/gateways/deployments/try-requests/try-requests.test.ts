import { beforeAll, describe, expect, test } from "bun:test";
import { callerWithRole, strangerOf } from "../../../../../test/support/callers.ts";
import type { ClientResponse } from "../../../../../test/support/client.ts";
import { casesFor, eachEngine } from "../../../../../test/support/engines.ts";
import { expectProblem } from "../../../../../test/support/expect-problem.ts";
import { deploy, openApi } from "../../../../../test/support/project.ts";
import { useRecordingUpstream } from "../../../../../test/support/recording-upstream.ts";
import { useServer } from "../../../../../test/support/server.ts";
import { account } from "../../../../../test/support/server-settings.ts";
import { until } from "../../../../../test/support/until.ts";

const hostile = "<script>document.title = 'taken'</script>";
const { received, url: upstream } = useRecordingUpstream((path) => {
  if (path === "/open/hostile") {
    const headers = new Headers({ "content-type": "text/html", "content-security-policy": "default-src *" });
    headers.append("set-cookie", "tollgate_session=stolen");
    headers.append("set-cookie", "other=1");
    return new Response(hostile, { headers });
  }
  if (path === "/open/elsewhere")
    return new Response(null, { status: 302, headers: { location: "http://169.254.169.254/" } });
  if (path === "/open/bytes") return new Response(new Uint8Array([0xff, 0xfe, 0, 1]));
  if (path === "/open/large") return new Response("x".repeat(1024 * 1024 + 1));
  if (path === "/open/endless")
    return new Response(new ReadableStream({ pull: (controller) => controller.enqueue("y".repeat(64 * 1024)) }));
  return Response.json({ ok: true });
});

const files = {
  "openapi.json": openApi({
    "x-tollgate-any /open/{path+}": { "x-tollgate": { upstream } },
    "/guarded": { "x-tollgate": { upstream, policies: ["key", "limit"] } },
    "/basic": { "x-tollgate": { upstream, policies: ["basic"] } },
  }),
  "tollgate.json": {
    policies: {
      key: { type: "api-key", options: { bucket: "main" } },
      basic: { type: "basic-auth", options: { bucket: "main" } },
      limit: { type: "rate-limit", options: { by: "consumer", requests: 2, windowSeconds: 60 } },
    },
  },
};

eachEngine((engine) => {
  const server = useServer(engine, { environment: { TOLLGATE_EGRESS: "any" } });
  const { client } = server;
  let name: string;
  let key: { bucketName: string; consumerName: string; keyId: string };
  let value: string;
  const path = () => `/v1/deployments/${name}/$try`;
  const send = async (input: object): Promise<ClientResponse["body"]> => {
    const { status, body, text } = await client.post(path(), input);
    expect({ status, text }).toEqual({ status: 200, text });
    return body;
  };
  const keyIn = async (bucketName: string, consumerName: string, fields: object = {}) => {
    const consumers = `/v1/accounts/${account}/key-buckets/${bucketName}/consumers`;
    await client.post(consumers, { name: consumerName });
    const { body } = await client.post(`${consumers}/${consumerName}/keys`, fields);
    return { key: { bucketName, consumerName, keyId: body.id as string }, value: body.key as string };
  };

  const recordOf = (requestId: string) =>
    until(async () => (await client.get(`/v1/accounts/${account}/requests?requestId=${requestId}`)).body.data[0], {
      what: "the record",
    });

  beforeAll(async () => {
    // Its keys cannot be retrieved: the request must not need the value.
    await client.post(`/v1/accounts/${account}/key-buckets`, { name: "main", isRetrievable: false });
    ({ key, value } = await keyIn("main", "acme"));
    name = (await deploy(server, { project: "shop", branch: "main" }, files)).name;
  });

  test("a request reaches the upstream with its method, query, headers and body, and has a record", async () => {
    const response = await send({
      method: "POST",
      path: "/open/a%20b/../orders?x=1&y=%26#fragment",
      headers: { "X-Own": "yes", "content-type": "application/json" },
      body: '{"text":"é"}',
    });
    expect(response).toMatchObject({ status: 200, body: '{"ok":true}', bodyEncoding: "utf-8", isTruncated: false });
    expect(response.headers).toContainEqual({ name: "content-type", value: "application/json;charset=utf-8" });
    expect(response.durationMs).toBeGreaterThan(0);
    const { method, target, headers, body } = received.at(-1)!;
    expect({ method, target, body }).toEqual({
      method: "POST",
      target: "/open/orders?x=1&y=%26",
      body: '{"text":"é"}',
    });
    expect(headers.get("x-own")).toBe("yes");
    expect(headers.get("x-forwarded-host")).toStartWith(name);
    const record = await recordOf(response.requestId);
    expect(record).toMatchObject({ method: "POST", path: "/open/orders", status: 200 });
  });

  test("hostile responses are data", async () => {
    const response = await client.post(path(), { method: "GET", path: "/open/hostile" });
    expect(response.headers.get("content-type")).toStartWith("application/json");
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(response.headers.get("content-security-policy")).not.toBe("default-src *");
    expect(response.body).toMatchObject({ status: 200, body: hostile });
    expect(response.text).not.toContain("stolen");
    const redirect = await send({ method: "GET", path: "/open/elsewhere" });
    expect(redirect).toMatchObject({ status: 302, body: "" });
    expect(redirect.headers).toContainEqual({ name: "location", value: "http://169.254.169.254/" });
    expect(await send({ method: "GET", path: "/open/bytes" })).toMatchObject({
      body: "//4AAQ==",
      bodyEncoding: "base64",
    });
    for (const large of ["/open/large", "/open/endless"]) {
      const { body, isTruncated } = await send({ method: "GET", path: large });
      expect([body.length, isTruncated]).toEqual([1024 * 1024, true]);
    }
    expect(await send({ method: "HEAD", path: "/open/large" })).toMatchObject({
      status: 200,
      body: "",
      isTruncated: false,
    });
  });

  test("a key is used without its value, limited like any request, and recorded in the audit log", async () => {
    expect(await send({ method: "GET", path: "/guarded" })).toMatchObject({ status: 401 });
    const headers = { authorization: `Bearer ${value}` };
    expect(await send({ method: "GET", path: "/guarded", headers })).toMatchObject({ status: 200 });
    expect(await send({ method: "GET", path: "/guarded", key })).toMatchObject({ status: 200 });
    expect(received.at(-1)!.headers.get("x-consumer-name")).toBe("acme");
    expect(await send({ method: "GET", path: "/guarded", key })).toMatchObject({ status: 429 });
    expect(await send({ method: "GET", path: "/basic", key })).toMatchObject({ status: 200 });
    const { body } = await client.get(`/v1/accounts/${account}/audit-log?action=key.tried`);
    expect(body.total ?? body.data.length).toBe(3);
    expect(body.data[0]).toMatchObject({
      action: "key.tried",
      resource: { type: "key", id: key.keyId, parent: { name: "acme" } },
    });
  });

  test("a key of another bucket, a disabled or expired one, is rejected as its value would be", async () => {
    const other = await keyIn("other", "acme");
    const disabled = await keyIn("main", "disabled", { isEnabled: false });
    const expired = await keyIn("main", "expired", { expiresOn: server.clock.iso(-1000) });
    for (const [used, code] of [
      [other, "key_invalid"],
      [disabled, "key_disabled"],
      [expired, "key_expired"],
    ] as const) {
      const { status, body, requestId } = await send({ method: "GET", path: "/guarded", key: used.key });
      expect([status, JSON.parse(body).code]).toEqual([401, code]);
      const { id } = await recordOf(requestId);
      const { body: record } = await client.get(`/v1/accounts/${account}/requests/${id}`);
      expect(record.decisions[0]).toMatchObject({ outcome: "rejected", detail: { maskedKey: used.key.keyId } });
    }
  });

  describe("rejected, and nothing is sent:", () => {
    const valid = { method: "GET", path: "/open/x" };
    test.each(
      casesFor(engine, [
        ["no method", { method: undefined }, "/method"],
        ["another method", { method: "TRACE" }, "/method"],
        ["a URL", { path: "http://169.254.169.254/" }, "/path"],
        ["a blank", { path: "/a b" }, "/path"],
        ["a line break", { path: "/a\r\nx: y" }, "/path"],
        ["a body of GET", { body: "x" }, "/body"],
        ["a host", { headers: { Host: "other.example" } }, "/headers/Host"],
        ["framing", { headers: { "Transfer-Encoding": "chunked" } }, "/headers/Transfer-Encoding"],
        ["an upgrade", { headers: { upgrade: "websocket" } }, "/headers/upgrade"],
        ["a header with a line break", { headers: { a: "b\r\nc: d" } }, "/headers/a"],
        ["an unknown field", { deployment: "x" }, "/deployment"],
        ["an unknown key", { key: { bucketName: "main", consumerName: "acme", keyId: "key_none" } }, "/key"],
        ["a key of no bucket", { key: { bucketName: "none", consumerName: "acme", keyId: "key_none" } }, "/key"],
      ]),
    )("%s", async (_, input, pointer) => {
      const before = received.length;
      expectProblem(await client.post(path(), { ...valid, ...input }), 400, "validation_failed", { pointer });
      expect(received.length).toBe(before);
    });

    test("a header, with the reason", async () => {
      const { body } = await client.post(path(), { ...valid, headers: { Host: "other.example", "a b": "c" } });
      expect(body.errors).toEqual([
        { pointer: "/headers/Host", detail: "is set by the server" },
        { pointer: "/headers/a b", detail: "must be the name of a header" },
      ]);
    });

    test("callers without permission, other accounts, other deployments", async () => {
      const before = received.length;
      expectProblem(await client.anonymous().post(path(), valid), 401, "unauthenticated");
      for (const role of ["reader", "verifier"] as const)
        expectProblem(await (await callerWithRole(client, role)).post(path(), valid), 403, "forbidden");
      const strangers = `try-${engine.name}`;
      const stranger = await strangerOf(client, strangers);
      expectProblem(await stranger.post(path(), valid), 404, "not_found");
      expectProblem(await client.post("/v1/deployments/none/$try", valid), 404, "not_found");
      expect(received.length).toBe(before);
    });
  });
});
