import { tollgate } from "@tollgate/client/fastify";
import Fastify from "fastify";

for (const [socket, options] of Object.entries(JSON.parse(process.env.MIDDLEWARE_OPTIONS))) {
  const app = Fastify();
  app.get("/free", async () => ({}));
  await app.register(async (guarded) => {
    await guarded.register(tollgate, {
      ...options,
      permission: (request) => (request.url === "/orders" ? "orders:read" : undefined),
    });
    for (const path of ["/forecast", "/orders"])
      guarded.get(path, async ({ tollgate: access }) => ({ access: access ?? null }));
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  console.log(JSON.stringify({ socket, port: app.server.address().port }));
}
