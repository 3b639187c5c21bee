import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { makeCertificate } from "../../test/support/certificates.ts";
import { program } from "../../test/support/run-folder.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { until } from "../../test/support/until.ts";
import { useCli } from "../../test/support/use-cli.ts";
import { outputReadLate, pipeBytes } from "../../test/support/waiting-reader.ts";

const bench = useCli();

const controlSequence = "\x1b";

describe("usage errors: exit code 2, nothing on standard output, and a suggestion", () => {
  test.each([
    ["kyes list", 'There is no command "kyes"; did you mean "keys"?'],
    ["logs shop", "tollgate deployments logs"],
    ["rollback shop", "tollgate deployments rollback"],
    ["keys lst", 'There is no "lst" in "keys"; did you mean "list"?'],
    ["consumers list --bukcet x", "There is no option --bukcet; did you mean --bucket?"],
    ["serve --port 80", "It is set in the environment: TOLLGATE_PORT=… tollgate …"],
    ["whoami --token x", "It is set in the environment: TOLLGATE_TOKEN=… tollgate …"],
    ["keys roll", "<consumer> is missing: the consumer's name"],
    ["keys create acme --expires-on soon", "--expires-on must be a time such as"],
    ["tokens create", "--role is needed"],
    ["--json keys list", "Options come after the command"],
    ["keys create acme --file x.csv --description y", "The options of a single key cannot be combined with --file"],
    ["consumers update acme", "There is nothing to change."],
    ["exports update lake", "There is nothing to change."],
    ["exports update lake --enable --disable", "--enable cannot be combined with --disable."],
    ["requests --follow --from -1h", "--from cannot be combined with --follow, which shows only new requests."],
    ["requests --follow --limit 5", "--limit cannot be combined with --follow"],
    ["completion powershell", "<shell> must be bash, zsh, fish"],
    ["constructor", 'There is no command "constructor"'],
  ])("tollgate %s", async (words, message) => {
    const { status, stdout, stderr } = await bench.cli.run(words);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toStartWith("Error: ");
    expect(stderr).toContain(message);
    expect(stderr).toContain("  → ");
  });

  test("a message that is larger than a pipe arrives whole, also when its reader waits", async () => {
    const word = "x".repeat(100_000);
    const text = await outputReadLate([...program, word], { output: "stderr", writtenFirst: pipeBytes });
    expect(text).toStartWith(`Error: There is no command "${word}".`);
    expect(text).toEndWith("\n");
  });

  test("no command at all shows the help, on the error stream", async () => {
    const { status, stdout, stderr } = await bench.cli.runProcess([]);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("Usage: tollgate <command> [options]");
  });
});

test.each(["help", "--help", "keys --help", "help keys", "keys create -h", "help keys create"])(
  "tollgate %s prints help and is fine",
  async (words) => {
    const { status, stdout, stderr } = await bench.cli.run(words);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("Usage: tollgate ");
  },
);

describe("a rejected request is exit code 1, and the error explains what to do", () => {
  test("the field, the code and the request id, which is in the server's log", async () => {
    const { status, stdout, stderr } = await bench.cli.runProcess(["consumers", "create", "Not A Name"]);
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    expect(stderr).toContain("(validation_failed)\n  name must be 1 to 128 characters");
    expect(stderr).toContain(`\n  ${bench.server.url}/docs/guides/errors#validation-failed\n`);
    const [, requestId] = /request id (\S+)/.exec(stderr)!;
    await until(() => bench.server.log.includes(`"requestId":"${requestId}"`));
  });

  test("a parameter is reported by the name of its option", async () => {
    const { status, stderr } = await bench.cli.run("requests list --limit 0");
    expect(status).toBe(1);
    expect(stderr).toContain("\n  limit must be at least 1\n");
  });

  test("a 404 suggests the command that lists what exists", async () => {
    await bench.client.buckets.create({ name: "main" });
    expect((await bench.cli.run("keys list nobody")).stderr).toContain("List them: tollgate consumers list");
    for (const words of ["requests list --deployment none", "analytics none"])
      expect((await bench.cli.run(words)).stderr).toContain("List them: tollgate deployments list");
    for (const words of ["authorizations list", "clients list", "portal show"])
      expect((await bench.cli.run(words)).stderr).toContain(
        "Create it: tollgate portal set. For that of another key bucket: --bucket NAME",
      );
    for (const [words, advice] of [
      ["tokens show tokn_none", "List them: tollgate tokens list"],
      ["plans list --bucket none", "List them: tollgate metering list"],
      ["consumers list --bucket none", "List them: tollgate buckets list"],
      ["exports list --account none", "The one of your token: tollgate whoami"],
    ] as const)
      expect((await bench.cli.run(words)).stderr).toContain(`  → ${advice}\n`);
    const { status, stderr } = await bench.cli.run("jobs show job_none");
    expect(status).toBe(1);
    expect(stderr).toContain("  → Jobs are kept for 30 days.\n");
    expect(stderr).not.toContain("jobs list");
  });

  test("an unknown token suggests login, or names the variable it came from", async () => {
    const environment = { ...bench.cli.environment, TOLLGATE_TOKEN: "no-such-token" };
    const { status, stderr } = await bench.cli.run("whoami", { environment });
    expect(status).toBe(1);
    expect(stderr).toContain("TOLLGATE_TOKEN is not a token of this server");
  });
});

