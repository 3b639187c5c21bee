import { openApi, type ProjectFiles } from "./project.ts";

/** An upstream that responds with the first part of the request's path. */
export function echoUpstream() {
  return Bun.serve({
    idleTimeout: 0,
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => new Response(new URL(request.url).pathname.split("/")[1]),
  });
}

/** A project with a forwarded route whose responses name its version. */
export function versionOf(upstream: Bun.Server<unknown>, version: string): ProjectFiles {
  return { "openapi.json": openApi({ "/forwarded": forwarded(upstream, version) }) };
}

/** The same with a forwarded route and one with code. */
export function versionWithCode(upstream: Bun.Server<unknown>, version: string): ProjectFiles {
  return {
    "openapi.json": openApi({
      "/forwarded": forwarded(upstream, version),
      "/handled": { "x-tollgate": { handler: "modules/version.ts" } },
    }),
    "modules/version.ts": `export default () => new Response("${version}");`,
  };
}

function forwarded(upstream: Bun.Server<unknown>, version: string): object {
  return { "x-tollgate": { upstream: `${upstream.url.origin}/${version}` } };
}
