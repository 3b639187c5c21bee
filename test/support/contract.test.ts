import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Server } from "bun";
import { Client } from "./client.ts";
import { expectProblem } from "./expect-problem.ts";

/** A small server with a contract, which returns what a test sets. */
let server: Server<undefined>;
let client: Client;
let respond: () => Response;

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => (request.url.endsWith("/openapi.json") ? Response.json(document) : respond()),
  });
  client = new Client({ url: server.url.origin }, "a-token");
});

afterAll(() => server.stop(true));

const thing = { id: "thing_1", createdOn: "2026-01-15T10:00:00.000Z" };

describe("a valid response passes:", () => {
  test("a documented body", async () => {
    respond = () => Response.json(thing, { headers: { etag: '"1"' } });
    expect(await client.get("/things/thing_1")).toMatchObject({ status: 200, body: thing, path: "/things/thing_1" });
  });

  test("a trailing slash and a query", async () => {
    respond = () => Response.json(thing, { headers: { etag: '"1"' } });
    expect(await client.get("/things/thing_1/?tag.a=b")).toMatchObject({ path: "/things/thing_1/" });
  });

  test("no body", async () => {
    respond = () => new Response(null, { status: 204 });
    expect(await client.delete("/things/thing_1")).toMatchObject({ status: 204, body: undefined, text: "" });
  });

  test("a path with fewer parameters is matched first", async () => {
    respond = () => Response.json([thing]);
    expect((await client.post("/things/$bulk", [{}])).body).toEqual([thing]);
  });

  test("a problem at an unknown path", async () => {
    respond = () => problem(404, "route_not_found", "/nowhere");
    expectProblem(await client.get("/nowhere"), 404, "route_not_found");
  });
});

describe("an invalid response is an error:", () => {
  const breaches: Record<string, [() => Response, string]> = {
    "undocumented status": [() => Response.json(thing, { status: 201 }), "the status is not documented, only 200, 404"],
    "missing field": [() => Response.json({ id: "x" }, { headers: { etag: "1" } }), "createdOn"],
    "unknown field": [() => Response.json({ ...thing, secret: 1 }, { headers: { etag: "1" } }), '"secret"'],
    "bad format": [() => Response.json({ ...thing, createdOn: "today" }, { headers: { etag: "1" } }), "/createdOn"],
    "missing header": [() => Response.json(thing), "the header ETag is missing"],
    "wrong content type": [() => new Response("hello", { headers: { etag: "1" } }), "the content type is text/plain"],
    "broken JSON": [() => new Response("{", { headers: { "content-type": "application/json" } }), "not JSON"],
    "broken problem": [() => problem(404, "", "/things/1", { code: 5 }), "/code"],
  };
  test.each(Object.entries(breaches))("%s", async (_name, [broken, message]) => {
    respond = broken;
    await expect(client.get("/things/thing_1")).rejects.toThrow(message);
  });

  test("a body where there is none", async () => {
    respond = () => new Response("gone", { status: 202 });
    await expect(client.delete("/things/thing_1")).rejects.toThrow("DELETE /things/{id} returned 202");
  });

  test("success at an unknown path", async () => {
    respond = () => Response.json({});
    await expect(client.get("/nowhere")).rejects.toThrow("GET /nowhere (not documented) returned 200");
  });
});

test("expectProblem fails where a member is wrong", async () => {
  const rejection = async (change: object) => {
    respond = () => problem(404, "not_found", "/things/1", change);
    return client.get("/things/1");
  };
  expectProblem(await rejection({ errors: [{ pointer: "/a" }] }), 404, "not_found", { pointer: "/a" });
  for (const change of [
    { status: 400 },
    { code: "other" },
    { type: "about:blank" },
    { title: "" },
    { detail: "" },
    { instance: "/other" },
    { trace: { requestId: "another", timestamp: "2026-01-15T10:00:00.000Z" } },
    { trace: { requestId: "request-1", timestamp: "2026-01-15" } },
  ]) {
    const response = await rejection(change);
    expect(() => expectProblem(response, 404, "not_found")).toThrow();
  }
  const response = await rejection({});
  expect(() => expectProblem(response, 404, "not_found", { pointer: "/a" })).toThrow();
});

test("requests have the token, JSON or the raw body, and the given headers", async () => {
  let seen: unknown;
  const echo = Bun.serve({
    port: 0,
    routes: { "/openapi.json": Response.json(document) },
    async fetch(request) {
      const { authorization, "content-type": type, "if-match": match } = request.headers.toJSON();
      seen = { method: request.method, authorization, type, match, body: await request.text() };
      return problem(404, "", "/");
    },
  });
  const caller = new Client({ url: echo.url.origin }, "one");
  await caller.post("/", { a: 1 });
  expect(seen).toEqual({ method: "POST", authorization: "Bearer one", type: "application/json", body: '{"a":1}' });
  await caller.as("two").patch("/");
  expect(seen).toEqual({ method: "PATCH", authorization: "Bearer two", body: "" });
  await caller.anonymous().raw("PUT", "/", "{", { "if-match": '"1"' });
  expect(seen).toEqual({ method: "PUT", match: '"1"', body: "{" });
  await echo.stop(true);
});

function problem(status: number, code: string, instance: string, change: object = {}): Response {
  const body = {
    type: `https://httpproblems.com/http-status/${status}`,
    title: "Not Found",
    status,
    detail: "Not found.",
    instance,
    code,
    trace: { requestId: "request-1", timestamp: "2026-01-15T10:00:00.000Z" },
    ...change,
  };
  const headers = { "content-type": "application/problem+json", "x-request-id": "request-1" };
  return new Response(JSON.stringify(body), { status, headers });
}

const thingSchema = { $ref: "#/components/schemas/Thing" };
const notFound = { $ref: "#/components/responses/NotFound" };
const document = {
  openapi: "3.1.0",
  paths: {
    "/things/{id}": {
      get: {
        responses: {
          200: { headers: { ETag: { required: true } }, content: { "application/json": { schema: thingSchema } } },
          404: notFound,
        },
      },
      delete: { responses: { 202: { description: "Accepted" }, 204: { description: "Done" } } },
    },
    "/things/$bulk": {
      post: {
        responses: { 200: { content: { "application/json": { schema: { type: "array", items: thingSchema } } } } },
      },
    },
  },
  components: {
    schemas: {
      Thing: {
        type: "object",
        properties: { id: { type: "string" }, createdOn: { type: "string", format: "date-time" } },
        required: ["id", "createdOn"],
        additionalProperties: false,
      },
      Problem: { type: "object", properties: { code: { type: "string" } }, required: ["code"] },
    },
    responses: {
      NotFound: { content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } } },
    },
  },
};
