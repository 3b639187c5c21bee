// For Bun and Deno: in Node, Hono needs an adapter.
import process from "node:process";
import { tollgate } from "@tollgate/client/hono";
import { Hono } from "hono";

for (const [socket, options] of Object.entries(JSON.parse(process.env.MIDDLEWARE_OPTIONS))) {
  const app = new Hono();
  app.get("/free", (context) => context.json({}));
  app.use(
    tollgate({
      ...options,
      permission: ({ req }) => (req.path === "/orders" ? "orders:read" : undefined),
      ip: ({ env }) => env.ip,
    }),
  );
  for (const path of ["/forecast", "/orders"])
    app.get(path, (context) => context.json({ access: context.var.tollgate ?? null }));
  const address = { port: 0, hostname: "127.0.0.1" };
  if (globalThis.Deno) {
    const onListen = ({ port }) => console.log(JSON.stringify({ socket, port }));
    Deno.serve({ ...address, onListen }, (request, { remoteAddr }) => app.fetch(request, { ip: remoteAddr.hostname }));
  } else {
    const server = Bun.serve({
      ...address,
      fetch: (request, { requestIP }) => app.fetch(request, { ip: requestIP?.call(server, request)?.address }),
    });
    console.log(JSON.stringify({ socket, port: server.port }));
  }
}
