import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "yaml";
import packageJson from "../package.json" with { type: "json" };
import { maxStopMilliseconds } from "../src/cli/local-server/machine.ts";
import runtimeEnvironment from "../src/cli/local-server/runtime-environment.json" with { type: "json" };
import { drainSecondsBehindProxy, parseConfig } from "../src/config/config.ts";
import { sqlite } from "./support/engines.ts";
import { findChecker } from "./support/find-checker.ts";
import { findProgram } from "./support/find-program.ts";
import { findProxy } from "./support/find-proxy.ts";
import { commandsIn } from "./support/pasted-commands.ts";
import { startServer } from "./support/server.ts";
import { type TemporaryFolder, temporaryFolder } from "./support/temporary-folder.ts";

const project = join(import.meta.dir, "..");
const read = (path: string) => readFile(join(project, path), "utf8");

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("samples");
});
afterAll(() => folder.remove());

async function run(command: string[], environment: Record<string, string> = {}) {
  const env = { PATH: process.env.PATH!, HOME: folder.path, ...environment };
  const child = Bun.spawn(command, { cwd: folder.path, env, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, status] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { status, output: stdout + stderr };
}

/** The sample with the path of an existing certificate. */
async function withCertificate(sample: string): Promise<string> {
  const words = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 -subj /CN=x";
  const made = await run([
    findProgram("openssl"),
    ...words.split(" "),
    "-keyout",
    "privkey.pem",
    "-out",
    "fullchain.pem",
  ]);
  expect(made.status).toBe(0);
  return (await read(sample)).replaceAll("/etc/tollgate/tls", folder.path);
}

describe("samples pass the check of their program", () => {
  test("nginx accepts its sample", async () => {
    await writeFile(join(folder.path, "tollgate.conf"), await withCertificate("deploy/nginx.conf"));
    const main = `pid ${folder.path}/nginx.pid; error_log stderr; events {} http { access_log off; include ${folder.path}/tollgate.conf; }`;
    await writeFile(join(folder.path, "main.conf"), main);
    expect(
      await run([findProxy("nginx"), "-t", "-q", "-p", folder.path, "-c", join(folder.path, "main.conf")]),
    ).toEqual({
      status: 0,
      output: "",
    });
  });

  test("Caddy accepts its sample", async () => {
    await writeFile(join(folder.path, "Caddyfile"), await withCertificate("deploy/Caddyfile"));
    const { status, output } = await run([
      findProxy("caddy"),
      "validate",
      "--config",
      "Caddyfile",
      "--adapter",
      "caddyfile",
    ]);
    expect({ status, output }).toMatchObject({ status: 0, output: expect.stringContaining("Valid configuration") });
    expect(await run([findProxy("caddy"), "fmt", join(project, "deploy/Caddyfile")])).toEqual({
      status: 0,
      output: await read("deploy/Caddyfile"),
    });
  });

  test("HAProxy accepts its sample", async () => {
    await writeFile(join(folder.path, "haproxy.cfg"), await withCertificate("deploy/haproxy.cfg"));
    const files = ["fullchain.pem", "privkey.pem"].map((name) => readFile(join(folder.path, name), "utf8"));
    await writeFile(join(folder.path, "combined.pem"), (await Promise.all(files)).join(""));
    expect((await run([findProxy("haproxy"), "-c", "-q", "-f", "haproxy.cfg"])).status).toBe(0);
  });

  test("systemd accepts its samples", async () => {
    await mkdir(join(folder.path, "units"), { recursive: true });
    const unit = join(folder.path, "units/tollgate.service");
    await writeFile(unit, (await read("deploy/tollgate.service")).replace("/opt/tollgate/tollgate", "/bin/true"));
    const { output } = await run([findChecker("systemd-analyze"), "verify", "--man=no", unit]);
    expect(output.split("\n").filter((line) => line.includes("tollgate.service"))).toEqual([]);
  });
});

describe("the image", () => {
  test("does not run as root, keeps its data in a volume, and contains the build output", async () => {
    const dockerfile = await read("deploy/Dockerfile");
    expect(dockerfile).toMatch(/^FROM node:\d+-slim AS build$/m);
    expect(dockerfile).toMatch(/^USER tollgate$/m);
    expect(dockerfile).toMatch(/^VOLUME \/data$/m);
    expect(dockerfile).not.toContain("--chown=root");
  });

  test("copies existing files and runs existing scripts", async () => {
    const dockerfile = await read("deploy/Dockerfile");
    const ignored = (await read(".dockerignore")).trim().split("\n");
    const copied = [...dockerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)].flatMap(([, paths]) => paths!.split(" "));
    expect(copied).toContain("package-lock.json");
    for (const path of copied) {
      expect({ path, exists: existsSync(join(project, path)) }).toEqual({ path, exists: true });
      expect(ignored).not.toContain(path);
    }
    for (const [, name] of dockerfile.matchAll(/npm run (\S+)/g)) expect(packageJson.scripts).toHaveProperty(name!);
    // src/cli/binary.test.ts builds and runs them.
    const built = [...dockerfile.matchAll(/^COPY --from=build \/source\/dist\/(\S+) /gm)].map(([, path]) => path);
    expect(built).toEqual(["tollgate", "programs"]);
  });

  test("the health check needs no shell, passes with a server, and fails without one", async () => {
    const [, words] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(await read("deploy/Dockerfile"))!;
    const [program, ...parameters] = JSON.parse(words!) as string[];
    expect(program).toBe("/opt/tollgate/tollgate");
    const health = (environment: Record<string, string>, ...more: string[]) =>
      run([process.execPath, join(project, "src/main.ts"), ...parameters, ...more], environment);
    const server = await startServer(sqlite);
    const { port } = new URL(server.url);
    expect(await health({ TOLLGATE_PORT: port })).toEqual({ status: 0, output: "" });
    expect(await health({ TOLLGATE_PORT: port, TOLLGATE_HOST: "0.0.0.0" }, "--ready")).toEqual({
      status: 0,
      output: "",
    });
    // With TLS, it probes the plain HTTP port.
    await withCertificate("deploy/nginx.conf");
    const tls = { TOLLGATE_TLS_CERT: "fullchain.pem", TOLLGATE_TLS_KEY: "privkey.pem", TOLLGATE_HTTP_PORT: port };
    expect(await health({ TOLLGATE_PORT: "1", ...tls })).toEqual({ status: 0, output: "" });
    await server.stop();
    expect(await health({ TOLLGATE_PORT: port })).toEqual({
      status: 1,
      output: `http://127.0.0.1:${port}/healthz: no server responds.\n`,
    });
  });
});

