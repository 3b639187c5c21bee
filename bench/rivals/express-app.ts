/** Applications of Express with the options of the middleware, or without it. Prints their ports, as those of other languages do. */
import type { AddressInfo } from "node:net";
import express from "express";
import { tollgate } from "../../src/client/middleware/express.ts";

for (const [socket, options] of Object.entries(JSON.parse(process.env.MIDDLEWARE_OPTIONS!))) {
  const app = express();
  if (options !== null) app.use(tollgate(options as Parameters<typeof tollgate>[0]));
  app.get("/forecast", (request, response) => {
    response.json({ access: request.tollgate ?? null });
  });
  const server = app.listen(0, "127.0.0.1", () => {
    console.log(JSON.stringify({ socket, port: (server.address() as AddressInfo).port }));
  });
}
