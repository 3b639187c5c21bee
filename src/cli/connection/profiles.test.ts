import { describe, expect, test } from "bun:test";
import { mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sqlite } from "../../../test/support/engines.ts";
import { adminToken, operatorToken } from "../../../test/support/server-settings.ts";
import { spawnServer } from "../../../test/support/spawned-server.ts";
import { useCli } from "../../../test/support/use-cli.ts";

const bench = useCli();

const login = (words: string, stdin: string) =>
  bench.cli.run(`login ${words}`.trim(), { stdin, environment: bench.cli.anonymous });
const file = () => join(bench.cli.folder, "config/tollgate/profiles.json");
const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

describe("login", () => {
  test("stores the address and the token in a file that only its owner can read", async () => {
    const { cli, server } = bench;
    const { status, stdout, stderr } = await login(`${server.url}/ --token-stdin`, `${adminToken}\n`);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    expect(stderr).toContain(`Logged in to ${server.url}, account default, as admin.`);
    expect(stderr).not.toContain(adminToken);
    expect(await mode(file())).toBe("600");
    expect(await mode(join(cli.folder, "config/tollgate"))).toBe("700");
    const whoami = await cli.run("whoami", { environment: cli.anonymous });
    expect(whoami.stdout).toContain(`Server   ${server.url}\nFrom     profile default\n`);
  });

  test("stores nothing if the server rejects the token", async () => {
    const before = await readFile(file(), "utf8");
    const { status, stderr } = await login(`${bench.server.url} --token-stdin --profile wrong`, "no-such-token");
    expect(status).toBe(1);
    expect(stderr).toContain("Log in: tollgate login");
    expect((await login("127.0.0.1:1 --token-stdin --profile wrong", "no-such-token")).status).toBe(3);
    expect((await login("ftp://x --token-stdin", "t")).status).toBe(2);
    expect((await login(`${bench.server.url} --token-stdin`, "")).status).toBe(2);
    expect(await readFile(file(), "utf8")).toBe(before);
  });

  test("does not prompt without a terminal", async () => {
    expect((await login("", "")).stderr).toContain("<address> is missing");
    expect((await login(bench.server.url, "")).stderr).toContain("--token-stdin");
  });

  test("--local takes the token of a server on this machine", async () => {
    const { cli, server } = bench;
    await mkdir(join(cli.folder, "data"), { recursive: true });
    await writeFile(join(cli.folder, "data/admin-token"), `${adminToken}\n`);
    const environment = { ...cli.anonymous, TOLLGATE_PORT: new URL(server.url).port };
    expect((await cli.run("login --local --profile here", { environment })).status).toBe(0);
    expect(await cli.json("whoami --profile here", { environment: cli.anonymous })).toMatchObject({ role: "admin" });
    await rm(join(cli.folder, "data"), { recursive: true });
    const missing = await cli.run("login --local", { environment });
    expect(missing).toMatchObject({ status: 2, stdout: "" });
    expect(missing.stderr).toContain("--data-dir FOLDER");
  });
});

test("login --local finds the port of the server that has the data directory, until it stops", async () => {
  const database = await sqlite.freshDatabase();
  const directory = database.environment.TOLLGATE_DATA_DIR!;
  const local = await spawnServer(sqlite, { database, environment: { TOLLGATE_ADMIN_TOKEN: "" } });
  const { cli } = bench;
  const words = ["login", "--local", "--data-dir", directory, "--profile", "local"];
  const { status, stderr } = await cli.run(words, { environment: cli.anonymous });
  expect({ status, stderr }).toMatchObject({
    status: 0,
    stderr: expect.stringContaining(`Logged in to ${local.url},`),
  });
  await cli.run("logout --profile local", { environment: cli.anonymous });
  await local.stop();
  expect(await Bun.file(join(directory, "server.url")).exists()).toBe(false);
  await database.drop();
});

describe("selection of the server", () => {
  test("uses the named profile, else the one of the last login", async () => {
    const { cli, server } = bench;
    await login(`${server.url} --token-stdin --profile operator`, operatorToken);
    const environment = cli.anonymous;
    expect(await cli.json("whoami", { environment })).toMatchObject({ role: "operator" });
    expect(await cli.json("whoami --profile default", { environment })).toMatchObject({ role: "admin" });
    const unknown = await cli.run("whoami --profile nope", { environment });
    expect(unknown).toMatchObject({ status: 2, stdout: "" });
    expect(unknown.stderr).toContain('There is no profile "nope"; there are: default, here, operator.');
  });

  test("TOLLGATE_URL and TOLLGATE_TOKEN override the profile, together or alone", async () => {
    const { cli, server } = bench;
    const run = (variables: Record<string, string>, words = "whoami") =>
      cli.run(words, { environment: { ...cli.anonymous, ...variables } });
    expect((await run({ TOLLGATE_TOKEN: adminToken })).stdout).toContain("Role     admin");
    expect((await run({ TOLLGATE_URL: server.url })).stdout).toContain("Role     admin");
    const both = await run({ TOLLGATE_URL: server.url, TOLLGATE_TOKEN: adminToken }, "whoami --profile operator");
    expect(both.stdout).toContain("Role     admin");
    expect(both.stderr).toContain("are used instead of profile operator");
  });

  test("a token is not sent to a server that it was not created for", async () => {
    const { cli } = bench;
    const seen: (string | null)[] = [];
    const elsewhere = Bun.serve({
      port: 0,
      fetch(request) {
        seen.push(request.headers.get("authorization"));
        return new Response();
      },
    });
    const { status, stderr } = await cli.run("whoami", {
      environment: { ...cli.anonymous, TOLLGATE_URL: elsewhere.url.href },
    });
    expect(status).toBe(2);
    expect(stderr).toContain("Set TOLLGATE_TOKEN too.");
    expect(seen).toEqual([]);
    await elsewhere.stop(true);
  });
});

test("logout removes the profile and selects another one", async () => {
  const { cli } = bench;
  const environment = cli.anonymous;
  expect((await cli.run("logout", { environment })).stderr).toContain(
    "Removed profile operator. The current profile is now default.",
  );
  await cli.run("logout --profile here", { environment });
  await cli.run("logout", { environment });
  expect(await readFile(file(), "utf8")).not.toContain(adminToken);
  const nobody = await cli.run("consumers list", { environment });
  expect(nobody).toMatchObject({ status: 2, stdout: "" });
  expect(nobody.stderr).toContain("You are not logged in.\n  → Log in: tollgate login");
});

test("a broken file is reported and not changed", async () => {
  await writeFile(file(), "{");
  const { status, stderr } = await bench.cli.run("whoami", { environment: bench.cli.anonymous });
  expect(status).toBe(1);
  expect(stderr).toContain("profiles.json is not JSON");
  expect(await readFile(file(), "utf8")).toBe("{");
});
