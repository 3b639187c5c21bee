import { expect, test } from "bun:test";
import { join } from "node:path";
import { temporaryFolder } from "./support/temporary-folder.ts";
import { until } from "./support/until.ts";

test("a server whose launcher was killed stops cleanly and releases its port and its data", async () => {
  const folder = await temporaryFolder("launcher");
  const launcher = Bun.spawn(["node", join(import.meta.dir, "../bin/tollgate.js"), "serve"], {
    cwd: folder.path,
    env: { PATH: process.env.PATH, TOLLGATE_DATA_DIR: join(folder.path, "data"), TOLLGATE_PORT: "0" },
    stdout: "pipe",
    stderr: "ignore",
  });
  let output = "";
  const reading = (async () => {
    for await (const chunk of launcher.stdout) output += new TextDecoder().decode(chunk);
  })();
  const [, url] = await until(() => /"url":"(http:[^"]+)"/.exec(output), { what: () => output });
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  expect(output).not.toContain("warn");
  // The bundle of an earlier `npm start` may be older than the sources.
  const child = (await Bun.file(`/proc/${launcher.pid}/task/${launcher.pid}/children`).text()).trim();
  const words = (await Bun.file(`/proc/${child}/cmdline`).text()).split("\0");
  expect(words).toContain(join(import.meta.dir, "../src/main.ts"));
  launcher.kill("SIGKILL");
  // The pipe ends with the last process that has it open: the server.
  await reading;
  expect(JSON.parse(output.trimEnd().split("\n").at(-1)!)).toMatchObject({ msg: "stopped" });
  expect(await fetch(`${url}/readyz`).catch(() => "closed")).toBe("closed");
  await folder.remove();
});
