import { expect, test } from "bun:test";
import { buildMarked, buildProject, type Files } from "../../../test/support/gateway-project.ts";
import type { Artifact } from "../../core/artifact/artifact.ts";
import { notObservable, type PolicyTypeName } from "../../gateway/policies/schemas.ts";

/**
 * A project with one route, `GET /orders/{id}`, and the given policies; a mark is the position of an expected error.
 */
function project(policies: string, use = '["p"]', upstream = '"upstream": "http://up.test",'): Files {
  return {
    "openapi.json": `{
  "openapi": "3.1.0",
  "info": { "title": "T", "version": "1" },
  "paths": {
    "/orders/{id}": {
      "parameters": [{ "name": "id", "in": "path", "required": true, "schema": {} }],
      "get": { "responses": { "200": { "description": "", "content": { "text/plain": { "example": "hi" } } } } }
    }
  }
}`,
    "tollgate.json": `{
  ${upstream}
  "policies": { ${policies} },
  "defaultPolicies": ${use}
}`,
  };
}

const policy = (type: string, options: string) => project(`"p": { "type": "${type}", "options": ${options} }`);

test.each<[string, Files, string]>([
  ["ip-filter", policy("ip-filter", '{ "deny": ["192.0.2.0/24", ▶"192.0.2.300"] }'), "must be an IPv4 or IPv6 address"],
  ["ip-filter without lists", policy("ip-filter", "▶{}"), 'must have "allow" or "deny"'],
  ["size-limit", policy("size-limit", '{ "requestBytes": ▶"1 MB" }'), '"requestBytes" must be'],
  ["concurrency", policy("concurrency", '{ "by": ▶"country", "requests": 1 }'), '"by" must be "consumer"'],
  ["basic-auth", policy("basic-auth", '{ "bucket": ▶"Main" }'), '"bucket"'],
  [
    "basic-auth, unknown option",
    policy("basic-auth", '{ "bucket": "main", ▶"header": "x" }'),
    'unknown member "header"',
  ],
  [
    "jwt",
    policy("jwt", '{ "issuer": "https://id.example", "audience": "a", "algorithms": ["RS256", ▶"none"] }'),
    '"algorithms.1" must be',
  ],
  [
    "jwt without keys",
    policy("jwt", '▶{ "audience": "a", "algorithms": ["RS256"] }'),
    'must have "issuer", "jwksUrl" or "keys"',
  ],
  [
    "jwt without an audience",
    policy("jwt", '▶{ "issuer": "https://id.example", "algorithms": ["RS256"] }'),
    '"audience" is missing',
  ],
  [
    "jwt without algorithms",
    policy("jwt", '▶{ "issuer": "https://id.example", "audience": "a" }'),
    '"algorithms" is missing',
  ],
  ["rewrite", policy("rewrite", '{ "path": ▶"/a/../b" }'), "must have no dot segments"],
  [
    "rewrite, unknown parameter",
    policy("rewrite", '{ "path": ▶"/a/{order}" }'),
    '"{order}" is not a parameter of GET /orders/{id}, which uses "p"',
  ],
  [
    "rewrite, unknown parameter in the query",
    policy("rewrite", '{ "query": { "set": { "q": ▶"{order}" } } }'),
    '"{order}" is not a parameter of GET /orders/{id}',
  ],
  ["redirect", policy("redirect", '{ "to": ▶"//b.example/{id}" }'), "must be a path that begins with one /"],
  ["redirect, unknown parameter", policy("redirect", '{ "to": ▶"/{order}" }'), '"{order}" is not a parameter of'],
  ["mock", policy("mock", '{ "delayMs": ▶90000 }'), '"delayMs" must be at most 60000'],
  ["json-body", policy("json-body", '{ "request": { "remove": [▶"a"] } }'), "must be a JSON pointer"],
  [
    "a policy after one that always responds",
    project('"m": { "type": "mock" }, "p": { "type": "basic-auth", "options": { "bucket": "main" } }', '["m", ▶"p"]'),
    '"p" is never reached: "m" before it responds to every request',
  ],
  [
    "a cache before an ip-filter",
    project(
      '"c": { "type": "cache", "options": { "seconds": 1 } }, "p": { "type": "ip-filter", "options": { "deny": ["::1"] } }',
      '[▶"c", "p"]',
    ),
    'the cache "c" is before "p"',
  ],
])("%s: an error at its place", async (_, files, message) => {
  const { atMark, elsewhere } = await buildMarked(files);
  expect(elsewhere).toEqual([]);
  expect(atMark.join("\n")).toContain(message);
});

