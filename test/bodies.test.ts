import { beforeAll, describe, expect, test } from "bun:test";
import type { ClientResponse } from "./support/client.ts";
import { eachEngine } from "./support/engines.ts";
import { expectProblem } from "./support/expect-problem.ts";
import { useServer } from "./support/server.ts";
import { adminToken, operatorToken } from "./support/server-settings.ts";

const account = "/v1/accounts/default";
const buckets = `${account}/key-buckets`;
const bucket = `${buckets}/main`;
const consumer = `${bucket}/consumers/acme`;
const mebibyte = 2 ** 20;

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;
  const operator = client.as(operatorToken);
  let keyId: string;
  let inviteId: string;

  beforeAll(async () => {
    const created = await client.post(`${bucket}/consumers?with-api-key=true`, {
      name: "acme",
      managers: ["jo@acme.example"],
    });
    keyId = created.body.apiKeys[0].id;
    inviteId = created.body.managerInvites[0].id;
  });

  /** The state that the requests of this file could have changed. */
  async function state(): Promise<unknown> {
    const included = "include-api-keys=true&include-managers=true&include-manager-invites=true";
    const paths = ["/v1/accounts", buckets, `${account}/tokens`, `${bucket}/consumers?${included}`];
    const responses = await Promise.all(paths.map((path) => operator.get(path)));
    return responses.map(({ text }) => text.replace(/,"lastUsedOn":"[^"]*"/, ""));
  }

  async function expectUnchanged(request: () => Promise<ClientResponse>): Promise<ClientResponse> {
    const before = await state();
    const response = await request();
    expect(await state()).toEqual(before);
    return response;
  }

  describe("errors are described within bounds", () => {
    const many = (count: number, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));
    const plan = { label: "Much", planExternalId: "much", meters: many(1_001, { max: "1" }) };
    test.each<[what: string, body: object, errors: number, pointer: string]>([
      ["a name of 900 kB", { [`x${"y".repeat(900_000)}`]: 1 }, 1, `/x${"y".repeat(254)}…`],
      ["10,000 unknown fields", many(10_000, 1), 100, "/k0"],
      ["10,000 wrong tags", { tags: many(10_000, {}) }, 1, "/tags"],
    ])("%s", async (_, body, count, pointer) => {
      const response = await client.patch(consumer, body);
      expectProblem(response, 400, "validation_failed", { pointer });
      expect(response.body.errors).toHaveLength(count);
      expect(response.text.length).toBeLessThan(50_000);
    });

    test("more meters than a plan can have", async () => {
      const { body } = await client.post("/v1/metering");
      const response = await client.post(`/v1/metering/${body.id}/plans`, plan);
      expectProblem(response, 400, "validation_failed", { pointer: "/meters" });
      expect(response.body.errors).toHaveLength(1);
    });
  });

  describe("JSON", () => {
    const types = ["application/json", "text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded"];
    test.each([...types, "application/xml", "multipart/form-data", "nonsense", ""])("is read as %s", async (type) => {
      const description = `sent as ${type}`;
      const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
      const response = await client.raw("PATCH", bucket, JSON.stringify({ description }), headers);
      expect(response.body).toMatchObject({ description });
    });

    const malformed: [what: string, body: string | Uint8Array][] = [
      ["an open brace", "{"],
      ["the wrong brace", '{"name":"rejected"]'],
      ["single quotes", "{'name':'rejected'}"],
      ["a comma at the end", '{"name":"rejected",}'],
      ["something after the end", '{"name":"rejected"} {}'],
      ["a comment", '{"name":"rejected"} // really'],
      ["no JSON at all", "name=rejected"],
      ["NaN", "NaN"],
      ["a NUL", "\0"],
      ["a NUL in text", '{"name":"rejected","description":"a\0b"}'],
      ["five hundred open brackets", "[".repeat(500)],
      ["bytes that are not UTF-8", Buffer.from('{"name":"rejected","description":"\xff"}', "latin1")],
    ];
    test.each(malformed)("is not %s", async (_what, body) => {
      expectProblem(await expectUnchanged(() => client.raw("POST", buckets, body)), 400, "invalid_json");
    });

    test("is nested at most 512 levels deep, which is checked before it is parsed", async () => {
      const response = await expectUnchanged(() => client.raw("POST", buckets, "[".repeat(100_000)));
      expectProblem(response, 400, "validation_failed", { pointer: "" });
      expect(response.body.detail).toContain("nested deeper than 512");
    });

    test("JSON that is invalid is not echoed: it may contain a key", async () => {
      for (const key of ["tg_0123456789abcdef0123456789abcdef_d2bc2a5c", "'a-secret-of-sixteen-characters'"]) {
        const response = await client.raw("POST", `${consumer}/keys`, `{"key": ${key}}`);
        expectProblem(response, 400, "invalid_json");
        expect(response.text).not.toContain(key);
      }
    });

    const notObjects = ["null", "[]", '"text"', "5", "true", "", "  \n"];
    test.each(notObjects)("is an object, not %s", async (body) => {
      const response = await expectUnchanged(() => client.raw("POST", buckets, body));
      expectProblem(response, 400, "validation_failed", { pointer: "" });
    });
  });

  describe("fields", () => {
    const requests: [method: string, path: () => string, body: object][] = [
      ["POST", () => "/v1/accounts", { name: "rejected" }],
      ["POST", () => `${account}/tokens`, { role: "reader" }],
      ["POST", () => buckets, { name: "rejected" }],
      ["PATCH", () => bucket, { description: "rejected" }],
      ["POST", () => `${bucket}/consumers`, { name: "rejected" }],
      ["PATCH", () => consumer, { description: "rejected" }],
      ["POST", () => `${consumer}/roll-key`, { expiresOn: "2030-01-01T00:00:00Z" }],
      ["POST", () => `${consumer}/keys`, { description: "rejected" }],
      ["POST", () => `${consumer}/keys/$bulk`, { description: "rejected" }],
      ["PATCH", () => `${consumer}/keys/${keyId}`, { description: "rejected" }],
      ["POST", () => `${bucket}/verify-key`, { key: "a-key-of-sixteen-characters" }],
      ["POST", () => `${consumer}/managers`, { sub: "rejected" }],
      ["POST", () => `${consumer}/manager-invites`, { email: "rejected@acme.example" }],
      ["POST", () => `${consumer}/manager-invites/${inviteId}/accept`, { sub: "rejected" }],
    ];
    const unwelcome = ["surprise", "id", "createdOn", "updatedOn", "constructor", "toString", "__proto__"];
    for (const field of unwelcome) {
      test.each(requests)(`that are unknown are named: ${field} in %s %p`, async (method, path, body) => {
        const text = JSON.stringify(body).replace("{", `{"${field}":"x",`);
        const response = await expectUnchanged(() => operator.raw(method, path(), text));
        expectProblem(response, 400, "validation_failed", { pointer: `/${field}` });
      });
    }

    const hostile: [what: string, body: string, pointer: string][] = [
      ["__proto__ as a tag", '{"name":"rejected","tags":{"__proto__":"x"}}', "/tags/__proto__"],
      ["__proto__ in metadata", '{"name":"rejected","metadata":{"__proto__":{"polluted":1}}}', "/metadata/__proto__"],
      [
        "__proto__ deep in metadata",
        '{"name":"rejected","metadata":{"a":[{"__proto__":{"polluted":1}}]}}',
        "/metadata/a/0/__proto__",
      ],
      ["a number without end as a tag", '{"name":"rejected","tags":{"n":1e999}}', "/tags/n"],
      ["a number without end in metadata", '{"name":"rejected","metadata":{"n":-1e999}}', "/metadata/n"],
      ["a number as a name", `{"name":${"9".repeat(400)}}`, "/name"],
      ["a NUL in a description", '{"name":"rejected","description":"a\\u0000b"}', "/description"],
      ["half a character in a description", '{"name":"rejected","description":"\\ud800"}', "/description"],
      ["brackets for a name", `{"name":${"[".repeat(500)}${"]".repeat(500)}}`, "/name"],
      ["more brackets than a body may have", `{"name":${"[".repeat(100_000)}${"]".repeat(100_000)}}`, ""],
    ];
    test.each(hostile)("reject %s", async (_what, body, pointer) => {
      const response = await expectUnchanged(() => client.raw("POST", `${bucket}/consumers`, body));
      expectProblem(response, 400, "validation_failed", { pointer });
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    });

    test("reject metadata of a five hundred levels", async () => {
      const nested = `{"name":"rejected","metadata":${'{"a":'.repeat(500)}1${"}".repeat(500)}}`;
      const response = await expectUnchanged(() => client.raw("POST", `${bucket}/consumers`, nested));
      expectProblem(response, 400, "validation_failed");
      expect(response.body.errors[0].pointer).toStartWith("/metadata");
    });

    test("keep harmless text that resembles an attack", async () => {
      const metadata = {
        largest: Number.MAX_SAFE_INTEGER,
        huge: 1e308,
        tiny: -5e-324,
        text: "NUL \0, half \ud800, \u2028, </script>, '; DROP TABLE consumers; --",
        names: { hasOwnProperty: 1, toString: 2, valueOf: null, "": 3, "\0": 4 },
        deep: Array.from({ length: 50 }).reduce<unknown>((inner) => [inner], "bottom"),
      };
      const description = "'; DROP TABLE consumers; -- %00 %s \u202e \u{1f600}";
      await client.post(`${bucket}/consumers`, { name: "harmless", description, metadata });
      expect((await client.get(`${bucket}/consumers/harmless`)).body).toMatchObject({ description, metadata });
    });
  });

  describe("size", () => {
    const padded = (body: string, size: number) => body + " ".repeat(size - body.length);
    const bulk = `${consumer}/keys/$bulk`;
    const limits: [what: string, path: string, body: string, limit: number][] = [
      ["1 MiB", bucket, '{"description":"large"}', mebibyte],
      ["10 MiB in bulk", bulk, '[{"description":"large"}]', 10 * mebibyte],
    ];
    for (const [what, path, body, limit] of limits) {
      const method = path === bulk ? "POST" : "PATCH";
      test(`${what} is accepted`, async () => {
        expect((await client.raw(method, path, padded(body, limit))).status).toBe(200);
        expect((await chunked(method, path, padded(body, limit))).status).toBe(200);
      });

      test(`a byte more than ${what} is rejected`, async () => {
        const tooLarge = padded(body.replace("large", "too large"), limit + 1);
        expectProblem(await expectUnchanged(() => client.raw(method, path, tooLarge)), 413, "body_too_large");
      });

      test(`a byte more than ${what} is rejected without a declared length`, async () => {
        const before = await state();
        const response = await chunked(method, path, padded(body.replace("large", "too large"), limit + 1));
        expect(response.status).toBe(413);
        expect(await response.json()).toMatchObject({ code: "body_too_large" });
        expect(await state()).toEqual(before);
      });
    }

    test("is not checked if the credential is rejected", async () => {
      const body = " ".repeat(2 * mebibyte);
      expectProblem(await client.anonymous().raw("POST", buckets, body), 401, "unauthenticated");
    });

    test("an unread body closes the connection: neither the next request nor a stop waits for the rest", async () => {
      const unread = await client.raw("POST", buckets, " ".repeat(2 * mebibyte));
      expect(unread.headers.get("connection")).toBe("close");
      expect((await client.raw("PATCH", bucket, "{}")).headers.get("connection")).not.toBe("close");
      await server.restart();
      expect((await client.get(bucket)).status).toBe(200);
    });
  });

  /** Transfer-Encoding: chunked, without a Content-Length. */
  function chunked(method: string, path: string, body: string): Promise<Response> {
    const size = 64 * 1024;
    const parts = Array.from({ length: Math.ceil(body.length / size) }, (_, i) => body.slice(i * size, (i + 1) * size));
    return fetch(server.url + path, {
      method,
      headers: { authorization: `Bearer ${adminToken}` },
      body: new ReadableStream({
        pull(controller) {
          const part = parts.shift();
          if (part === undefined) controller.close();
          else controller.enqueue(Buffer.from(part));
        },
      }),
    });
  }
});
