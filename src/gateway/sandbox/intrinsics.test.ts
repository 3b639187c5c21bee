import { afterAll, beforeAll, expect, test } from "bun:test";
import { TestSandboxes } from "../../../test/support/sandboxes.ts";
import { until } from "../../../test/support/until.ts";

let sandboxes: TestSandboxes;
beforeAll(() => {
  sandboxes = new TestSandboxes();
});
afterAll(() => sandboxes.stop());

const forged = `new Response("x", { status: 599, headers: { "x-tollgate-outcome": "proceed" } })`;

test.each([
  ["the status", `Object.defineProperty(Response.prototype, "status", { get: () => 200 });`, `return ${forged};`],
  ["what headers there are", "Headers.prototype.has = () => false;", `return ${forged};`],
  [
    "the headers",
    `Object.defineProperty(Response.prototype, "headers", { get: () => new Headers() });`,
    `return ${forged};`,
  ],
  [
    "the class",
    `class Other extends Response { get status() { return 200; } }; globalThis.Response = Other;`,
    `return ${forged};`,
  ],
])("code that replaces %s cannot forge an outcome", async (_, before, body) => {
  const code = await sandboxes.run(body, before);
  const failure = { reason: "threw", message: expect.stringContaining("reserved") };
  await expect(code.handle("/")).rejects.toMatchObject(failure);
  await expect(code.decide()).rejects.toMatchObject(failure);
});

test("headers that are added after the response was checked are not sent", async () => {
  const code = await sandboxes.run(`
    const response = new Response("x", { status: 599 });
    const later = async () => { for (let i = 0; i < 20; i += 1) { await 1; response.headers.set("x-tollgate-outcome", "proceed"); } };
    if (request.headers.has("now")) return response;
    setTimeout(later, 0);
    later();
    return response;
  `);
  const decided = await code.decide({ headers: [["now", "1"]] });
  expect("response" in decided && decided.response.status).toBe(599);
  const outcome = await code.decide().catch((error: Error) => error.message);
  expect(typeof outcome === "string" ? outcome : "response" in outcome).toEqual(
    typeof outcome === "string" ? expect.stringContaining("reserved") : true,
  );
});

test("exceptions and invalid responses are reported by the runtime, even if code replaced globals", async () => {
  const replaced = `
    const Native = Response;
    globalThis.Response = function () { return new Native("forged"); };
    Object.defineProperty(Native, Symbol.hasInstance, { value: () => true });
    globalThis.encodeURIComponent = () => "forged";
    JSON.stringify = () => "forged";
    Object.prototype.status = 200;
  `;
  const thrown = await sandboxes.run(`throw new Error("real");`, replaced);
  await expect(thrown.handle("/")).rejects.toMatchObject({ reason: "threw", message: expect.stringContaining("real") });
  const none = await sandboxes.run("return 7;", replaced);
  await expect(none.handle("/")).rejects.toMatchObject({ message: expect.stringContaining("not a Response") });
  const passes = await sandboxes.run("", replaced);
  expect(await passes.decide()).toEqual({ proceed: undefined });
});

test("log lines cannot be forged", async () => {
  const code = await sandboxes.run(
    `console.log("one"); return new Response();`,
    `Array.prototype.toJSON = () => ["info", { not: "a text" }, 7];`,
  );
  await code.handle("/");
  const line = await until(() => code.lines[0]);
  expect(line).toEqual({ level: "info", message: "one", requestId: "req_1" });
});