/** A wrong value for each type of policy. */
const wrongOptions: Record<PolicyTypeName, string> = {
  "api-key": '{ "bucket": "main", "scheme": ▶7 }',
  "basic-auth": '{ "bucket": ▶7 }',
  cache: '{ "seconds": ▶"60" }',
  concurrency: '{ "requests": ▶0 }',
  cors: '{ "origins": "*", "maxAgeSeconds": ▶-1 }',
  headers: '{ "request": { "set": { "x-a": ▶1 } } }',
  "ip-filter": '{ "allow": [▶"localhost"] }',
  "json-body": '{ "response": { "rename": { "/a": ▶"b" } } }',
  jwt: '{ "issuer": ▶"id.example", "audience": "a", "algorithms": ["RS256"] }',
  mock: '{ "status": ▶99 }',
  oauth: '{ "bucket": ▶7 }',
  permission: '{ "permission": ▶"a b" }',
  quota: '{ "bucketId": "b", "meters": { "m": ▶"1" } }',
  "rate-limit": '{ "requests": 1, "windowSeconds": 1, "by": ▶"country" }',
  redirect: '{ "to": "/new", "status": ▶200 }',
  rewrite: '{ "query": { "remove": ▶"debug" } }',
  "size-limit": '{ "responseBytes": ▶-1 }',
  usage: '{ "bucketId": "b", "meters": { "m": { "header": "x-units" } }, "onDisconnect": ▶"stop" }',
  validate: '{ "response": ▶"warn" }',
};

test.each(Object.entries(wrongOptions))(
  "a wrong option of %s is an error at its line and column",
  async (type, options) => {
    const key = '"key": { "type": "api-key", "options": { "bucket": "main" } }';
    const files = project(`${key}, "p": { "type": "${type}", "options": ${options} }`, '["key", "p"]');
    const { atMark, elsewhere } = await buildMarked(files);
    expect([elsewhere, atMark.length]).toEqual([[], 1]);
  },
);

test.each([
  ["mock", "{}"],
  ["redirect", '{ "to": "/new/{id}" }'],
])("a route with %s needs no upstream", async (type, options) => {
  const files = project(`"p": { "type": "${type}", "options": ${options} }`, '["p"]', "");
  const { errors, artifact } = await buildProject(files);
  expect(errors).toEqual([]);
  expect((JSON.parse(artifact!) as Artifact).routes[0]).toMatchObject({ target: { policy: "p" } });
});

test("basic-auth provides the key for permission and the consumer for quota", async () => {
  const files = project(
    `"p": { "type": "basic-auth", "options": { "bucket": "main" } },
     "may": { "type": "permission", "options": { "permission": "a" } },
     "plan": { "type": "quota", "options": { "bucketId": "plans", "meters": { "requests": 1 } } }`,
    '["p", "may", "plan"]',
  );
  expect(await buildProject(files)).toMatchObject({ errors: [], warnings: [] });
});

test.each(Object.entries(notObservable))("%s can be in observe, or the build says why not", async (type, reason) => {
  const { errors } = await buildProject(project(`"p": { "type": "${type}", "mode": "observe" }`));
  const ofMode = errors.filter(({ message }) => message.includes("observe")).map(({ message }) => message);
  expect(ofMode).toEqual(reason === undefined ? [] : [`a policy of type "${type}" cannot observe: ${reason}`]);
});

test("observe is part of the artifact, and enforce is the default", async () => {
  const files = project(
    `"p": { "type": "ip-filter", "options": { "deny": ["192.0.2.0/24"] }, "mode": "observe" },
     "q": { "type": "ip-filter", "options": { "deny": ["192.0.2.0/24"] }, "mode": "enforce" }`,
    '["p", "q"]',
  );
  const { policies } = JSON.parse((await buildProject(files)).artifact!) as Artifact;
  expect([policies.p!.mode, policies.q!.mode]).toEqual(["observe", undefined]);
  const wrong = await buildMarked(project(`"p": { "type": "mock", "mode": ▶"shadow" }`));
  expect(wrong.atMark).toEqual(['"policies.p.mode" must be "enforce" or "observe"']);
});
