import { afterAll, describe, expect, test } from "bun:test";
import { DeploymentDirectory } from "../src/areas/gateways/deployments/versions/directory.ts";
import { eachEngine } from "./support/engines.ts";
import { callHost, deploy } from "./support/project.ts";
import { useServer } from "./support/server.ts";
import { adminToken } from "./support/server-settings.ts";
import { useStorage } from "./support/storage.ts";
import { echoUpstream, versionOf } from "./support/versioned-project.ts";

const upstream = echoUpstream();
afterAll(() => upstream.stop(true));

const headers = { authorization: `Bearer ${adminToken}` };

eachEngine((engine) => {
  const server = useServer(engine, {
    environment: {
      TOLLGATE_PUBLIC_URL: "https://Manage.example.com",
      TOLLGATE_ALLOWED_HOSTS: "manage.internal, 10.0.0.5:80",
      TOLLGATE_GATEWAY_URL: "https://{name}.apis.example.com",
      // The upstream of the tests is on loopback.
      TOLLGATE_EGRESS: "any",
    },
  });
  const whoAmI = (host: string) => callHost(server.url, host, "/v1/who-am-i", { headers });

  describe("with a public URL", () => {
    test.each([
      "manage.example.com",
      "MANAGE.example.com.:8443",
      "manage.internal",
      "10.0.0.5:8787",
      "localhost:8787",
      "127.0.0.2",
      "[::1]:8787",
    ])("the management API responds under %s", async (host) => {
      expect((await whoAmI(host)).status).toBe(200);
    });

    test.each([
      "evil.example",
      "10.0.0.6",
      "manage.example.com.evil.example",
      "localhost.evil.example",
      "127.0.0.1.evil.example",
    ])("the API is not served under %s", async (host) => {
      for (const path of ["/v1/who-am-i", "/docs", "/openapi.json", "/"]) {
        const response = await callHost(server.url, host, path, { headers });
        expect(response.status).toBe(421);
        expect(await response.json()).toMatchObject({ code: "misdirected_request", title: "Misdirected Request" });
      }
      expect((await whoAmI("manage.example.com")).status).toBe(200);
      expect((await whoAmI(host)).status).toBe(421);
      for (const path of ["/healthz", "/readyz", "/metrics"])
        expect((await callHost(server.url, host, path)).status).toBe(200);
    });
  });

  test("an unknown host works as soon as it is deployed", async () => {
    const place = { project: "hosts", branch: "main" };
    const first = await deploy(server, place, versionOf(upstream, "one"));
    const call = async () => (await callHost(server.url, `${first.name}.apis.example.com`, "/forwarded")).status;
    expect(await call()).toBe(200);
    expect((await server.client.delete(`/v1/deployments/${first.name}`)).status).toBe(204);
    for (const _ of [1, 2, 3]) expect(await call()).toBe(404);
    const second = await deploy(server, place, versionOf(upstream, "two"));
    expect(second.name).toBe(first.name);
    expect(await call()).toBe(200);
  });

  const storage = useStorage(engine);

  test("storage is read once for an unknown name", async () => {
    let count = 0;
    const { reads } = storage.open;
    const one: typeof reads.one = (...query) => {
      count += 1;
      return reads.one(...query);
    };
    const counting = Object.create(storage.open, { reads: { value: Object.create(reads, { one: { value: one } }) } });
    const directory = new DeploymentDirectory(counting);
    for (const name of ["invented", "invented", "another", "invented"])
      expect(await directory.find(name)).toBeUndefined();
    expect(count).toBe(2);
  });
});
