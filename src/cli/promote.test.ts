import { expect, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eachEngine } from "../../test/support/engines.ts";
import { until } from "../../test/support/until.ts";
import { useCli } from "../../test/support/use-cli.ts";

eachEngine((engine) => {
  const bench = useCli({}, engine);

  test("promote builds what is live in one deployment for another, and keys leaked marks a key", async () => {
    const { cli, client } = bench;
    const folder = join(cli.folder, "gateway");
    await mkdir(folder);
    const openapi = { openapi: "3.1.0", info: { title: "t", version: "1" }, paths: {} };
    const deploy = async (branch: string, path: string) => {
      const paths = { [path]: { get: { responses: {}, "x-tollgate": { upstream: "http://127.0.0.1:9" } } } };
      await writeFile(join(folder, "openapi.json"), JSON.stringify({ ...openapi, paths }));
      const { status, stdout } = await cli.run(`deploy gateway --project shop --branch ${branch} --json`);
      expect(status).toBe(0);
      return JSON.parse(stdout).name as string;
    };
    const production = await deploy("main", "/old");
    const staging = await deploy("staging", "/new");
    const promoted = await cli.run(`promote --from ${staging} --to ${production}`);
    expect(promoted).toMatchObject({ status: 0, stderr: expect.stringContaining("Live after") });
    expect((await client.deployments.routes(production)).data).toMatchObject([{ path: "/new" }]);
    const rejected = await cli.run(`promote --from ${staging} --to ${staging}`);
    expect(rejected).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("another deployment of the same project"),
    });
    expect((await cli.run(`promote --from ${staging}`)).status).toBe(2);

    await client.consumers("main").create({ name: "acme" });
    const { key } = await client.keys("main", "acme").create();
    const reported = await cli.run("keys leaked --source support", { stdin: `${key}\nnot-a-key\n` });
    expect(reported).toMatchObject({ status: 0, stderr: expect.stringMatching(/^Reported\./) });
    await until(async () => (await cli.run("keys list acme")).stdout.includes("support"), { what: "the mark" });
  });
});
