import { afterAll, expect, test } from "bun:test";
import { eachEngine, sqlite } from "../../../../test/support/engines.ts";
import { callHost, deploy, projectArchive, requestUpload, settledStatus } from "../../../../test/support/project.ts";
import { startServer, useServer } from "../../../../test/support/server.ts";
import { account } from "../../../../test/support/server-settings.ts";
import { echoUpstream, versionOf } from "../../../../test/support/versioned-project.ts";

const upstream = echoUpstream();
afterAll(() => upstream.stop(true));

test("a deploy to an upstream that the egress rejects reports it", async () => {
  const server = await startServer(sqlite, { environment: { TOLLGATE_EGRESS: "public" } });
  try {
    const { client } = server;
    const place = { project: "orders", branch: "main" };
    const { path, statusId } = await requestUpload(client, place);
    await client.raw("PUT", path, await projectArchive(versionOf(upstream, "one")));
    const { status, buildResult } = await settledStatus(client, place, statusId);
    expect(status).toBe("SUCCESS");
    expect(buildResult.warnings).toMatchObject([{ message: expect.stringContaining(upstream.url.host) }]);
  } finally {
    await server.stop();
  }
});

eachEngine((engine) => {
  const server = useServer(engine, {
    environment: {
      TOLLGATE_PUBLIC_URL: "https://manage.example.com",
      TOLLGATE_GATEWAY_URL: "https://{name}.apis.example.com:8443",
      TOLLGATE_EGRESS: "any",
    },
  });

  test("archives are uploaded to the public URL of the server", async () => {
    const body = { accountName: account, projectName: "orders", branchName: "main" };
    const { uploadUrl } = (await server.client.post("/v1/deployments/sources", body)).body;
    expect(uploadUrl).toStartWith("https://manage.example.com/v1/deployments/sources/");
  });

  test("deployments are reached at the gateway URL, and nowhere else", async () => {
    const { name, url } = await deploy(server, { project: "orders", branch: "main" }, versionOf(upstream, "one"));
    expect(url).toBe(`https://${name}.apis.example.com:8443/`);
    const call = async (host: string) => (await callHost(server.url, host, "/forwarded")).status;
    expect(await call(`${name}.apis.example.com:8443`)).toBe(200);
    expect(await call(`${name}.localhost`)).toBe(404);
    expect(await call(`${name}.example.com`)).toBe(421);
  });
});
