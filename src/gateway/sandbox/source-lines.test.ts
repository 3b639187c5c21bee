import { afterAll, beforeAll, expect, test } from "bun:test";
import { buildProject, plainProject } from "../../../test/support/gateway-project.ts";
import { TestSandboxes } from "../../../test/support/sandboxes.ts";
import { until } from "../../../test/support/until.ts";

let sandboxes: TestSandboxes;
beforeAll(() => {
  sandboxes = new TestSandboxes();
});
afterAll(() => sandboxes.stop());

test("stack traces name the lines of the project's modules", async () => {
  const { artifact, errors } = await buildProject({
    "openapi.json": plainProject["openapi.json"]!.replace(
      '"upstream":"http://upstream.test"',
      '"handler":"modules/test.ts"',
    ),
    "modules/test.ts": `import { fail } from "./deep/fail.ts";

interface Unused { a: string }

export default (request: Request) => {
  if (request.method === "POST") console.error(new Error("logged"));
  return fail(request);
};
`,
    "modules/deep/fail.ts": `type Never = { nothing: true };
export function fail(_: Request): Response {
  throw new RangeError("too far");
}
`,
  });
  expect(errors).toEqual([]);
  const code = await sandboxes.runModule(JSON.parse(artifact!).code);
  await expect(code.handle("/", { method: "POST" })).rejects.toMatchObject({
    reason: "threw",
    message: expect.stringMatching(/^RangeError: too far\n.*modules\/deep\/fail\.ts:3:9.*\n.*modules\/test\.ts:7:10/),
  });
  const lines = await until(() => (code.lines.length >= 2 ? code.lines : undefined));
  expect(lines[0]!.message).toContain("modules/test.ts:6:48");
  expect(lines[1]!.message).toContain("modules/deep/fail.ts:3:9");
});
