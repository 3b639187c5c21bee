import { describe, expect, test } from "bun:test";
import type { ClientResponse } from "./support/client.ts";
import { eachEngine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { useServer } from "./support/server.ts";
import { adminToken } from "./support/server-settings.ts";
import { until } from "./support/until.ts";

const buckets = "/v1/accounts/default/key-buckets";
const consumers = `${buckets}/main/consumers`;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;

  describe("a problem", () => {
    const problems: [status: number, title: string, code: string, () => Promise<ClientResponse>][] = [
      [400, "Bad Request", "validation_failed", () => client.get(`${buckets}?limit=0`)],
      [400, "Bad Request", "invalid_json", () => client.raw("POST", buckets, "{")],
      [401, "Unauthorized", "unauthenticated", () => client.anonymous().get(buckets)],
      [403, "Forbidden", "forbidden", () => client.get("/v1/accounts")],
      [404, "Not Found", "not_found", () => client.get(`${buckets}/missing?x=y`)],
      [404, "Not Found", "route_not_found", () => client.get("/v1/nowhere")],
      [405, "Method Not Allowed", "method_not_allowed", () => client.raw("PUT", buckets)],
      [413, "Content Too Large", "body_too_large", () => client.raw("POST", buckets, " ".repeat(2 ** 20 + 1))],
    ];
    test.each(problems)("%i %s, %s, has exactly the specified members", async (status, title, code, cause) => {
      const response = await cause();
      expectProblem(response, status, code);
      expect(response.body).toEqual({
        type: `https://httpproblems.com/http-status/${status}`,
        title,
        status,
        detail: expect.any(String),
        instance: response.path,
        code,
        ...(code === "validation_failed" ? { errors: [{ pointer: "?limit", detail: expect.any(String) }] } : {}),
        trace: { requestId: expect.any(String), timestamp: clock.iso() },
      });
    });

    test("does not echo a key that was pasted into the path", async () => {
      const key = "tg_0123456789abcdef0123456789abcdef_d2bc2a5c";
      const path = `${consumers}/${key}`;
      const responses = [
        await client.get(path),
        await client.post(`${path}/keys`, {}, { "idempotency-key": "pasted" }),
        await client.get(`/v1/${key}`),
      ];
      for (const { status, text } of responses) {
        expect(status).toBe(404);
        expect(text).not.toContain(key);
      }
    });
  });

  describe("methods", () => {
    const allowed: [path: string, allowed: string[]][] = [
      [buckets, ["GET", "HEAD", "POST"]],
      [`${buckets}/main`, ["DELETE", "GET", "HEAD", "PATCH"]],
      [`${buckets}/main/verify-key`, ["POST"]],
      [`${consumers}/acme/roll-key`, ["POST"]],
      ["/v1/who-am-i", ["GET", "HEAD"]],
      ["/v1/who-am-i/", ["GET", "HEAD"]],
      ["/openapi.json", ["GET", "HEAD"]],
      ["/healthz", ["GET", "HEAD"]],
    ];
    test.each(allowed)("at %s: the others are rejected, and Allow names these", async (path, methods) => {
      for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"].filter((m) => !methods.includes(m))) {
        const response = await fetch(server.url + path, { method });
        expect([method, response.status]).toEqual([method, 405]);
        expect(await response.json()).toMatchObject({ status: 405, code: "method_not_allowed" });
        expect(response.headers.get("allow")?.split(", ").sort()).toEqual(methods);
      }
    });

    const heads = [buckets, `${buckets}?limit=1`, `${buckets}/main`, `${buckets}/missing`, "/v1/nowhere", "/healthz"];
    test.each(heads)("HEAD %s is GET without its body", async (path) => {
      await client.post(buckets, { name: "main" });
      await client.post(buckets, { name: "second" });
      const headers = { authorization: `Bearer ${adminToken}`, "x-request-id": "the-same" };
      const get = await fetch(server.url + path, { headers });
      const head = await fetch(server.url + path, { method: "HEAD", headers });
      expect(head.status).toBe(get.status);
      expect(await head.text()).toBe("");
      const names = ["content-type", "content-length", "etag", "link", "x-request-id"];
      const headersOf = (response: Response) => names.map((name) => [name, response.headers.get(name)]);
      expect(headersOf(head)).toEqual(headersOf(get));
    });
  });

  describe("paths", () => {
    test("a slash at the end changes nothing", async () => {
      const path = `${buckets}/slashed`;
      expect((await client.post(`${buckets}/`, { name: "slashed" })).status).toBe(200);
      expect((await client.get(`${path}/`)).body).toEqual((await client.get(path)).body);
      expect((await client.get(`${buckets}/?limit=1`)).body).toEqual((await client.get(`${buckets}?limit=1`)).body);
      expect((await client.patch(`${path}/`, { description: "x" })).body).toMatchObject({ description: "x" });
      expect((await client.delete(`${path}/?force=true`)).status).toBe(204);
      expectProblem(await client.get(path), 404, "not_found");
      expect((await fetch(`${server.url}/healthz/`)).status).toBe(200);
    });

    const unknown = [
      "/v1",
      "/v1/nowhere",
      "/v2/accounts",
      "/V1/who-am-i",
      `${buckets}/main/nothing`,
      "/v1//who-am-i",
      "/v1/who-am-i//",
      "/v1/accounts//",
    ];
    test.each([...unknown, "/nowhere", "/v1/accounts/default/projects"])("%s does not exist", async (path) => {
      for (const caller of [client, client.anonymous()]) expectProblem(await caller.get(path), 404, "route_not_found");
    });

    const strange = ["%00", "a%00b", "%zz", "%ff", "a%2Fb", "..%2f..", "toString", "%27--"];
    test.each(strange)("%s is an invalid name and is never created", async (name) => {
      const before = await client.get(buckets);
      for (const path of [`${buckets}/${name}`, `${consumers}/${name}`, `${buckets}/${name}/consumers/acme`]) {
        expectProblem(await client.get(path), 404, "not_found");
        expectProblem(await client.patch(path, { description: "x" }), 404, "not_found");
        expectProblem(await client.delete(path), 404, "not_found");
      }
      expect([400, 404]).toContain((await client.post(`${buckets}/${name}/consumers`, { name: "acme" })).status);
      expect((await client.get(buckets)).body).toEqual(before.body);
    });

    test("an HTTP/1.0 request without a host is routed", async () => {
      expect(await rawRequest("GET /healthz HTTP/1.0\r\n\r\n")).toStartWith("HTTP/1.1 200 ");
      const rejected = await rawRequest("GET /v1/who-am-i HTTP/1.0\r\n\r\n");
      expect(rejected).toStartWith("HTTP/1.1 401 ");
      expect(rejected).toContain('"instance":"/v1/who-am-i"');
    });
  });

  describe("queries", () => {
    const rejected: [query: string, pointer: string][] = [
      ["limit=1&limit=1", "?limit"],
      ["unknown=1&unknown=2", "?unknown"],
      ["__proto__=1&__proto__=2", "?__proto__"],
      ["limit=%00", "?limit"],
      ["a%00b=1", "?a\0b"],
      ["tag.a=%00", "?tag.a"],
    ];
    test.each(rejected)("?%s is rejected", async (query, pointer) => {
      expectProblem(await client.get(`${consumers}?${query}`), 400, "validation_failed", { pointer });
    });

    test.each(["__proto__=1", "constructor=1", "toString", "&&&", "=", "%zz=%ff", "tag.__proto__=1"])(
      "?%s does no harm",
      async (query) => {
        expect((await client.get(`${consumers}?${query}`)).status).toBe(200);
      },
    );

    test("a repeated parameter is rejected and nothing happens", async () => {
      await client.post(buckets, { name: "twice" });
      const response = await client.delete(`${buckets}/twice?force=false&force=true`);
      expectProblem(response, 400, "validation_failed", { pointer: "?force" });
      expect((await client.get(`${buckets}/twice`)).status).toBe(200);
    });
  });

  describe("x-request-id", () => {
    const sane = ["abc", "7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e", "a/b:c+d=e.f_g-h", "x".repeat(128)];
    test.each(sane)("is accepted: %s", async (id) => {
      const responses = [
        await client.get("/v1/who-am-i", { "x-request-id": id }),
        await client.get(`${buckets}/missing`, { "x-request-id": id }),
      ];
      for (const { headers } of responses) expect(headers.get("x-request-id")).toBe(id);
      expect(responses[1]!.body.trace.requestId).toBe(id);
    });

    const insane = ["", "x".repeat(129), "two words", 'a"b', "<script>", "a,b", "h\u00e9", "$a{b}"];
    test.each(insane)("is replaced: %s", async (id) => {
      const response = await client.get(`${buckets}/missing`, { "x-request-id": id });
      const made = response.headers.get("x-request-id");
      expect(made).toMatch(/^[\w-]{16,}$/);
      expect(made).not.toBe(id);
      expect(response.body.trace.requestId).toBe(made);
    });

    test("is generated for each request, and logged", async () => {
      const made = await Promise.all(
        Array.from({ length: 10 }, async () => (await client.get("/v1/who-am-i")).headers.get("x-request-id")!),
      );
      expect(new Set(made).size).toBe(10);
      for (const id of made) await until(() => server.log.includes(`"${id}"`));
    });
  });

  /** Sends the text unchanged, and returns the response until the server closes. */
  function rawRequest(text: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    let received = "";
    Bun.connect({
      hostname: "127.0.0.1",
      port: Number(new URL(server.url).port),
      socket: {
        open: (socket) => void socket.write(text),
        data: (_socket, chunk) => {
          received += chunk.toString();
        },
        close: () => resolve(received),
        error: (_socket, error) => reject(error),
      },
    }).catch(reject);
    return promise;
  }
});
