// The route handlers of a Next.js application, called as Next.js calls them, with its own requests and responses.
import { createServer } from "node:http";
import { tollgate } from "@tollgate/client/next";
import { NextRequest, NextResponse } from "next/server.js";

for (const [socket, options] of Object.entries(JSON.parse(process.env.MIDDLEWARE_OPTIONS))) {
  const guarded = tollgate({
    ...options,
    permission: ({ nextUrl }) => (nextUrl.pathname === "/orders" ? "orders:read" : undefined),
    ip: ({ headers }) => headers.get("x-real-ip") ?? undefined,
  });
  const handlers = {
    "/free": () => NextResponse.json({}),
    "/forecast": guarded(async (request, { params }) => {
      await params;
      return NextResponse.json({ access: request.tollgate ?? null });
    }),
    "/orders": guarded((request) => NextResponse.json({ access: request.tollgate ?? null })),
  };

  const server = createServer(async ({ url, headers, socket }, response) => {
    const request = new NextRequest(`http://${headers.host}${url}`, { headers });
    request.headers.set("x-real-ip", socket.remoteAddress);
    try {
      const result = await handlers[request.nextUrl.pathname](request, { params: Promise.resolve({}) });
      response.writeHead(result.status, Object.fromEntries(result.headers));
      response.end(await result.text());
    } catch {
      response.writeHead(500).end();
    }
  });
  server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ socket, port: server.address().port })));
}
