import { tollgate } from "@tollgate/client/express";
import express from "express";

for (const [socket, options] of Object.entries(JSON.parse(process.env.MIDDLEWARE_OPTIONS))) {
  const app = express();
  app.use("/free", (_request, response) => response.json({}));
  app.use(tollgate({ ...options, permission: (request) => (request.path === "/orders" ? "orders:read" : undefined) }));
  for (const path of ["/forecast", "/orders"])
    app.get(path, ({ tollgate: access }, response) => response.json({ access: access ?? null }));
  const server = app.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ socket, port: server.address().port })));
}
