import { expect, test } from "bun:test";
import { eachEngine } from "../../../../../test/support/engines.ts";
import { deploy, openApi } from "../../../../../test/support/project.ts";
import { useServer } from "../../../../../test/support/server.ts";

eachEngine((engine) => {
  const server = useServer(engine);

  test("a folder becomes live traffic", async () => {
    using upstream = Bun.serve({
      port: 0,
      fetch: (request) => new Response(`upstream saw ${new URL(request.url).pathname}`),
    });
    const deployed = await deploy(
      server,
      { project: "orders", branch: "main" },
      {
        "openapi.json": openApi({
          "/orders": { "x-tollgate": { upstream: upstream.url.origin } },
          "/hello/{name}": {
            parameters: [{ name: "name", in: "path", required: true, schema: { type: "string" } }],
            "x-tollgate": { handler: "modules/hello.ts" },
          },
        }),
        "modules/hello.ts":
          'export default (_: Request, context: { params: Record<string, string> }) => new Response("hello " + context.params.name);',
      },
    );
    const forwarded = await deployed.call("/orders");
    expect([forwarded.status, await forwarded.text()]).toEqual([200, "upstream saw /orders"]);
    const handled = await deployed.call("/hello/world");
    expect([handled.status, await handled.text()]).toEqual([200, "hello world"]);
  });
});
