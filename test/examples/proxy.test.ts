import { afterAll, expect, test } from "bun:test";
import { eachEngine } from "../support/engines.ts";
import { exampleProject } from "../support/example-project.ts";
import { deploy } from "../support/project.ts";
import { useServer } from "../support/server.ts";

const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ method, url }) => new Response(`${method} ${new URL(url).pathname}`),
});
afterAll(() => upstream.stop(true));

eachEngine((engine) => {
  const server = useServer(engine);

  test("the proxy example serves every path, and guards the paths of its document", async () => {
    const files = await exampleProject("proxy", { "http://127.0.0.1:9000": upstream.url.origin });
    const { call } = await deploy(server, { project: "proxy", branch: "main" }, files);
    const consumer = { name: "acme", apiKeys: [{}, { permissions: ["admin"] }] };
    const created = await server.client.post("/v1/accounts/default/key-buckets/main/consumers", consumer);
    const [plain, admin] = created.body.apiKeys.map(({ key }: { key: string }) => ({ authorization: `Bearer ${key}` }));
    const send = async (path: string, headers = {}, method = "GET") => {
      const response = await call(path, { headers, method });
      return response.status === 200 ? response.text() : response.status;
    };
    expect(await send("/health")).toBe("GET /health");
    expect(await send("/health", {}, "POST")).toBe(405);
    expect(await send("/orders/7")).toBe(401);
    expect(await send("/orders/7", plain)).toBe("GET /orders/7");
    expect(await send("/orders", plain, "POST")).toBe("POST /orders");
    expect(await send("/", plain)).toBe("GET /");
    for (const path of ["/admin", "/admin/", "/admin/users"]) {
      expect(await send(path, plain, "DELETE")).toBe(403);
      expect(await send(path, admin, "DELETE")).toBe(`DELETE ${path}`);
    }
    for (const path of ["/admin;x", "/ADMIN", "/x/..%2fadmin"])
      expect([path, await send(path, plain)]).toEqual([path, 400]);
  });
});
