import { serve } from "bun";

/** The upstream of large bodies: `GET /N` returns N bytes, `POST /N` takes N bytes and rejects any other number of them. */
const sizes = process.argv.slice(2).map(Number);

function routeOf(size: number) {
  return {
    GET: new Response(Buffer.alloc(size, "x")),
    async POST(request: Request) {
      let received = 0;
      for await (const piece of request.body!) received += piece.length;
      return new Response(null, { status: received === size ? 204 : 400 });
    },
  };
}

const server = serve({
  hostname: "127.0.0.1",
  port: 0,
  routes: Object.fromEntries(sizes.map((size) => [`/${size}`, routeOf(size)])),
});
console.log(server.port);
