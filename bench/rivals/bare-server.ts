import { serve } from "bun";

/** The rival of verify-key: what Bun.serve does when it only parses the body and returns as many bytes. */
const responseBytes = Number(process.argv[2]);
const emptyResponse = { padding: "" };
const response = { padding: "x".repeat(responseBytes - JSON.stringify(emptyResponse).length) };

const server = serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const body = (await request.json()) as { key?: unknown };
    if (typeof body.key !== "string") return new Response(null, { status: 400 });
    return Response.json(response);
  },
});
console.log(server.port);
