// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of variables in projects, not a template literal.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { cp, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Cli } from "../../test/support/cli.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { until } from "../../test/support/until.ts";

let folder: TemporaryFolder;
let cli: Cli;

beforeAll(async () => {
  folder = await temporaryFolder("dev-test");
  cli = new Cli(folder, { url: "" });
});

afterAll(() => folder.remove());

/** A running `tollgate dev`: its output so far and its exit code. */
function dev(project: string) {
  const child = cli.start(["dev", project], { environment: cli.anonymous });
  const printed = { out: "", error: "" };
  const read = async (stream: ReadableStream<Uint8Array>, name: keyof typeof printed) => {
    for await (const chunk of stream) printed[name] += new TextDecoder().decode(chunk);
  };
  const reading = Promise.all([read(child.stdout, "out"), read(child.stderr, "error")]);
  return {
    printed,
    until: (pattern: RegExp) =>
      until(() => pattern.exec(printed.out + printed.error), {
        what: () => `${pattern} in:\n${printed.out}\n${printed.error}`,
      }),
    async interrupt() {
      child.kill("SIGINT");
      const status = await child.exited;
      await reading;
      return status;
    },
  };
}

/** As it is printed, for a shell. */
async function shell(line: string): Promise<unknown> {
  const child = Bun.spawn(["sh", "-c", line.replace(/^curl/, "curl -sS")], { stdout: "pipe", stderr: "pipe" });
  const [out, error] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  if (out === "") throw new Error(error);
  return JSON.parse(out);
}

const leftBehind = async () =>
  (await readdir(tmpdir())).filter((name) => name.startsWith("tollgate-dev-") && !name.includes("test"));

test("a project runs with a valid key, reloads, shows errors and requests, and cleans up", async () => {
  const before = await leftBehind();
  await cli.runProcess("init shop");
  const running = dev("shop");
  const [, line] = await running.until(/Try: (curl .*)\n/);
  const [, origin] = /'(http:\/\/localhost:\d+)\//.exec(line!)!;
  // Names below localhost do not resolve here. `localhost` does, and serves the project, not the management API.
  expect(await (await fetch(`${origin}/status`)).json()).toEqual({ works: true });
  expect((await fetch(`${origin}/healthz`)).status).toBe(404);
  expect(await shell(line!)).toEqual({ greeting: "Hello, world!", from: "developer" });
  await running.until(/200 GET \/hello\/world .*developer\n/);
  await running.until(/info {2}console developer greets world\n/);

  const file = join(folder.path, "shop/modules/hello.ts");
  const source = await readFile(file, "utf8");
  await writeFile(file, source.replace("Response.json", "Respnse.json"));
  await running.until(
    /modules\/hello\.ts:6:10 .*\n {2}6 │ {3}return Respnse\.json.*\n {4}│ +\^\nThe previous version keeps serving\.\n/,
  );
  expect(await shell(line!)).toMatchObject({ greeting: "Hello, world!" });
  await writeFile(file, source.replace("greeting:", "salute:"));
  await running.until(/Reloaded http/);
  expect(await shell(line!)).toEqual({ salute: "Hello, world!", from: "developer" });

  expect(await running.interrupt()).toBe(0);
  expect(await leftBehind()).toEqual(before);
});

test("the printed call has a key and the parameters that the route requires", async () => {
  const document = {
    openapi: "3.1.0",
    info: { title: "pets", version: "1" },
    servers: [{ url: "https://a.example" }],
    paths: {
      "/pets/{id}": {
        parameters: [{ $ref: "#/components/parameters/tenant" }],
        get: {
          parameters: [
            { name: "id", in: "path", required: true, schema: { type: "integer" } },
            { name: "kind", in: "query", required: true, schema: { enum: ["cat", "dog"] } },
            { name: "page", in: "query", schema: { type: "integer" } },
          ],
          responses: {},
        },
      },
    },
    components: {
      parameters: {
        tenant: { name: "X-Tenant", in: "header", required: true, schema: { type: "string", example: "t1" } },
      },
    },
  };
  await writeFile(join(folder.path, "pets.json"), JSON.stringify(document));
  await cli.runProcess("init pets --openapi pets.json");
  const running = dev("pets");
  const [, line] = await running.until(/Try: (curl .*)\n/);
  expect(line).toMatch(/^curl -H 'Authorization: Bearer tg_\w+' -H 'X-Tenant: t1' 'http:\S+\/pets\/1\?kind=cat'$/);
  expect(await running.interrupt()).toBe(0);
});

