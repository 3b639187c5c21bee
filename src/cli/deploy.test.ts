import { describe, expect, test } from "bun:test";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { McpMessages } from "../../test/support/mcp-messages.ts";
import { until } from "../../test/support/until.ts";
import { useCli } from "../../test/support/use-cli.ts";
import type { Deployment, DeploymentLogLine, DeploymentVersionContents, Page } from "../client/index.ts";

const bench = useCli();
const project = () => join(bench.cli.folder, "My Shop");

/** Browsers and curl resolve names below localhost; here the server is called by its address. */
async function call(deployment: Deployment, path: string, key?: string, method = "GET") {
  const response = await fetch(`${bench.server.url}${path}`, {
    method,
    headers: { host: new URL(deployment.url).host, ...(key && { authorization: `Bearer ${key}` }) },
  });
  return { status: response.status, body: (await response.json()) as unknown };
}

async function change(file: string, from: string, to: string): Promise<void> {
  const path = join(project(), file);
  const content = await readFile(path, "utf8");
  expect(content).toContain(from);
  await writeFile(path, content.replace(from, to));
}

describe("init", () => {
  test("creates a project in a new folder, and prints what to do next", async () => {
    const { status, stdout, stderr } = await bench.cli.run(["init", "My Shop"]);
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    expect(stderr).toContain("+ My Shop/openapi.json\n+ My Shop/tollgate.json\n+ My Shop/modules/hello.ts\n");
    expect(stderr).toContain("cd 'My Shop' && tollgate dev");
  });

  test("rejects a folder that has files, without --force", async () => {
    await writeFile(join(project(), "README.md"), "mine");
    const rejected = await bench.cli.run(["init", "My Shop"]);
    expect(rejected).toMatchObject({ status: 2, stdout: "" });
    expect(await readFile(join(project(), "README.md"), "utf8")).toBe("mine");
    expect((await bench.cli.run(["init", "My Shop", "--force"])).status).toBe(0);
    expect(await readFile(join(project(), "README.md"), "utf8")).toStartWith("# my-shop\n");
  });
});

