import { serve } from "bun";

/** The rival of verify-key: what Bun.serve does when it only parses the body and answers as many bytes. */
const answerBytes = Number(process.argv[2]);
const emptyAnswer = { padding: "" };
const answer = { padding: "x".repeat(answerBytes - JSON.stringify(emptyAnswer).length) };

const server = serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const body = (await request.json()) as { key?: unknown };
    if (typeof body.key !== "string") return new Response(null, { status: 400 });
    return Response.json(answer);
  },
});
console.log(server.port);
