import { expect, test } from "bun:test";
import { buildProject } from "../../../test/support/gateway-project.ts";
import type { Artifact } from "../../core/artifact/artifact.ts";

function build(settings: object, operation: object = {}, document: object = {}) {
  return buildProject({
    "openapi.json": JSON.stringify({
      openapi: "3.1.0",
      info: { title: "t", version: "1" },
      "x-tollgate": { upstream: "http://upstream.test", ...document },
      paths: { "/a": { get: {} }, "/b": { get: { "x-tollgate": operation } } },
    }),
    "tollgate.json": JSON.stringify(settings),
    "modules/guard.ts": "export default () => new Response(null, { status: 403 });",
  });
}

const key = { type: "api-key", options: { bucket: "main" } };
const limit = { type: "rate-limit", options: { requests: 1, windowSeconds: 1 } };
const code = { type: "modules/guard.ts" };

test.each([
  ["api-key", key],
  ["rate-limit", limit],
  ["validate", { type: "validate" }],
  ["code", code],
])("an unused policy of the type %s is an error, unless it is meant", async (_, policy) => {
  const { errors } = await build({ policies: { guard: policy } });
  expect(errors).toContainEqual(
    expect.objectContaining({
      file: "tollgate.json",
      message: expect.stringContaining('no route uses the policy "guard"'),
    }),
  );
  const meant = await build({ policies: { guard: { ...policy, unused: true } } });
  expect(JSON.stringify(meant.errors)).not.toContain("no route uses");
});

test("an unused policy that rejects nothing is a warning", async () => {
  const { errors, warnings } = await build({
    policies: { cors: { type: "cors", options: { origins: ["https://a.example"] } } },
  });
  expect(errors).toEqual([]);
  expect(warnings).toMatchObject([{ file: "tollgate.json", message: 'no route uses the policy "cors"' }]);
});

const policiesOf = ({ artifact }: { artifact?: string }) =>
  (JSON.parse(artifact!) as Artifact).routes.map(({ policies }) => policies);

test("default policies guard every route without its own policies", async () => {
  const settings = { policies: { guard: code, other: code }, defaultPolicies: ["guard"] };
  expect(policiesOf(await build(settings, { policies: ["other"] }))).toEqual([["guard"], ["other"]]);
  const open = { policies: { guard: code }, defaultPolicies: ["guard"] };
  expect(policiesOf(await build(open, { policies: [] }))).toEqual([["guard"], []]);
  expect(policiesOf(await build(settings, {}, { policies: ["other", "guard"] }))).toEqual([
    ["other", "guard"],
    ["other", "guard"],
  ]);
});

test("default policies must exist", async () => {
  const { errors } = await build({ policies: { guard: code }, defaultPolicies: ["gaurd"] });
  expect(errors).toContainEqual(
    expect.objectContaining({ file: "tollgate.json", message: expect.stringContaining('unknown policy "gaurd"') }),
  );
});

test.each(["", 7])("the production branch cannot be %p", async (productionBranch) => {
  const { errors } = await build({ productionBranch });
  expect(errors).toMatchObject([{ file: "tollgate.json", message: expect.stringContaining("productionBranch") }]);
});

test("a quota without a preceding authentication is a warning at its position", async () => {
  const quota = { type: "quota", options: { bucketId: "plans", meters: { requests: 1 } } };
  const policies = { key, quota };
  const { errors, warnings } = await build(
    { policies, defaultPolicies: ["key", "quota"] },
    { policies: ["quota", "key"] },
  );
  expect(errors).toEqual([]);
  expect(warnings).toEqual([
    {
      file: "openapi.json",
      line: expect.any(Number),
      column: expect.any(Number),
      message:
        '"quota" consumes the quota of a consumer: every request will get 403 unless a policy of type "api-key", "basic-auth", "oauth" or "jwt" is before it',
    },
  ]);
});

test.each([
  ["HS256", 6, 32],
  ["HS256", 31, 32],
  ["HS512", 63, 64],
  ["HS256", 32, undefined],
  ["HS512", 64, undefined],
] as const)("a secret for %s of %d bytes is a warning if it can be guessed", async (algorithm, bytes, needed) => {
  const secret = Buffer.alloc(bytes, "s").toString("base64url");
  const options = { audience: "api", algorithms: [algorithm], keys: [{ kty: "oct", k: secret }] };
  const { errors, warnings } = await build({ policies: { jwt: { type: "jwt", options } } }, { policies: ["jwt"] });
  expect(errors).toEqual([]);
  const message = `the secret has ${bytes} bytes, and can be guessed from a token: use at least ${needed} random bytes`;
  expect(warnings).toMatchObject(needed === undefined ? [] : [{ file: "tollgate.json", message }]);
  expect(JSON.stringify(warnings)).not.toContain(secret);
});
