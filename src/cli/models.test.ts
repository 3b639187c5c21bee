import { afterAll, beforeAll, expect, test } from "bun:test";
import { Cli } from "../../test/support/cli.ts";
import { sqlite } from "../../test/support/engines.ts";
import { MeteredModels } from "../../test/support/metered-models.ts";
import { ModelProvider } from "../../test/support/model-provider.ts";
import { useServer } from "../../test/support/server.ts";
import { type TemporaryFolder, temporaryFolder } from "../../test/support/temporary-folder.ts";
import { until } from "../../test/support/until.ts";
import type { ModelAnalytics } from "../client/index.ts";

const server = useServer(sqlite);
let provider: ModelProvider;
let folder: TemporaryFolder;
beforeAll(async () => {
  provider = new ModelProvider();
  folder = await temporaryFolder("cli-models");
});
afterAll(async () => {
  provider.stop();
  await folder.remove();
});

test("tollgate models shows tokens, cost, charge and margin by time and by model", async () => {
  const cli = new Cli(folder, server);
  expect(await cli.run("models")).toMatchObject({ status: 0, stderr: expect.stringMatching(/^0 requests to models/m) });
  const models = await MeteredModels.deploy(server, "models", provider);
  const customer = await models.customer();
  const messages = [{ role: "user", content: "Hi" }];
  for (const model of ["small", "small"]) await customer.post("chat/completions", { model, messages });
  await customer.post("messages", { model: "claude", max_tokens: 100, messages });
  // The range ends with the clock of the CLI, which is not that of the server.
  const range = ["--from", server.clock.iso(-3_600_000), "--to", server.clock.iso(60_000)];
  const shown = async () => {
    await server.catchUp();
    return (await cli.json<ModelAnalytics>(["models", "--by", "model", ...range])).series;
  };
  await until(async () => (await shown()).reduce((sum, { totals }) => sum + totals.requests, 0) === 3);
  const byModel = await cli.run(["models", "--by", "model", ...range]);
  expect(byModel.stdout).toMatch(/^Model +Requests +Input +Cached +Output +Currency +Cost +Charge +Margin\n/);
  expect(byModel.stdout).toMatch(/\nsmall +2 +16 +6 +10 +USD +0\.0001332 +0\.00015984 +0\.00002664\n/);
  expect(byModel.stdout).toMatch(/\nclaude +1 +11 +3 +5 +USD +/);
  expect(byModel.stderr).toMatch(/^3 requests to models from /m);
  expect((await cli.run(["models", "--model", "small", ...range])).stdout).toMatch(/Z? +2 +16 +6 +10 +USD/);
  expect((await cli.run(["models", "--by", "route"])).status).toBe(2);
});
