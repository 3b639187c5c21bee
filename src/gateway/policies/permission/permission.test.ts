import { expect, test } from "bun:test";
import { buildProject } from "../../../../test/support/gateway-project.ts";
import { contextOf, pass } from "../../../../test/support/request-context.ts";
import { PermissionPolicy } from "./permission.ts";

async function send(permissions: string[] | undefined, permission = "orders:read") {
  const context = contextOf(new Request("http://shop.localhost/things"), { permissions });
  const response = await pass([new PermissionPolicy({ permission })], context);
  return response.status === 200 ? "passed" : [response.status, ((await response.json()) as { code: string }).code];
}

test.each([[["orders:read"]], [["a", "orders:*"]], [["*"]], [["orders:read*"]]])("%j passes", async (permissions) => {
  expect(await send(permissions)).toBe("passed");
});

test.each([[undefined], [[]], [["orders:write"]], [["orders:reader"]], [["order:*"]], [["Orders:read"]]])(
  "%j is rejected",
  async (permissions) => {
    expect(await send(permissions)).toEqual([403, "permission_missing"]);
  },
);

const settings = (defaultPolicies: string[]) => ({
  "openapi.json": JSON.stringify({
    openapi: "3.1.0",
    info: { title: "t", version: "1" },
    "x-tollgate": { upstream: "http://upstream.test" },
    paths: { "/a": { get: {} } },
  }),
  "tollgate.json": JSON.stringify({
    policies: {
      key: { type: "api-key", options: { bucket: "main" }, unused: true },
      may: { type: "permission", options: { permission: "orders:read" } },
    },
    defaultPolicies,
  }),
});

test("the build rejects it without a policy of type api-key before it", async () => {
  expect((await buildProject(settings(["key", "may"]))).errors).toEqual([]);
  for (const order of [["may"], ["may", "key"]])
    expect((await buildProject(settings(order))).errors).toEqual([
      expect.objectContaining({
        file: "tollgate.json",
        message:
          '"may" checks the permissions of a key: put a policy of type "api-key", "basic-auth" or "oauth" before it',
      }),
    ]);
});

test("the build rejects a permission that no key can have", async () => {
  const files = settings(["key", "may"]);
  files["tollgate.json"] = files["tollgate.json"].replace("orders:read", "orders read");
  const { errors } = await buildProject(files);
  expect(errors[0]?.message).toContain("must be 1 to 64 characters");
});