describe("no connection is exit code 3", () => {
  test("the exit code is 3 if no server listens", async () => {
    const environment = { ...bench.cli.environment, TOLLGATE_URL: "http://127.0.0.1:1" };
    const { status, stdout, stderr } = await bench.cli.runProcess("whoami", { environment });
    expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
    expect(stderr).toContain("Is the server running?");
  });

  test("if the certificate is untrusted or for another name, with advice", async () => {
    const { certificate, key } = makeCertificate(["manage.example.com"]);
    const folder = await temporaryFolder("authority");
    const authority = join(folder.path, "authority.pem");
    await Bun.write(authority, certificate);
    const server = Bun.serve({ port: 0, tls: { cert: certificate, key }, fetch: () => new Response("hello") });
    const environment = { ...bench.cli.environment, TOLLGATE_URL: `https://127.0.0.1:${server.port}` };
    const untrusted = await bench.cli.runProcess("whoami", { environment });
    expect(untrusted.status).toBe(3);
    expect(untrusted.stderr).toContain("name its certificate: NODE_EXTRA_CA_CERTS=FILE tollgate");
    expect(untrusted.stderr).not.toContain("Is the server running?");
    const named = await bench.cli.runProcess("whoami", {
      environment: { ...environment, NODE_EXTRA_CA_CERTS: authority },
    });
    expect(named.status).toBe(3);
    expect(named.stderr).toContain("ERR_TLS_CERT_ALTNAME_INVALID\n");
    expect(named.stderr).toContain("The server's certificate is for other names");
    await server.stop(true);
    await folder.remove();
  });

  test("the exit code is 3 if another kind of server responds", async () => {
    const elsewhere = Bun.serve({ port: 0, fetch: () => new Response("hello") });
    const environment = { ...bench.cli.environment, TOLLGATE_URL: elsewhere.url.href };
    const { status, stderr } = await bench.cli.run("whoami", { environment });
    expect(status).toBe(3);
    expect(stderr).toContain("Is this the address of a Tollgate server?");
    await elsewhere.stop(true);
  });
});

test("deleting without a terminal requires --yes, and changes nothing without it", async () => {
  const { cli, client } = bench;
  await client.consumers("habits").create({ name: "acme" });
  const { status, stdout, stderr } = await cli.runProcess("consumers delete acme --bucket habits", { stdin: "y\n" });
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(stderr).toContain("Confirm with --yes.");
  expect(await client.consumers("habits").get("acme")).toMatchObject({ name: "acme" });
});

test("in a pipe output has no colour, no spinner and no truncated lines", async () => {
  const { cli, client } = bench;
  const description = "long ".repeat(60).trim();
  await client.consumers("pipe").create({ name: "acme", description });
  for (const words of ["consumers list --bucket pipe", "help", "consumers show acme --bucket pipe", "nonsense"]) {
    const { stdout, stderr } = await cli.runProcess(words, {
      environment: { ...cli.environment, TERM: "xterm-256color" },
    });
    expect(stdout + stderr).not.toContain(controlSequence);
    if (words.startsWith("consumers list")) expect(stdout).toContain(description);
  }
});

test("control characters in stored texts are not printed", async () => {
  const { cli, client } = bench;
  await client.consumers("rude").create({ name: "acme", description: `${controlSequence}[2Jgone\nand a line` });
  const { stdout } = await cli.run("consumers list --bucket rude");
  expect(stdout).not.toContain(controlSequence);
  expect(stdout.trim().split("\n")).toHaveLength(2);
  expect((await cli.run("consumers show acme --bucket rude")).stdout).not.toContain(controlSequence);
});

test("a long response passes a pipe completely, and a closed pipe is no failure", async () => {
  const { cli, client } = bench;
  await client.consumers("long").create({ name: "acme" });
  for (let chunk = 0; chunk < 3; chunk += 1)
    await client
      .keys("long", "acme")
      .createMany(Array.from({ length: 1000 }, () => ({ description: "x".repeat(200) })));
  const { stdout } = await cli.runProcess("keys list acme --bucket long --all --json");
  expect(JSON.parse(stdout).data).toHaveLength(3000);

  const reader = cli.start(["keys", "list", "acme", "--bucket", "long", "--all", "--json"]);
  await reader.stdout.cancel();
  expect(await reader.exited).toBe(0);
  expect(await reader.stderr.text()).toBe("");
});

test("version prints only the version", async () => {
  const { version } = await import("../../package.json");
  for (const words of ["version", "--version"])
    expect(await bench.cli.runProcess(words)).toEqual({ status: 0, stdout: `${version}\n`, stderr: "" });
});
