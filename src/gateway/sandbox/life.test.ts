import { afterEach, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { FakeClock } from "../../../test/support/fake-clock.ts";
import { processRuns, TestSandboxes } from "../../../test/support/sandboxes.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { until } from "../../../test/support/until.ts";
import { findWorkerd } from "./workerd-processes.ts";

const clock = new FakeClock();
let sandboxes: TestSandboxes;
afterEach(() => sandboxes.stop());

test("a killed process is restarted by the next request", async () => {
  sandboxes = new TestSandboxes();
  const code = await sandboxes.run(`return new Response("well");`);
  const [first] = code.sandbox.processIds;
  process.kill(first!, "SIGKILL");
  await until(() => code.lines.length > 0);
  expect(code.lines[0]).toMatchObject({ level: "error", message: expect.stringContaining("ended unexpectedly") });
  expect(await (await code.handle("/")).text()).toBe("well");
  expect(code.sandbox.processIds).not.toContain(first!);
});

test("code that keeps crashing is restarted with increasing delays, and fails fast in between", async () => {
  sandboxes = new TestSandboxes();
  const code = await sandboxes.run("await new Promise((resolve) => setTimeout(resolve, 30_000));");
  for (const _ of [1, 2]) {
    const failing = code.handle("/").catch((error: unknown) => error);
    const processId = await until(() => code.sandbox.processIds[0]);
    process.kill(processId, "SIGKILL");
    expect(await failing).toMatchObject({ reason: "crashed" });
    await until(() => code.sandbox.processIds.length === 0);
  }
  await expect(code.handle("/")).rejects.toMatchObject({ message: expect.stringContaining("the next attempt is in") });
});

test("an idle process is stopped, and an open stream is not aborted", async () => {
  sandboxes = new TestSandboxes({ clock });
  const code = await sandboxes.run(`
    let count = 0;
    return new Response(new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        controller.enqueue(new Uint8Array(1));
        if (++count === 20) controller.close();
      },
    }));
  `);
  const [first] = code.sandbox.processIds;
  const streaming = await code.handle("/");
  clock.advance(601_000);
  expect((await streaming.bytes()).length).toBe(20);
  await until(() => !processRuns(first!));
  expect(code.lines).toEqual([]);
  expect((await (await code.handle("/")).bytes()).length).toBe(20);
  expect(code.sandbox.processIds).not.toContain(first!);
});

test("stopping waits for requests in progress and cleans up", async () => {
  const temporary = await temporaryFolder("sandboxes");
  sandboxes = new TestSandboxes({ temporaryFolder: temporary.path });
  const code = await sandboxes.run(
    `await new Promise((resolve) => setTimeout(resolve, 300)); return new Response("late");`,
  );
  const [processId] = code.sandbox.processIds;
  expect(readdirSync(temporary.path)).toHaveLength(1);
  const response = code.handle("/");
  await sandboxes.sandboxes.stop();
  expect(await (await response).text()).toBe("late");
  expect(processRuns(processId!)).toBe(false);
  expect(readdirSync(temporary.path)).toEqual([]);
  await temporary.remove();
});

test("processes end with a killed server", async () => {
  sandboxes = new TestSandboxes();
  const script = `
    import { TestSandboxes } from ${JSON.stringify(join(import.meta.dir, "../../../test/support/sandboxes.ts"))};
    const sandboxes = new TestSandboxes();
    const first = await sandboxes.run("for (;;);");
    const second = await sandboxes.run("return new Response()");
    first.handle("/").catch(() => {});
    console.log(JSON.stringify([...first.sandbox.processIds, ...second.sandbox.processIds]));
  `;
  const server = Bun.spawn([process.execPath, "-e", script], { stdout: "pipe", stderr: "inherit" });
  const { value } = await server.stdout.getReader().read();
  const processIds = JSON.parse(new TextDecoder().decode(value)) as number[];
  expect(processIds.map(processRuns)).toEqual([true, true]);
  server.kill("SIGKILL");
  await server.exited;
  await until(() => !processIds.some(processRuns));
});

test("a missing workerd is a clear error", () => {
  expect(() => findWorkerd("/nowhere/workerd")).toThrow("There is no workerd at /nowhere/workerd");
});