describe("init", () => {
  const read = (path: string) => readFile(join(bench.cli.folder, path), "utf8");

  test("takes the production branch from the repository", async () => {
    const git = join(bench.cli.folder, "repository/.git");
    const branch = async () => {
      await bench.cli.run("init repository/gateway --force");
      return JSON.parse(await read("repository/gateway/tollgate.json")).productionBranch;
    };
    await mkdir(join(git, "refs/heads"), { recursive: true });
    await mkdir(join(git, "refs/remotes/origin"), { recursive: true });
    await writeFile(join(git, "HEAD"), "ref: refs/heads/topic\n");
    expect(await branch()).toBe("topic");
    await writeFile(join(git, "packed-refs"), `${"0".repeat(40)} refs/heads/master\n`);
    expect(await branch()).toBe("master");
    await writeFile(join(git, "refs/remotes/origin/HEAD"), "ref: refs/remotes/origin/trunk\n");
    expect(await branch()).toBe("trunk");
    expect((await bench.cli.run("deploy repository/gateway --branch trunk")).status).toBe(0);
    await bench.client.deployments.delete((await bench.client.deployments.list("gateway"))[0]!.name);
    await bench.cli.run("init outside");
    expect(await read("outside/tollgate.json")).not.toContain("productionBranch");
  });

  test("puts a gateway before an existing API", async () => {
    const upstream = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => Response.json(new URL(url).pathname),
    });
    const document =
      "openapi: 3.1.0 # mine\ninfo: {title: pets, version: '1'}\npaths: {/pets: {get: {responses: {}}}}\n";
    await writeFile(join(bench.cli.folder, "pets.yml"), document);
    const unknown = await bench.cli.run("init pets --openapi pets.yml");
    expect(unknown).toMatchObject({ status: 2, stderr: expect.stringContaining("--upstream URL") });
    const made = await bench.cli.run(`init pets --openapi pets.yml --upstream ${upstream.url.origin}/v1`);
    expect(made.status).toBe(0);
    expect(await read("pets/openapi.yaml")).toBe(document);
    expect(await read("pets/README.md")).toContain("`openapi.yaml` defines the routes");
    expect(await read("pets/README.md")).not.toContain("modules/");
    const deployment = await bench.cli.run("deploy pets --json");
    expect(deployment.stderr).toContain("There is no key bucket main, so every key is rejected.");
    const deployed = JSON.parse(deployment.stdout) as Deployment;
    expect(await call(deployed, "/pets", "tg_of-another-bucket")).toMatchObject({ status: 401 });
    const requests = await until(async () => {
      const { data } = await bench.client.requests.list({ deployment: deployed.name });
      return data.length > 0 ? data : undefined;
    });
    expect(requests[0]!.decisions).toContainEqual(
      expect.objectContaining({ detail: expect.objectContaining({ reason: "bucket_missing", bucket: "main" }) }),
    );
    expect(await call(deployed, "/pets")).toMatchObject({ status: 401 });
    // The only deployment of a project goes by the project's name.
    const logs = await bench.cli.run("deployments logs pets --kind access");
    expect(logs.stdout).toMatch(/ 401 GET \/pets /);
    const { apiKeys } = await bench.client.consumers("main").create({ name: "pet-owner" }, { withApiKey: true });
    expect(await call(deployed, "/pets", apiKeys![0]!.key)).toEqual({ status: 200, body: "/v1/pets" });
    await bench.client.deployments.delete(deployed.name);
    await upstream.stop(true);

    await writeFile(
      join(bench.cli.folder, "api.json"),
      '{"openapi": "3.0.0", "servers": [{"url": "https://a.example"}]}',
    );
    await bench.cli.run("init named --openapi api.json");
    expect(JSON.parse(await read("named/tollgate.json")).upstream).toBe("https://a.example");
    for (const words of ["init x --openapi none.json", "init x --openapi pets/README.md", "init x --upstream http://a"])
      expect((await bench.cli.run(words)).status).toBe(2);
    expect((await bench.cli.run("init x --openapi api.json --upstream ftp://a")).status).toBe(2);
  });

  test("offers tools to agents", async () => {
    expect((await bench.cli.run("init my-tools --mcp")).status).toBe(0);
    const deployed = await bench.cli.json<Deployment>("deploy my-tools");
    const { apiKeys } = await bench.client.consumers("main").create({ name: "agent" }, { withApiKey: true });
    const address = { url: () => `${bench.server.url}/mcp`, headers: { host: new URL(deployed.url).host } };
    const agent = new McpMessages(address.url, { token: apiKeys![0]!.key, headers: address.headers });
    const { result } = await agent.send("tools/call", { name: "hello", arguments: { name: "world" } });
    expect(result.structuredContent).toEqual({ greeting: "Hello, world!", from: "agent" });
    await bench.client.deployments.delete(deployed.name);
    for (const words of ["init x --mcp --proxy http://a", "init x --mcp --models openai"])
      expect((await bench.cli.run(words)).status).toBe(2);
  });

  test("puts a gateway before an API without a document", async () => {
    const upstream = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ method, url, headers }) => {
        const { pathname } = new URL(url);
        return Response.json(pathname === "/host" ? headers.get("host") : `${method} ${pathname}`);
      },
    });
    expect((await bench.cli.run(`init plain --proxy ${upstream.url.origin}/v1`)).status).toBe(0);
    const deployed = await bench.cli.json<Deployment>("deploy plain");
    expect(await call(deployed, "/pets/7")).toMatchObject({ status: 401 });
    const { apiKeys } = await bench.client.consumers("main").create({ name: "proxied" }, { withApiKey: true });
    const { key } = apiKeys![0]!;
    expect(await call(deployed, "/", key)).toEqual({ status: 200, body: "GET /v1/" });
    expect(await call(deployed, "/pets/7", key)).toEqual({ status: 200, body: "GET /v1/pets/7" });
    expect(await call(deployed, "/pets", key, "PUT")).toEqual({ status: 200, body: "PUT /v1/pets" });
    await bench.client.deployments.delete(deployed.name);

    expect((await bench.cli.run(`init kept --proxy ${upstream.url.origin} --preserve-host`)).status).toBe(0);
    const kept = await bench.cli.json<Deployment>("deploy kept");
    expect(await call(kept, "/host", key)).toEqual({ status: 200, body: new URL(kept.url).host });
    await bench.client.deployments.delete(kept.name);
    await upstream.stop(true);
    for (const words of [
      "init x --quota requests",
      "init x --proxy ftp://a",
      "init x --proxy http://a --openapi api.json",
      "init x --preserve-host",
    ])
      expect((await bench.cli.run(words)).status).toBe(2);
  });

  test("writes the types for an editor", async () => {
    await bench.cli.run("init typed");
    const folder = join(bench.cli.folder, "typed");
    const check = async () => {
      const compiler = join(import.meta.dir, "../../node_modules/.bin/tsc");
      const child = Bun.spawn([compiler, "--project", folder, "--pretty", "false"], { stdout: "pipe" });
      return (await child.stdout.text()).trim();
    };
    expect(await check()).toBe("");
    await writeFile(
      join(folder, "modules/status.ts"),
      'import type { Handler } from "tollgate/gateway";\nexport default ((_, { user }) => new Response(user)) satisfies Handler;\n',
    );
    expect(await check()).toContain("modules/status.ts(2,");
  });
});