test("quotas work with any metering bucket name; a failed build is retried after a change", async () => {
  const orders = join(folder.path, "orders");
  await cp(join(import.meta.dir, "../../examples/orders"), orders, { recursive: true });
  const document = await readFile(join(orders, "openapi.json"), "utf8");
  await writeFile(
    join(orders, "openapi.json"),
    document.replace('"policies": ["key"]', '"policies": ["key", "quota", "oops"]'),
  );
  const running = dev("orders");
  await running.until(/oops[\s\S]*Waiting for a change\.\n/);
  await writeFile(
    join(orders, "openapi.json"),
    document.replace('"policies": ["key"]', '"policies": ["key", "quota"]'),
  );
  const [, key] = await running.until(/in bucket main: (tg_\w+)\n/);
  await running.until(/Its plan allows 1,000,000 of requests a month\n/);
  const [, url] = await running.until(/Reloaded (http:\S+)/);
  expect(await shell(`curl -H 'authorization: Bearer ${key}' ${url}/hello/jo`)).toMatchObject({
    greeting: "Hello, jo!",
  });
  expect(await running.interrupt()).toBe(0);
});

test("variables come from .env.tollgate, which is watched for changes and ignored by git", async () => {
  await cli.runProcess("init variables");
  const project = join(folder.path, "variables");
  expect(await readFile(join(project, ".gitignore"), "utf8")).toContain(".env.tollgate\n");
  await writeFile(join(project, "tollgate.json"), JSON.stringify({ environment: { SHOWN: "in ${REGION}" } }));
  await writeFile(
    join(project, "openapi.json"),
    JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Variables", version: "1" },
      paths: { "/": { get: { "x-tollgate": { handler: "modules/status.ts" } } } },
    }),
  );
  await writeFile(
    join(project, "modules/status.ts"),
    "export default (_request, context) => Response.json(context.environment);\n",
  );
  const running = dev("variables");
  await running.until(/tollgate\.json:1:\d+ .*REGION[\s\S]*Waiting for a change\.\n/);
  const env = join(project, ".env.tollgate");
  await writeFile(env, "REGION=eu-west-1\n1BAD=x\n");
  await running.until(/Error: \.env\.tollgate:2: 1BAD must be 1 to 128 letters[^\n]*\nWaiting for a change\.\n/);
  await writeFile(env, "# of my machine\nREGION=eu-west-1\nTOKEN='a token'\n");
  const [origin] = await running.until(/http:\/\/localhost:\d+/);
  expect(await (await fetch(`${origin}/`)).json()).toEqual({
    REGION: "eu-west-1",
    TOKEN: "a token",
    SHOWN: "in eu-west-1",
  });
  const reloads = () => (running.printed.out + running.printed.error).split("Reloaded").length;
  const before = reloads();
  await writeFile(env, "REGION=us-east-1\n");
  await until(() => reloads() > before, { what: "the change to be loaded" });
  expect(await (await fetch(`${origin}/`)).json()).toEqual({ REGION: "us-east-1", SHOWN: "in us-east-1" });
  expect(await running.interrupt()).toBe(0);
  expect(running.printed.out + running.printed.error).not.toContain("a token");
});

test("a port that is in use, or a folder without a project, is a usage error", async () => {
  const taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  await cli.runProcess("init other");
  expect(await cli.runProcess("dev other --port 70000")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('--port must be a port from 0 to 65535, not "70000"'),
  });
  const { status, stderr } = await cli.runProcess(`dev other --port ${taken.port}`);
  expect({ status, stderr }).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(`Port ${taken.port} is in use.`),
  });
  await taken.stop(true);
  expect((await cli.runProcess("dev .")).stderr).toContain("Create one: tollgate init");
});
