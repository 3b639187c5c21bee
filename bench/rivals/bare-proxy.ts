import { serve } from "bun";

/** The rival of forwarding: what Bun.serve and fetch do when nothing is checked, counted or logged. */
const upstream = `http://127.0.0.1:${process.argv[2]}`;

const server = serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    const { method, headers, body, url } = request;
    return fetch(upstream + url.slice(url.indexOf("/", "http://".length)), { method, headers, body });
  },
});
console.log(server.port);
