import { afterAll, beforeAll, expect, test } from "bun:test";
import { type RunningCode, TestSandboxes } from "../../../test/support/sandboxes.ts";
import { until } from "../../../test/support/until.ts";

/**
 * Sandboxes have a low priority and only their CPU time counts: on two cores with eight busy processes, a loop gets half a second of
 * CPU time in half a minute.
 */
const patienceSeconds = 100;

const body = `
  const { pathname } = new URL(request.url);
  if (pathname === "/spin") for (;;);
  if (pathname === "/wait") await new Promise((resolve) => setTimeout(resolve, 30_000));
  if (pathname === "/heap") { const all = []; for (;;) all.push(new Array(1000).fill(Math.random())); }
  if (pathname === "/buffers") { const all = []; for (;;) all.push(new Uint8Array(20e6).fill(1)); }
  if (pathname === "/slow-buffers") {
    const all = [];
    for (;;) { all.push(new Uint8Array(1e6).fill(1)); await new Promise((resolve) => setTimeout(resolve, 5)); }
  }
  return new Response("well");
`;

let sandboxes: TestSandboxes;
let neighbour: RunningCode;
beforeAll(async () => {
  sandboxes = new TestSandboxes({ limits: { maxInFlight: 3 } });
  neighbour = await sandboxes.run(body);
});
afterAll(() => sandboxes.stop());

async function responds(code: RunningCode): Promise<boolean> {
  return (await (await code.handle("/")).text()) === "well";
}

test("an infinite loop is killed with its pending requests, without affecting other code", async () => {
  const watched = new TestSandboxes({ limits: { stuckCpuSeconds: 0.5 } });
  try {
    const code = await watched.run(body);
    const startedAt = performance.now();
    const options = { timeoutSeconds: patienceSeconds };
    const failures = ["/spin", "/"].map((path) => code.handle(path, options).catch((error: unknown) => error));
    let done = false;
    failures[0]!.then(() => {
      done = true;
    });
    let served = 0;
    await until(
      async () => {
        if (await responds(neighbour)) served += 1;
        return done;
      },
      { withinMs: patienceSeconds * 1000 },
    );
    expect(served).toBeGreaterThan(3);
    for (const failure of failures) expect(await failure).toMatchObject({ reason: "stuck" });
    expect(performance.now() - startedAt).toBeGreaterThan(450);
    expect(await responds(code)).toBe(true);
    expect(code.lines.at(-1)).toMatchObject({ level: "error", message: expect.stringContaining("busy for 0.5 s") });
  } finally {
    await watched.stop();
  }
});

test.each(["/heap", "/slow-buffers"])("code that eats memory is cut off: %s", async (path) => {
  const code = await sandboxes.run(body);
  await expect(code.handle(path, { timeoutSeconds: patienceSeconds })).rejects.toMatchObject({
    reason: "memory",
    message: expect.stringContaining("320 MiB"),
  });
  expect(await responds(code)).toBe(true);
  expect(await responds(neighbour)).toBe(true);
});

test("code that allocates gigabytes quickly is stopped by the kernel's limit or killed", async () => {
  const code = await sandboxes.run(body);
  await expect(code.handle("/buffers", { timeoutSeconds: patienceSeconds })).rejects.toMatchObject({
    message: expect.stringMatching(/allocation failed|more than 320 MiB/),
  });
  expect(await responds(neighbour)).toBe(true);
});

test("a response that does not begin in time is aborted", async () => {
  await expect(neighbour.handle("/wait", { timeoutSeconds: 0.3 })).rejects.toMatchObject({ reason: "timeout" });
  expect(await responds(neighbour)).toBe(true);
});

test("more requests at once than the limit are rejected at once", async () => {
  const client = new AbortController();
  const waiting = [1, 2, 3].map(() =>
    neighbour.handle("/wait", { signal: client.signal }).catch((error: Error) => error.message),
  );
  await expect(neighbour.handle("/")).rejects.toMatchObject({ reason: "busy" });
  client.abort();
  expect(await Promise.all(waiting)).toEqual(Array(3).fill("the client disconnected"));
  expect(await responds(neighbour)).toBe(true);
});