test("the composition waits for PostgreSQL, and requires its secrets", async () => {
  const text = await read("deploy/compose.yaml");
  const { services } = parse(text);
  expect(services.tollgate.depends_on).toEqual({ postgres: { condition: "service_healthy" } });
  expect(services.tollgate.read_only).toBe(true);
  expect(services.tollgate.build).toEqual({ context: "..", dockerfile: "deploy/Dockerfile" });
  for (const name of ["POSTGRES_PASSWORD", "TOLLGATE_ENCRYPTION_KEY"]) expect(text).toContain(`\${${name}:?`);
});

test("the guide to the composition sets what it requires, and a key that the server accepts", async () => {
  const guide = await read("docs/docker-compose.md");
  const [secrets, ...more] = commandsIn(guide.replaceAll(/^ {3}(?! )/gm, ""));
  expect(more).toEqual([]);
  const text = await read("deploy/compose.yaml");
  const required = new Set([...text.matchAll(/\$\{([A-Z_]+):\?/g)].map(([, name]) => name!));
  for (const name of required) expect(secrets).toContain(`${name}=`);
  const { output } = await run(["bash", "-ec", `${secrets}\necho "$TOLLGATE_ENCRYPTION_KEY $POSTGRES_PASSWORD"`]);
  const [key, password] = output.trim().split(" ");
  expect(Buffer.from(key!, "base64")).toHaveLength(32);
  expect(password).toMatch(/^[0-9a-f]{48}$/);
  const { name, services } = parse(text);
  const optional = Object.entries(services.tollgate.environment).filter(([, value]) => value === null);
  for (const [setting] of optional) expect(guide).toContain(`${setting}=`);
  expect(guide).toContain(`docker network inspect ${name}_default`);
  for (const [, file] of guide.matchAll(/docker compose --file (\S+) (?:up|logs)/g))
    expect(file).toBe("deploy/compose.yaml");
});

test("service managers do not kill a server before it has stopped", async () => {
  const seconds = maxStopMilliseconds / 1000 + drainSecondsBehindProxy;
  const unit = await read("deploy/tollgate.service");
  expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThan(seconds);
  const { services } = parse(await read("deploy/compose.yaml"));
  expect(Number.parseInt(services.tollgate.stop_grace_period, 10)).toBeGreaterThan(seconds);
  expect(await read("docs/operating.md")).toContain(`a stop takes at most ${maxStopMilliseconds / 1000} seconds`);
});

test("the samples only set settings that the server reads", async () => {
  const files = ["deploy/Dockerfile", "deploy/compose.yaml", "deploy/tollgate.service"];
  const set = (await Promise.all(files.map(read))).flatMap((text) => text.match(/\bTOLLGATE_[A-Z_]+/g) ?? []);
  expect([...new Set<string>(set).difference(parseConfig({}).names)]).toEqual([]);
});

test("CI runs the tests on x64 and arm64", async () => {
  const { jobs } = parse(await read(".github/workflows/ci.yml"));
  const { matrix } = jobs.test.strategy;
  expect(matrix.include.map(({ architecture }: { architecture: string }) => architecture)).toEqual(["x64", "arm64"]);
  expect(jobs.test.steps.at(-1).run).toBe("npm ci && npm test");
});

test("CI runs tests on macOS too, and releases have provenance", async () => {
  const ci = parse(await read(".github/workflows/ci.yml"));
  expect(ci.jobs.macos["runs-on"]).toStartWith("macos-");
  const { jobs } = parse(await read(".github/workflows/release.yml"));
  expect(jobs.publish.needs).toEqual(["test", "openapi"]);
  expect(jobs.publish.permissions["id-token"]).toBe("write");
  const [building, publishing] = ["npm run release", "npm publish"].map((command) =>
    jobs.publish.steps.findIndex(({ run = "" }: { run?: string }) => run.includes(command)),
  );
  expect(jobs.publish.steps[building!].run).toContain('--repository "$REPOSITORY"');
  expect(publishing).toBeGreaterThan(building!);
  expect(jobs.publish.steps[publishing!].run).toContain('npm publish "$package" --provenance --access public');
});

test("workflows name actions by their commit, which a moved tag does not change", async () => {
  const files = (await readdir(join(project, ".github/workflows"))).map((name) => `.github/workflows/${name}`);
  const texts = await Promise.all([...files, "deploy/ci/github/action.yml"].map(read));
  const used = texts.flatMap((text) => text.match(/^\s*(?:- )?uses: .*$/gm) ?? []).map((line) => line.trim());
  expect(used.length).toBeGreaterThan(10);
  expect(used.filter((line) => !/uses: (\.\/|[\w./-]+@[0-9a-f]{40} # v\d)/.test(line))).toEqual([]);
});

test("dependencies are updated weekly and scanned", async () => {
  const { updates } = parse(await read(".github/dependabot.yml"));
  expect(updates.map((one: Record<string, unknown>) => one["package-ecosystem"])).toEqual([
    "npm",
    "github-actions",
    "docker",
  ]);
  for (const { schedule } of updates) expect(schedule.interval).toBe("weekly");
  const security = parse(await read(".github/workflows/security.yml"));
  expect(security.on.schedule).not.toBeEmpty();
  expect(Object.keys(security.jobs)).toEqual(["dependencies", "code"]);
});

test("workflows use actions by the commit, with its version, and the package has exact dependencies", async () => {
  const workflows = (await readdir(join(project, ".github/workflows"))).map((name) => `.github/workflows/${name}`);
  const texts = await Promise.all([...workflows, "docs/ci.md"].map(read));
  const used = texts.flatMap((text) => [...text.matchAll(/\buses: *(\S+)(.*)/g)]);
  expect(used.length).toBeGreaterThan(5);
  // The last one is the reader's own copy.
  const unpinned = used.filter(([, action, comment]) => !/@[0-9a-f]{40}$/.test(action!) || !/^ # v\d/.test(comment!));
  expect(unpinned.map(([, action]) => action)).toEqual([`acme/tollgate/deploy/ci/github@v${packageJson.version}`]);
  expect(Object.values(packageJson.dependencies).filter((range) => !/^\d+\.\d+\.\d+$/.test(range))).toEqual([]);
});

test.each(["deploy/Dockerfile", "deploy/tollgate.service"])(
  "%s sets what the launcher sets for Bun's runtime",
  async (path) => {
    const sample = await read(path);
    for (const [name, value] of Object.entries(runtimeEnvironment)) expect(sample).toContain(`${name}=${value}`);
  },
);
