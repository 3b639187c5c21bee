/**
 * The rival of guarded forwarding on Node: `fastify-proxy.js PORT UPSTREAM-PORT KEY`. Of what the gateway does it only checks the
 * key. Plain JavaScript, because not every Node that the project supports runs TypeScript.
 */
import { createHash } from "node:crypto";
import httpProxy from "@fastify/http-proxy";
import Fastify from "fastify";

const [port, upstreamPort, key] = process.argv.slice(2);
const scheme = "Bearer ";
const hashOf = (value) => createHash("sha256").update(value).digest("base64");
const consumers = new Map([[hashOf(key), "bench"]]);

const server = Fastify({ logger: false });
// Its pool keeps up to 128 connections to the upstream by default, more than are ever in use here.
server.register(httpProxy, {
  upstream: `http://127.0.0.1:${upstreamPort}`,
  preHandler(request, reply, done) {
    const { authorization } = request.headers;
    const isKnown = authorization?.startsWith(scheme) && consumers.has(hashOf(authorization.slice(scheme.length)));
    if (isKnown) done();
    else reply.code(401).send();
  },
});
await server.listen({ host: "127.0.0.1", port: Number(port) });
