/**
 * `npm run dev:web`: serves the console from its sources, rebuilt on each change, in front of a running server
 * (TOLLGATE_URL, by default http://127.0.0.1:8787). The page reloads automatically.
 */
import { watch } from "node:fs";
import { join } from "node:path";
import { buildWeb, type WebFile } from "./web-build.ts";

const target = new URL(process.env.TOLLGATE_URL ?? "http://127.0.0.1:8787");
const reloader = 'new EventSource("/console/changes").onmessage = () => location.reload();';
let files = new Map<string, WebFile>();
const listeners = new Set<ReadableStreamDefaultController<string>>();

async function build(): Promise<void> {
  try {
    files = new Map((await buildWeb("console", { isDevelopment: true })).map((file) => [file.path, file]));
    for (const listener of listeners) listener.enqueue("data: changed\n\n");
  } catch (error) {
    console.error(error);
  }
}

await build();
let waiting: ReturnType<typeof setTimeout> | undefined;
for (const folder of ["web", "client", "lib/text"])
  watch(join(import.meta.dir, "../src", folder), { recursive: true }, () => {
    clearTimeout(waiting);
    waiting = setTimeout(build, 50);
  });

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT ?? 8788),
  idleTimeout: 0,
  fetch: (request) => {
    const { pathname, search } = new URL(request.url);
    if (pathname === "/console/changes") return changes();
    if (pathname === "/console/reload.js")
      return new Response(reloader, { headers: { "content-type": "text/javascript" } });
    if (pathname === "/console" || pathname.startsWith("/console/")) return own(pathname.slice("/console/".length));
    // The server compares the Origin header with its own address.
    const headers = new Headers(request.headers);
    headers.set("host", target.host);
    if (headers.has("origin")) headers.set("origin", target.origin);
    return fetch(new URL(pathname + search, target), {
      method: request.method,
      headers,
      body: request.body,
      redirect: "manual",
      // The browser gets what the server sends, with its Content-Encoding.
      decompress: false,
    });
  },
});
console.log(`${server.url}console  in front of ${target}`);

function own(path: string): Response {
  const file = files.get(path) ?? files.get("")!;
  const bytes = file.isGzip ? Bun.gunzipSync(file.body) : file.body;
  const body = file.path === "" ? page(bytes) : bytes;
  return new Response(body, { headers: { "content-type": file.type, "cache-control": "no-store" } });
}

function page(bytes: Uint8Array<ArrayBuffer>): string {
  return new TextDecoder().decode(bytes).replace("</head>", '<script src="/console/reload.js"></script></head>');
}

function changes(): Response {
  let listener: ReadableStreamDefaultController<string>;
  const stream = new ReadableStream<string>({
    start: (controller) => {
      listener = controller;
      listeners.add(controller);
      controller.enqueue(": open\n\n");
    },
    cancel: () => void listeners.delete(listener),
  });
  return new Response(stream.pipeThrough(new TextEncoderStream()), {
    headers: { "content-type": "text/event-stream" },
  });
}
