import { afterAll } from "bun:test";

export interface ReceivedRequest {
  method: string;
  /** The path with its query. */
  target: string;
  headers: Headers;
  body: string;
}

/** An upstream for all tests of the file, which records its requests. `respond` gets the path. */
export function useRecordingUpstream(respond: (path: string) => Response) {
  const received: ReceivedRequest[] = [];
  const server = Bun.serve({
    idleTimeout: 0,
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const { method, headers } = request;
      const { pathname, search } = new URL(request.url);
      received.push({ method, target: pathname + search, headers, body: await request.text() });
      return respond(pathname);
    },
  });
  afterAll(() => server.stop(true));
  return { received, url: server.url.origin };
}
