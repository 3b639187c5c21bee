// Hono in workerd, the runtime of Cloudflare Workers: bundled, because it has no packages.
import { tollgate } from "@tollgate/client/hono";
import { Hono } from "hono";

const app = new Hono();
app.get("/free", (context) => context.json({}));
app.use((context, next) => {
  const permission = ({ req }) => (req.path === "/orders" ? "orders:read" : undefined);
  return tollgate({ ...JSON.parse(context.env.OPTIONS), permission, ip: () => "127.0.0.1" })(context, next);
});
for (const path of ["/forecast", "/orders"])
  app.get(path, (context) => context.json({ access: context.var.tollgate ?? null }));
export default app;
