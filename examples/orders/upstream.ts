/** The service behind the gateway. It knows nothing of keys: who calls stands in a header. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 9000,
  routes: {
    "/status": Response.json({ open: true }),
    "/health": Response.json({ healthy: true }),
    "/orders": {
      GET: (request) => Response.json({ consumer: request.headers.get("x-consumer-name"), orders: [] }),
      POST: async (request) => Response.json({ id: "1", ...(await request.json()) }, { status: 201 }),
    },
  },
});

// biome-ignore lint/suspicious/noConsole: it is how one sees that it runs.
console.log(`orders upstream on ${server.url}`);
