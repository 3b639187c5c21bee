import { afterAll, expect, test } from "bun:test";
import { eachEngine } from "../../../../test/support/engines.ts";
import { deploy } from "../../../../test/support/project.ts";
import { useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { echoUpstream, versionOf } from "../../../../test/support/versioned-project.ts";

const upstream = echoUpstream();
afterAll(() => upstream.stop(true));

eachEngine((engine) => {
  const server = useServer(engine);

  test("the project names the production branch", async () => {
    const deployBranch = (branch: string, settings?: object) =>
      deploy(server, { project: "orders", branch }, withSettings(settings));
    const types = async () => {
      const { body } = await server.client.get(`/v1/accounts/${account}/projects/orders/deployments`);
      return Object.fromEntries(
        body.data.map((row: { branchName: string; environmentType: string }) => [row.branchName, row.environmentType]),
      );
    };
    await deployBranch("main");
    expect(await types()).toEqual({ main: "PRODUCTION" });
    await deployBranch("release", { productionBranch: "release" });
    expect(await types()).toEqual({ main: "PREVIEW", release: "PRODUCTION" });
    // A preview that declares none changes nothing.
    await deployBranch("main");
    expect(await types()).toEqual({ main: "PREVIEW", release: "PRODUCTION" });
    await deployBranch("release", {});
    expect(await types()).toEqual({ main: "PRODUCTION", release: "PREVIEW" });
  });

  function withSettings(settings: object | undefined) {
    const files = versionOf(upstream, "one");
    return settings === undefined ? files : { ...files, "tollgate.json": JSON.stringify(settings) };
  }
});
