import { expect, test } from "bun:test";
import { eachEngine } from "./support/engines.ts";
import { newKeyHolder, verify } from "./support/key-holder.ts";
import { useServer } from "./support/server.ts";
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
