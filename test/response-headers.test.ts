import { expect, test } from "bun:test";
import { eachEngine, sqlite } from "./support/engines.ts";
import { newKeyHolder, verify } from "./support/key-holder.ts";
import { setPortal } from "./support/portal.ts";
import { callHost, deploy, openApi } from "./support/project.ts";
import { startServer, useServer } from "./support/server.ts";
import { account } from "./support/server-settings.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client } = server;

  test("responses with keys or tokens are not cacheable", async () => {
    const { bucket, path, keys } = await newKeyHolder(client, { bucketOptions: { isRetrievable: true } });
    const created = await client.post(keys, {}, { "idempotency-key": "once" });
    const withKey = await client.post(`${bucket}/consumers?with-api-key=true`, { name: "other" });
    const visible = await client.get(`${keys}?key-format=visible`);
    const one = await client.get(`${keys}/${created.body.id}?key-format=visible`);
    const responses = [
      created,
      await client.post(keys, {}, { "idempotency-key": "once" }),
      withKey,
      visible,
      one,
      await client.get(`${keys}/${created.body.id}?key-format=visible`, { "if-none-match": one.headers.get("etag")! }),
      await client.get(`${path}?include-api-keys=true&key-format=visible`),
      await client.get(`${bucket}/consumers?include-api-keys=true&key-format=visible`),
      await client.post(`/v1/accounts/${account}/tokens`, { role: "reader" }),
      await client.post("/v1/deployments/sources", { accountName: account, projectName: "p", branchName: "main" }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 304, 200, 200, 200, 200]);
    expect(responses.map(({ headers }) => headers.get("cache-control"))).toEqual(responses.map(() => "no-store"));
    const { key } = created.body;
    expect((await verify(client, bucket, key)).headers.get("cache-control")).toBeNull();
    expect((await client.get(`/v1/accounts/${account}/tokens`)).headers.get("cache-control")).toBeNull();
  });

  test("responses disable content sniffing", async () => {
    const { bucket, path } = await newKeyHolder(client);
    const responses = [
      await verify(client, bucket, "no key at all"),
      await client.get(path),
      await client.get(`${path}x`),
      await client.get("/nowhere"),
      await client.anonymous().get(path),
      await client.delete(path),
      ...(await Promise.all(
        ["/healthz", "/readyz", "/metrics", "/openapi.json", "/docs"].map((at) => fetch(server.url + at)),
      )),
    ];
    for (const { headers } of responses) expect(headers.get("x-content-type-options")).toBe("nosniff");
    for (const { headers } of responses.slice(0, 2)) expect(headers.get("content-type")).toBe("application/json");
  });
});

// The samples of proxies and the chart set TOLLGATE_PUBLIC_URL.
test.each(["https", "http"])(
  "behind a proxy with %s, deployments send no HSTS, and others only with https",
  async (scheme) => {
    const environment = {
      TOLLGATE_PUBLIC_URL: `${scheme}://manage.example.com`,
      TOLLGATE_GATEWAY_URL: `${scheme}://{name}.api.example.com`,
      TOLLGATE_PORTAL_URL: `${scheme}://{name}.portal.example.com`,
    };
    const server = await startServer(sqlite, { environment });
    try {
      const files = {
        "openapi.json": openApi({ "/a": {} }),
        "tollgate.json": { upstream: "https://upstream.example" },
      };
      const { url } = await deploy(server, { project: "shop", branch: "main" }, files);
      await server.client.post(`/v1/accounts/${account}/key-buckets`, { name: "main" });
      const portal = await setPortal(server.client);
      const hsts = async (host: string, path: string) =>
        (await callHost(server.url, host, path)).headers.get("strict-transport-security");
      const expected = scheme === "https" ? "max-age=31536000" : null;
      for (const path of ["/healthz", "/v1/who-am-i", "/console", "/openapi.json"])
        expect(await hsts("manage.example.com", path)).toBe(expected);
      expect(await hsts(new URL(portal.url).host, "/")).toBe(expected);
      expect(await hsts("127.0.0.1", "/healthz")).toBeNull();
      for (const path of ["/missing", "/"]) expect(await hsts(new URL(url).host, path)).toBeNull();
    } finally {
      await server.stop();
    }
  },
);
