import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { FakeClock } from "../../../../test/support/fake-clock.ts";
import { processRuns } from "../../../../test/support/sandboxes.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { until } from "../../../../test/support/until.ts";
import { Egress } from "../../../platform/egress/egress.ts";
import { HttpHeaders } from "../../../platform/http1/message/headers.ts";
import { listenUnix } from "../../../platform/processes/listening-sockets.ts";
import type { ConsoleLine, Sandbox } from "../protocol.ts";
import { SandboxHost } from "./host.ts";
import { RemoteSandboxes } from "./remote-sandboxes.ts";

const module = "modules/test.ts";
const code = `
  let count = 0;
  export default { "${module}": { default: async (request, context) => {
    if (request.url.endsWith("/exit")) { for (;;); }
    console.log("called");
    count += 1;
    return Response.json({ count, environment: context.environment });
  } } };
`;

let folder: TemporaryFolder;
let clock: FakeClock;
let host: SandboxHost;
let users: RemoteSandboxes[] = [];
let lines: ConsoleLine[] = [];
let warnings: unknown[] = [];
let replaced = 0;

async function openHost(): Promise<void> {
  folder = await temporaryFolder("shared");
  clock = new FakeClock();
  lines = [];
  warnings = [];
  replaced = 0;
  host = new SandboxHost({
    egress: new Egress("any"),
    clock,
    limits: { stuckCpuSeconds: 0.5 },
    release: "1.0.0",
    onOtherRelease: () => {
      replaced += 1;
    },
    warn: (error) => warnings.push(error),
  });
  host.listen(listenUnix(join(folder.path, "host")));
}

function newUser(release = "1.0.0", isPrimary = false): RemoteSandboxes {
  const user = new RemoteSandboxes({
    path: join(folder.path, "host"),
    user: { release, isPrimary },
    clock,
    warn: (error) => warnings.push(error),
  });
  users.push(user);
  return user;
}

const start = (user: RemoteSandboxes, id = "1 1 a") =>
  user.start({ id, code, environment: {}, name: "test", onConsole: (line) => lines.push(line) });

async function call(sandbox: Sandbox, target = "/") {
  const request = {
    method: "GET",
    protocol: "https",
    host: "api.example",
    target,
    headers: new HttpHeaders(),
    body: undefined,
  };
  const context = { requestId: "req_1", user: undefined, params: {}, route: { path: "/", method: "GET" } };
  // Sandboxes have a low priority: on a busy machine, half a second of CPU time takes half a minute.
  const response = await sandbox.handle(module, request, context, { timeoutSeconds: 100 });
  return JSON.parse(await response.text()) as { count: number; environment: Record<string, string> };
}

afterEach(async () => {
  await Promise.all(users.map((user) => user.stop()));
  users = [];
  await host.stop();
  await folder.remove();
  expect(warnings).toEqual([]);
});

test("users of the same code share a process, and each has its own environment", async () => {
  await openHost();
  const [one, other] = await Promise.all([start(newUser()), start(newUser())]);
  one!.setEnvironment({ NAME: "one" });
  other!.setEnvironment({ NAME: "other" });
  expect(one!.processIds).toEqual(other!.processIds);
  expect(await call(one!)).toEqual({ count: 1, environment: { NAME: "one" } });
  expect(await call(other!)).toEqual({ count: 2, environment: { NAME: "other" } });
  expect(await call(one!)).toEqual({ count: 3, environment: { NAME: "one" } });
  one!.setEnvironment({ NAME: "changed" });
  expect((await call(one!)).environment).toEqual({ NAME: "changed" });
  expect((await call(other!)).environment).toEqual({ NAME: "other" });
  await until(() => lines.length === 5);
});

test("another version has another process", async () => {
  await openHost();
  const user = newUser();
  const [one, other] = [await start(user), await start(user, "1 2 b")];
  expect(one.processIds).not.toEqual(other.processIds);
});

test("the process ends with its last user", async () => {
  await openHost();
  const [one, other] = [await start(newUser()), await start(newUser())];
  const [processId] = one.processIds;
  await one.stop();
  expect(await call(other)).toMatchObject({ count: 1 });
  await other.stop();
  expect(processRuns(processId!)).toBe(false);
});

test("every user gets the reason why the code was ended, and the next request starts it again", async () => {
  await openHost();
  const [one, other] = [await start(newUser()), await start(newUser())];
  const [processId] = one.processIds;
  await expect(call(one, "/exit")).rejects.toMatchObject({ reason: "stuck" });
  await until(() => !other.processIds.includes(processId!));
  expect(await call(other)).toMatchObject({ count: 1 });
  expect(await call(one)).toMatchObject({ count: 2 });
  expect(lines.filter(({ level }) => level === "error")).toHaveLength(1);
});

test("a process is ended when no user has used it for ten minutes", async () => {
  await openHost();
  const [one, other] = [await start(newUser()), await start(newUser())];
  const [processId] = one.processIds;
  clock.advance(400_000);
  await call(other);
  clock.advance(400_000);
  // The host has asked its users when they last used the process: one did 400 s ago.
  await until(() => one.processIds.length === 1);
  expect(await call(one)).toMatchObject({ count: 2 });
  expect(processRuns(processId!)).toBe(true);
  clock.advance(601_000);
  await until(() => !processRuns(processId!));
  expect(await call(one)).toMatchObject({ count: 1 });
});

test("a user of another release is not served, and a primary of another release replaces the host", async () => {
  await openHost();
  const worker = newUser("2.0.0");
  const starting = start(worker).catch((error: unknown) => String(error));
  const primary = newUser("2.0.0", true);
  const other = start(primary).catch((error: unknown) => String(error));
  await until(() => replaced > 0);
  await Promise.all(users.map((user) => user.stop()));
  expect(await starting).toContain("The server stops");
  expect(await other).toContain("The server stops");
});