describe("a server whose public URL is not reachable from here", () => {
  const hidden = useCli({ TOLLGATE_PUBLIC_URL: "https://tollgate.invalid/behind/a/proxy" });

  test("receives uploads at the address of the login", async () => {
    await hidden.cli.run("init here");
    const { status, stderr } = await hidden.cli.run("deploy here");
    expect({ status, stderr }).toMatchObject({ status: 0, stderr: expect.stringContaining("Live after") });
  });
});

describe("deploy", () => {
  let deployment: Deployment;

  test("deploy of a new project prints the steps with their times, and only the address to standard output", async () => {
    const { cli, client } = bench;
    const { status, stdout, stderr } = await cli.run(["deploy", "My Shop"]);
    expect(status).toBe(0);
    [deployment] = (await client.deployments.list("my-shop")) as [Deployment];
    expect(stdout).toBe(`${deployment.url}\n`);
    expect(stderr).toMatch(
      /^Deploying my-shop, branch main\n(✓ (Upload|Unpack|Validate|Build|Start) +[\d.]+ m?s\n){5}Live after .* \(version 1, 2 routes, /,
    );
    const { apiKeys } = await client.consumers("main").create({ name: "acme" }, { withApiKey: true });
    expect(await call(deployment, "/status")).toEqual({ status: 200, body: { works: true } });
    expect(await call(deployment, "/hello/jo", apiKeys![0]!.key)).toEqual({
      status: 200,
      body: { greeting: "Hello, jo!", from: "acme" },
    });
    expect((await call(deployment, "/hello/jo")).status).toBe(401);
  });

  test("an error is shown with its line and a caret, and the previous version keeps serving", async () => {
    await change("modules/status.ts", "Response.json", "Respnse.json");
    await change("tollgate.json", '"requests"', '"requets"');
    const { status, stdout, stderr } = await bench.cli.run("deploy", { cwd: project() });
    expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
    const line = "const status: Handler = () => Respnse.json({ works: true });";
    expect(stderr).toContain(
      `modules/status.ts:3:31 Cannot find name 'Respnse'. Did you mean 'Response'? (TS2552)\n  3 │ ${line}\n    │ ${" ".repeat(line.indexOf("Respnse"))}^\n`,
    );
    expect(stderr).toMatch(
      /tollgate\.json:\d+:\d+ unknown member "requets"; did you mean "requests"\?\n +\d+ │ +"requets": 60,\n +│ +\^/,
    );
    expect(stderr).toContain("Not deployed: 3 errors. The live version is unchanged.");
    const inJson = await bench.cli.run("deploy --json", { cwd: project() });
    expect(inJson.status).toBe(1);
    expect(JSON.parse(inJson.stdout)).toEqual({
      statusId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      step: "validate",
      message: expect.stringMatching(/\S/),
      errors: expect.arrayContaining([
        {
          file: "modules/status.ts",
          line: 3,
          column: 31,
          message: expect.stringContaining("Cannot find name 'Respnse'"),
        },
      ]),
    });
    expect(await call(deployment, "/status")).toMatchObject({ body: { works: true } });
    await change("modules/status.ts", "Respnse.json", "Response.json");
    await change("tollgate.json", '"requets"', '"requests"');
  });

  test("a branch is deployed as a preview, by name or from the git checkout", async () => {
    await mkdir(join(project(), ".git"));
    await writeFile(join(project(), ".git/HEAD"), "ref: refs/heads/feature/basket\n");
    const preview = await bench.cli.json<Deployment>("deploy", { cwd: project() });
    expect(preview).toMatchObject({ branchName: "feature/basket", environmentType: "PREVIEW", projectName: "my-shop" });
    expect(await bench.client.deployments.get(preview.name)).toEqual(preview);
    const named = await bench.cli.json<Deployment>(
      ["deploy", "--project", "other", "--branch", "main", "--note", "A shop of its own"],
      { cwd: project() },
    );
    expect((await bench.cli.run(["deployments", "versions", named.name])).stdout).toMatch(
      /Author +Note .*\n.*TOLLGATE_ADMIN_TOKEN +A shop of its own /,
    );
    expect(named).toMatchObject({ projectName: "other", environmentType: "PRODUCTION" });
    expect((await bench.cli.run("deployments list my-shop")).stdout).toMatch(/my-shop-main.*\n.*feature\/basket/);
    expect((await bench.cli.run("deployments list my-shop")).stdout).not.toContain("other-main");
    const all = await bench.cli.json<Page<Deployment>>("deployments list --limit 1");
    expect(all).toMatchObject({ total: 3, data: [{ projectName: "my-shop" }] });
    expect((await bench.cli.run("deployments list")).stdout).toMatch(/my-shop-main.*\n.*\n.*other-main/);
  });

  test("a warning is labelled, and the count of one route is singular", async () => {
    const folder = join(bench.cli.folder, "single");
    await mkdir(folder);
    const document = {
      openapi: "3.1.0",
      info: { title: "single", version: "1" },
      "x-tollgate": { upstream: "https://example.com" },
      paths: { "/": { get: { responses: {} } } },
    };
    await writeFile(join(folder, "openapi.json"), JSON.stringify(document));
    await writeFile(
      join(folder, "tollgate.json"),
      '{"policies": {"idle": {"type": "cors", "options": {"origins": ["https://a.example"]}}}}',
    );
    const { status, stderr } = await bench.cli.run("deploy single");
    expect(status).toBe(0);
    expect(stderr).toMatch(/^tollgate\.json:1:\d+ warning: .*idle/m);
    expect(stderr).toContain("(version 1, 1 route, ");
    await bench.client.deployments.delete((await bench.client.deployments.list("single"))[0]!.name);
  });

  test("a folder without a project is a usage error", async () => {
    const { status, stderr } = await bench.cli.run("deploy", { cwd: join(project(), "modules") });
    expect(status).toBe(2);
    expect(stderr).toContain("Create one: tollgate init");
  });

  test("a canary release is started, shown, changed, tested, promoted and stopped", async () => {
    const { cli } = bench;
    const deployCanary = () =>
      cli.run("deploy --project canary-shop --branch main --canary 5 --abort-errors 2 --sticky-by credential", {
        cwd: project(),
      });
    expect((await deployCanary()).stderr).toContain("Live, as the first version,");
    const [{ name }] = (await bench.client.deployments.list("canary-shop")) as [Deployment];
    const live = (await bench.client.traffic.get(name)).liveVersionNumber!;
    const second = await deployCanary();
    expect(second.status).toBe(0);
    expect(second.stderr).toContain(`tollgate traffic promote ${name}`);
    const traffic = await bench.client.traffic.get(name);
    expect(traffic).toMatchObject({
      liveVersionNumber: live,
      splits: [{ weight: 95 }, { versionNumber: live + 1, weight: 5 }],
      stickyBy: "credential",
      abort: { errorShare: 0.02, minimumRequests: 100 },
    });
    const shown = await cli.run(`traffic show ${name}`);
    expect(shown.stdout).toMatch(/live +95 %.*\n.*canary +5 %/);
    await cli.run(`traffic split ${name} --version ${live + 1} --percent 0`);
    expect(await bench.client.traffic.get(name)).toMatchObject({ splits: [{ share: 1 }, { share: 0 }] });
    const { stdout: header } = await cli.run(`traffic test ${name} --version ${live + 1}`);
    expect(header).toMatch(/^x-tollgate-version: [\w-]+\n$/);
    expect((await cli.run(`traffic stop ${name}`)).stderr).toContain(`of version ${live + 1}, was stopped`);
    expect(await cli.run(`traffic promote ${name}`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("no_canary"),
    });
    await cli.run(`traffic split ${name} --version ${live + 1} --percent 50`);
    expect((await cli.run(`traffic promote ${name}`)).stderr).toContain(`Version ${live + 1} is live`);
    await bench.client.deployments.delete(name);
    for (const [options, message] of [
      ["--canary 101", "must be a whole number from 0 to 100"],
      ["--abort-errors 5", "need --canary"],
      ["--canary 5 --abort-minimum 5", "--abort-minimum needs --abort-errors"],
    ] as const) {
      const rejected = await cli.run(`deploy ${options}`, { cwd: project() });
      expect({ options, status: rejected.status }).toEqual({ options, status: 2 });
      expect(rejected.stderr).toContain(message);
    }
  });

  test("versions, roll-back, redeploy", async () => {
    const { cli, client } = bench;
    await change("modules/status.ts", "works: true", "works: 2");
    await cli.run("deploy --branch main", { cwd: project() });
    expect(await call(deployment, "/status")).toMatchObject({ body: { works: 2 } });
    expect((await cli.run(["deployments", "versions", deployment.name])).stdout).toMatch(/\n1 +no .*\n2 +yes /);
    const first = await cli.run(["deployments", "version", deployment.name, "1"]);
    expect(first).toMatchObject({ status: 0, stderr: "" });
    for (const part of [/^Number +1$/m, /"openapi": "3/, /"handler": "modules\/status.ts"/, /works: true/])
      expect(first.stdout).toMatch(part);
    const second = await cli.json<DeploymentVersionContents>(["deployments", "version", deployment.name, "2"]);
    expect(second).toEqual(await client.deployments.version(deployment.name, 2));
    expect(second.contents.code).toContain("works: 2");
    expect(await cli.run(["deployments", "version", deployment.name, "9"])).toMatchObject({
      status: 1,
      stdout: "",
      stderr: expect.stringContaining(
        "No such version. (not_found)\n  → List them: tollgate deployments versions NAME",
      ),
    });
    const routes = await cli.run(["deployments", "routes", deployment.name]);
    expect(routes).toMatchObject({ status: 0, stderr: expect.stringMatching(/\d routes of version 2\.\n/) });
    expect(routes.stdout).toMatch(/^Method +Path +Target .*\n[\s\S]*^GET +\/status +modules\/status\.ts/m);
    const ofFirst = await cli.json(["deployments", "routes", deployment.name, "--version", "1"]);
    expect(ofFirst).toEqual(await client.deployments.routes(deployment.name, { version: 1 }));
    expect(await cli.json("deployments list my-shop --branch main")).toMatchObject({ total: 1 });
    expect(await cli.json("deployments list --branch nowhere")).toMatchObject({ total: 0 });
    // The downloaded project is one that can be deployed again.
    const archive = join(cli.folder, "source.tar.gz");
    const source = await cli.run(["deployments", "source", deployment.name, "--version", "1", "--output", archive]);
    expect(source).toMatchObject({ status: 0, stdout: `${archive}\n` });
    const listed = Bun.spawn(["tar", "-tzf", archive]);
    expect(await listed.stdout.text()).toContain("openapi.json\n");
    const changes = await cli.run(["deployments", "changes", deployment.name, "--version", "1", "--with", "2"]);
    expect(changes).toMatchObject({ status: 0, stderr: expect.stringContaining("compared with version 2") });
    const numbered = await cli.run(["deployments", "rollback", deployment.name, "1"]);
    expect(numbered).toEqual({ status: 0, stdout: `${deployment.url}\n`, stderr: "Version 1 serves again:\n" });
    await cli.run(["deployments", "rollback", deployment.name, "--version", "2"]);
    expect(await call(deployment, "/status")).toMatchObject({ body: { works: 2 } });
    expect((await cli.run(["deployments", "rollback", deployment.name, "one"])).status).toBe(2);
    const several = { status: 2, stderr: expect.stringContaining(`Name one: ${deployment.name}, `) };
    expect(await cli.run("deployments rollback my-shop 1")).toMatchObject(several);
    const back = await cli.run(["deployments", "rollback", deployment.name]);
    expect(back).toEqual({ status: 0, stdout: `${deployment.url}\n`, stderr: "The previous version serves again:\n" });
    expect(await call(deployment, "/status")).toMatchObject({ body: { works: true } });
    const again = await cli.run(["deployments", "redeploy", deployment.name]);
    expect(again).toMatchObject({ status: 0, stdout: `${deployment.url}\n` });
    expect(await call(deployment, "/status")).toMatchObject({ body: { works: 2 } });
    expect((await cli.json<Deployment>(["deployments", "show", deployment.name])).state).toBe("STARTED");
  });

  test("logs, and logs that are followed until interrupted", async () => {
    const { cli } = bench;
    const logs = await until(async () => {
      const { data } = await cli.json<{ data: DeploymentLogLine[] }>(["deployments", "logs", deployment.name]);
      const statuses = data.filter(({ path }) => path === "/hello/jo").map(({ status }) => status);
      const isComplete = [200, 401].every((status) => statuses.includes(status));
      return isComplete && data.some(({ kind }) => kind === "console") ? data : undefined;
    });
    expect(logs.find(({ kind }) => kind === "console")).toMatchObject({ message: "acme greets jo" });
    const access = await cli.run(["deployments", "logs", deployment.name, "--kind", "access"]);
    expect(access.stdout).toMatch(/^[\d:.]{12} 200 GET \/hello\/jo [\d.]+ ms acme$/m);
    expect(access.stdout).toMatch(/ 401 GET \/hello\/jo [\d.]+ ms key_missing: \S.*$/m);
    await call(deployment, "/nowhere");
    await until(async () => {
      const { stdout } = await cli.run(["deployments", "logs", deployment.name, "--kind", "access"]);
      return / 404 GET \/nowhere [\d.]+ ms no_such_route: \S.*$/m.test(stdout);
    });

    const following = cli.start(["deployments", "logs", deployment.name, "-f", "--kind", "access", "--limit", "1"]);
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of following.stdout) seen.push(new TextDecoder().decode(chunk));
    })();
    await until(() => seen.length > 0);
    await call(deployment, "/status?from=follower");
    await until(() => /\/status/.test(seen.slice(1).join("")), { what: () => `a new line after ${seen}` });
    following.kill("SIGINT");
    expect(await following.exited).toBe(0);
    await reading;
  });

  test("deployments delete needs --yes without a terminal", async () => {
    expect((await bench.cli.run(["deployments", "delete", deployment.name])).status).toBe(2);
    expect((await bench.cli.run(["deployments", "delete", deployment.name, "--yes"])).status).toBe(0);
    expect((await call(deployment, "/status")).status).toBe(404);
    expect((await bench.cli.run("deployments list nothing-here")).stderr).toBe("There are no deployments.\n");
  });
});
