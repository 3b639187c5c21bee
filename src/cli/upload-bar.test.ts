import { afterAll, beforeAll, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installProgram } from "../../test/support/cli.ts";
import { Tmux } from "../../test/support/tmux.ts";
import { useCli } from "../../test/support/use-cli.ts";

/** A proxy that holds uploads back until it is opened. */
const opened = Promise.withResolvers<void>();
const line = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { method, headers } = request;
    if (method === "PUT") await opened.promise;
    const { pathname, search } = new URL(request.url);
    return fetch(`${bench.server.url}${pathname}${search}`, { method, headers, body: await request.blob() });
  },
});

const bench = useCli();
let terminal: Tmux;

beforeAll(async () => {
  const { cli } = bench;
  const environment = {
    ...cli.environment,
    TOLLGATE_URL: line.url.origin,
    PATH: `${await installProgram(cli.folder)}:${process.env.PATH}`,
    LC_ALL: "C.UTF-8",
  };
  terminal = await Tmux.start({ environment, cwd: cli.folder });
});

afterAll(async () => {
  await terminal.stop();
  await line.stop(true);
});

test("an upload shows a progress bar and removes it at the end", async () => {
  await bench.cli.run("init shop");
  await writeFile(join(bench.cli.folder, "shop/large.bin"), randomBytes(3_000_000));
  await terminal.enter("clear; tollgate deploy shop");
  await terminal.shows(/^ {2}█+░* Uploading [\d.]+ [kM]?B of 3\.0 MB$/m);
  opened.resolve();
  await terminal.shows(/^Live after /m);
  expect(await terminal.screen()).not.toMatch(/[█░]|Uploading/);
  expect(await terminal.screen()).toContain("large.bin:1:1 warning: is not part of a project and is ignored\n");
});
