import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installProgram } from "../../../test/support/cli.ts";
import { adminToken } from "../../../test/support/server-settings.ts";
import { Tmux } from "../../../test/support/tmux.ts";
import { until } from "../../../test/support/until.ts";
import { useCli } from "../../../test/support/use-cli.ts";

/** The screen as a person sees it. */
const bench = useCli();
const width = 90;
let terminal: Tmux;

beforeAll(async () => {
  const { cli } = bench;
  const environment = {
    ...cli.anonymous,
    PATH: `${await installProgram(cli.folder)}:${process.env.PATH}`,
    LC_ALL: "C.UTF-8",
  };
  terminal = await Tmux.start({ environment, cwd: cli.folder, width });
});

afterAll(() => terminal.stop());
beforeEach(() => terminal.clear());

test("login prompts, and does not show the token", async () => {
  await terminal.enter("tollgate login");
  await terminal.shows(/Address of the server \(http:\/\/127\.0\.0\.1:8787\): /);
  await terminal.enter(bench.server.url);
  await terminal.shows(/Token \(input is hidden\): /);
  await terminal.enter(adminToken);
  await terminal.shows(/Logged in to .*, account default, as admin\./);
  expect(await terminal.screen()).not.toContain(adminToken);
  expect(await readFile(join(bench.cli.folder, "config/tollgate/profiles.json"), "utf8")).toContain(adminToken);
});

describe("deleting", () => {
  test("is confirmed by y, not by Enter", async () => {
    await bench.client.consumers("main").create({ name: "doomed" });
    await terminal.enter("tollgate consumers delete doomed");
    await terminal.shows(/\? Delete the consumer doomed of bucket main, .*\(y\/N\):/);
    await terminal.press("Enter");
    await terminal.shows(/Nothing was changed\.\n\$ $/m);
    expect(await bench.client.consumers("main").get("doomed")).toMatchObject({ name: "doomed" });
    await terminal.enter("tollgate consumers delete doomed");
    await terminal.shows(/\(y\/N\): $/m);
    await terminal.enter("y");
    await terminal.shows(/Deleted the consumer doomed/);
    expect((await bench.client.consumers("main").list().page()).total).toBe(0);
  });

  test("is canceled by Ctrl-C", async () => {
    await bench.client.consumers("main").create({ name: "kept" });
    await terminal.enter("tollgate consumers delete kept");
    await terminal.shows(/\(y\/N\): $/m);
    await terminal.press("C-c");
    await terminal.shows(/^\$ $/m);
    await terminal.enter("echo ended with $?");
    await terminal.shows(/^ended with 130$/m);
    expect(await bench.client.consumers("main").get("kept")).toMatchObject({ name: "kept" });
  });
});

test("keys verify prompts for the key and does not show it", async () => {
  const { apiKeys } = await bench.client.consumers("main").create({ name: "holder" }, { withApiKey: true });
  const key = apiKeys![0]!.key!;
  await terminal.enter("tollgate keys verify");
  await terminal.shows(/Key \(input is hidden\): /);
  await terminal.enter(key);
  await terminal.shows(/Valid +yes/);
  expect(await terminal.screen()).not.toContain(key);
});

describe("a table", () => {
  beforeAll(async () => {
    await bench.client.consumers("wide").create({ name: "acme", description: "a long text ".repeat(20) });
    await bench.client.consumers("wide").create({ name: "nihon", description: "日本語のお客様" });
  });

  test("fits the terminal, one line for each row", async () => {
    await terminal.enter("tollgate consumers list --bucket wide");
    await terminal.shows(/a long text.*…/);
    const [header, first, second] = (await terminal.screen()).split("\n").slice(1);
    for (const line of [header!, first!, second!]) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(width);
    expect(header).toMatch(/^Name +Id +Description +Created on$/);
    expect(second).toContain("日本語のお客様");
  });

  test("omits columns that do not fit, and does not truncate ids", async () => {
    await terminal.enter("stty cols 60; tollgate consumers list --bucket wide; stty cols 90");
    await terminal.shows(/The terminal is too narrow for: Created on/);
    expect(await terminal.screen()).toMatch(/^acme +csmr_\w{24} {2}a long text.*…$/m);
  });

  test("shows more than ids", async () => {
    const url = `http://127.0.0.1:9/${"a-long-path/".repeat(8)}`;
    await bench.client.webhooks.create({ url, events: ["plan.*"] });
    await terminal.enter("stty cols 60; tollgate webhooks list; stty cols 90");
    await terminal.shows(/The terminal is too narrow for: Events/);
    expect(await terminal.screen()).toMatch(/^hook_\w{24} {2}http:\/\/127\.0\.0\.1:9\/a-long.*…$/m);
  });

  test("has colour on a terminal, and neither with NO_COLOR nor with --no-color", async () => {
    const bold = "\x1b[1mName";
    for (const [line, isColoured] of [
      ["tollgate consumers list --bucket wide", true],
      ["NO_COLOR=1 tollgate consumers list --bucket wide", false],
      ["tollgate consumers list --bucket wide --no-color", false],
      ["tollgate consumers list --bucket wide | cat", false],
    ] as const) {
      await terminal.clear();
      await terminal.enter(line);
      await terminal.shows(/acme[\s\S]*\n\$ $/m);
      const screen = await terminal.screen({ colours: true });
      expect(screen.includes(bold), line).toBe(isColoured);
    }
  });
});

test("a deploy overwrites its steps in place, then prints the address and removes the spinner", async () => {
  await terminal.enter("tollgate init shop && clear && tollgate deploy shop");
  await terminal.shows(/Live after .*\n/);
  const screen = await terminal.shows(/http:\/\/shop-main-\w+\.localhost:\d+\n\$ $/m).then(({ input }) => input);
  expect(screen).toMatch(
    /^Deploying shop, branch main\n✓ Upload +\d+ ms\n✓ Unpack .*\n✓ Validate .*\n✓ Build .*\n✓ Start .*\nLive after /,
  );
  expect(screen).not.toMatch(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏█░]/);
});

test("bulk commands show a progress bar and replace it by a summary", async () => {
  const rows = Array.from({ length: 4000 }, (_, index) => `c-${index}`);
  await writeFile(join(bench.cli.folder, "many.csv"), `name\n${rows.join("\n")}\n`);
  await terminal.enter("tollgate consumers create --bucket bulk --file many.csv");
  const seen = new Set<string>();
  const done = await until(
    async () => {
      const screen = await terminal.screen();
      const [bar] = /█*░* \d+ of 4000/.exec(screen) ?? [];
      if (bar) seen.add(bar);
      return screen.includes("4000 created.") ? screen : undefined;
    },
    { what: () => `the summary; seen were ${[...seen].join(", ")}` },
  );
  expect(seen.size).toBeGreaterThan(1);
  expect(done).not.toContain("█");
});

test("logs -f runs until Ctrl-C", async () => {
  const [deployment] = await bench.client.deployments.list("shop");
  const { name, url } = deployment!;
  await terminal.enter(`tollgate deployments logs ${name} -f --kind access`);
  await until(async () => {
    await fetch(`${bench.server.url}/status`, { headers: { host: new URL(url).host } });
    return /200 GET \/status/.test(await terminal.screen());
  });
  await terminal.press("C-c");
  await terminal.shows(/^(\^C)?\$ $/m);
  await terminal.enter("echo ended with $?");
  await terminal.shows(/^ended with 0$/m);
});
