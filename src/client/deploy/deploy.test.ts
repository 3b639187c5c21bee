import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openPage } from "../../../test/support/chromium.ts";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { rejected } from "../../../test/support/tollgate-client.ts";
import { BuildError, type DeploymentLogLine, type DeploymentStatus, Tollgate, type TollgateError } from "../index.ts";

/** A fake server whose responses each test defines. */
let respond: (request: Request, path: string) => Response | Promise<Response>;
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch: (request) => respond(request, new URL(request.url).pathname),
});
afterAll(() => server.stop(true));

const pauses: number[] = [];
afterEach(() => {
  pauses.length = 0;
});
const client = new Tollgate(
  { url: server.url.origin, token: "tgt_secret", account: "default" },
  {
    random: () => 1,
    sleep: async (milliseconds) => {
      pauses.push(milliseconds);
    },
  },
);

const statusId = "7b0c4f5e-1d55-4c5a-9d0e-0f1a2b3c4d5e";
const pending = { status: "PENDING" } as const;
const done = { status: "SUCCESS" } as const;
const steps = { upload: done, unpack: done, validate: done, build: done, start: done };
const live: DeploymentStatus = { status: "SUCCESS", url: "http://orders", steps, buildResult: { success: true } };
const building: DeploymentStatus = {
  ...live,
  status: "IN_PROGRESS",
  steps: { ...steps, build: { status: "IN_PROGRESS" }, start: pending },
  buildResult: {},
};
const queued: DeploymentStatus = {
  ...building,
  steps: { upload: done, unpack: pending, validate: pending, build: pending, start: pending },
};

/** The received upload. */
let uploaded: { bytes: number; headers: Headers } | undefined;

function builds(...statuses: DeploymentStatus[]): void {
  uploaded = undefined;
  respond = async (request, path) => {
    if (path === "/v1/deployments/sources")
      return Response.json({ uploadUrl: `${server.url.origin}/v1/deployments/sources/${statusId}.tar.gz?token=up_1` });
    if (request.method === "PUT") {
      uploaded = { bytes: (await request.arrayBuffer()).byteLength, headers: request.headers };
      return Response.json({ status: "queued", statusId });
    }
    if (path === `/v1/accounts/default/projects/orders/deployment-status/${statusId}`)
      return Response.json(statuses.length > 1 ? statuses.shift() : statuses[0]);
    if (path === "/v1/accounts/default/projects/orders/deployments")
      return Response.json({
        data: [
          { name: "orders-dev-1", branchName: "dev" },
          { name: "orders-main-1", branchName: "main" },
        ],
      });
    return new Response(null, { status: 500 });
  };
}

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder("deploy");
  await writeFile(join(folder.path, "openapi.json"), "{}");
});
afterAll(() => folder.remove());

describe("deploy", () => {
  test("packs a folder, uploads it, follows the steps and returns the deployment", async () => {
    builds(queued, building, building, live);
    const seen: string[] = [];
    const deployment = await client.deploy(folder.path, {
      project: "orders",
      onStep: ({ name, status }) => seen.push(`${name} ${status}`),
    });
    expect(deployment).toMatchObject({ name: "orders-main-1", branchName: "main" });
    expect(seen).toEqual([
      "upload SUCCESS",
      "unpack SUCCESS",
      "validate SUCCESS",
      "build IN_PROGRESS",
      "build SUCCESS",
      "start SUCCESS",
    ]);
    expect(pauses).toHaveLength(3);
    expect(uploaded!.bytes).toBeGreaterThan(50);
    expect(uploaded!.headers.get("authorization")).toBeNull();
  });

  const content = new Uint8Array(3_000_000).fill(7);
  const archives: [kind: string, make: () => Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>][] = [
    ["bytes", () => content],
    ["a Blob", () => new Blob([content])],
    ["a stream", () => new Blob([content]).stream()],
  ];
  test.each(archives)("takes %s, and reports how much is sent", async (kind, make) => {
    builds(live);
    const progress: [number, number | undefined][] = [];
    const onProgress = (sent: { sentBytes: number; totalBytes: number | undefined }) =>
      progress.push([sent.sentBytes, sent.totalBytes]);
    expect(await client.deploy(make(), { project: "orders", branch: "dev", onProgress })).toMatchObject({
      name: "orders-dev-1",
    });
    expect(uploaded!.bytes).toBe(content.length);
    const total = kind === "a stream" ? undefined : content.length;
    expect(progress.at(-1)).toEqual([content.length, total]);
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.map(([sent]) => sent)).toEqual(progress.map(([sent]) => sent).sort((one, other) => one - other));

    builds(live);
    await client.deploy(make(), { project: "orders" });
    expect(uploaded!.bytes).toBe(content.length);
  });

  test("reports upload progress and the reason of a rejection in browsers too", async () => {
    builds(live);
    const usual = respond;
    const bundle = await Bun.build({ entrypoints: [join(import.meta.dir, "../index.ts")], target: "browser" });
    const problem = { status: 400, code: "archive_refused", detail: "It is not gzip." };
    let isRejecting = false;
    respond = async (request, path) => {
      if (path === "/") return new Response("<title>page</title>", { headers: { "content-type": "text/html" } });
      if (path === "/client.js") return new Response(bundle.outputs[0]);
      if (request.method !== "PUT" || !isRejecting) return usual(request, path);
      await request.arrayBuffer();
      return Response.json(problem, { status: 400 });
    };
    const opened = await openPage(server.url.origin);
    try {
      const deploying = `(async () => {
          const { Tollgate } = await import("/client.js");
          const client = new Tollgate({ url: location.origin, token: "t", account: "default", retries: 0 });
          const progress = [];
          const onProgress = ({ sentBytes, totalBytes }) => progress.push(sentBytes, totalBytes);
          const archive = new Blob([new Uint8Array(${content.length})]);
          return client.deploy(archive, { project: "orders", onProgress }).then(
            ({ name }) => [name, ...progress.slice(-2)],
            ({ status, code, detail }) => ({ status, code, detail }),
          );
        })()`;
      expect(await opened.page.evaluate(deploying)).toEqual(["orders-main-1", content.length, content.length]);
      expect(uploaded!.bytes).toBe(content.length);
      isRejecting = true;
      expect(await opened.page.evaluate(deploying)).toEqual(problem);
    } finally {
      await opened.close();
    }
  });

  test("throws the errors of the build", async () => {
    const errors = [{ file: "tollgate.json", line: 3, column: 7, message: "There is no policy quotta" }];
    const failed = { status: "ERROR", message: "The project has an error" } as const;
    builds(building, {
      ...live,
      status: "ERROR",
      steps: { ...steps, validate: failed, build: pending, start: pending },
      buildResult: { success: false, errors },
    });
    const error = await client.deploy(folder.path, { project: "orders" }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(BuildError);
    expect(error).toMatchObject({ step: "validate", message: "The project has an error", errors, statusId });
  });

  test("throws the reason of a rejected archive and stops polling", async () => {
    builds(live);
    const usual = respond;
    const problem = { status: 400, code: "archive_refused", detail: "It is not gzip." };
    respond = async (request, path) => {
      if (request.method !== "PUT") return usual(request, path);
      await request.arrayBuffer();
      return Response.json(problem, { status: 400 });
    };
    const deploying = client.deploy(new Blob(["no archive"]), { project: "orders" });
    expect(await rejected(deploying)).toMatchObject(problem);
  });

  test("stops when it is aborted", async () => {
    builds(building);
    const controller = new AbortController();
    const deploying = client.deploy(folder.path, {
      project: "orders",
      signal: controller.signal,
      onStep: ({ name }) => name === "build" && controller.abort(),
    });
    expect(await deploying.catch((error) => error.name)).toBe("AbortError");
  });
});

describe("followLogs", () => {
  const line = (id: number): DeploymentLogLine => {
    return {
      id: `log_${id}`,
      time: `2030-01-01T00:00:0${id}.000Z`,
      kind: "console",
      level: "info",
      message: `line ${id}`,
    };
  };
  const asEvent = (id: number) => `id: ${id}\nevent: log\ndata: ${JSON.stringify(line(id))}\n\n`;

  /** Each connection sends its lines and ends; the last one stays open. */
  function streams(...connections: number[][]): { queries: string[]; ended: Promise<void> } {
    const queries: string[] = [];
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    respond = (request) => {
      const { searchParams } = new URL(request.url);
      queries.push(searchParams.toString());
      if (!searchParams.has("follow")) return Response.json({ data: [line(2), line(3)] });
      const lines = connections.shift()!;
      const isLast = connections.length === 0;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(new TextEncoder().encode(`: following\n\n${lines.map(asEvent).join("")}`));
          if (!isLast) controller.close();
        },
        cancel: () => resolve(),
      });
      const date = "Tue, 01 Jan 2030 00:00:00 GMT";
      return new Response(body, { headers: { "content-type": "text/event-stream", date } });
    };
    return { queries, ended };
  }

  test("survives a lost connection and yields each line once", async () => {
    const { queries, ended } = streams([1, 2], [3, 4]);
    const messages: string[] = [];
    for await (const { message } of client.deployments.followLogs("orders-main-1", { kind: "console" })) {
      messages.push(message);
      if (message === "line 4") break;
    }
    expect(messages).toEqual(["line 1", "line 2", "line 3", "line 4"]);
    expect(queries[1]).toBe(queries[0]!);
    expect(queries[2]).toContain("since=2030-01-01T00%3A00%3A02.000Z");
    expect(pauses).toEqual([1000]);
    await ended;
  });

  test("yields missed lines even if the connection was lost before the first line", async () => {
    const { queries } = streams([], [4]);
    const messages: string[] = [];
    for await (const { message } of client.deployments.followLogs("orders-main-1")) {
      messages.push(message);
      if (message === "line 4") break;
    }
    expect(messages).toEqual(["line 2", "line 3", "line 4"]);
    expect(queries[2]).toContain("since=2030-01-01T00%3A00%3A00.000Z");
  });

  test("survives an outage that is longer than the retries of a call", async () => {
    const { queries, ended } = streams([1], [2]);
    const existing = respond;
    let failures = 0;
    respond = (request, path) => {
      if (queries.length !== 1 || failures === 6) return existing(request, path);
      failures += 1;
      return new Response("Bad Gateway", { status: 502 });
    };
    const messages: string[] = [];
    const connectionEvents: (number | string)[] = [];
    const onOpen = () => connectionEvents.push("open");
    const onLost = ({ status }: TollgateError) => connectionEvents.push(status);
    for await (const { message } of client.deployments.followLogs("orders-main-1", { onOpen, onLost })) {
      messages.push(message);
      if (message === "line 2") break;
    }
    expect(messages).toEqual(["line 1", "line 2"]);
    expect(connectionEvents).toEqual(["open", ...Array.from({ length: 6 }, () => 502), "open"]);
    expect(failures).toBe(6);
    await ended;
  });

  test("ends when its deployment does", async () => {
    const { queries } = streams([1], []);
    const existing = respond;
    const gone = Response.json({ code: "not_found", detail: "It is gone." }, { status: 404 });
    respond = (request, path) => (queries.length === 0 ? existing(request, path) : gone);
    const messages: string[] = [];
    const following = (async () => {
      for await (const { message } of client.deployments.followLogs("orders-main-1")) messages.push(message);
    })();
    expect(await rejected(following)).toMatchObject({ status: 404, code: "not_found" });
    expect(messages).toEqual(["line 1"]);
  });

  test("ends when it is aborted", async () => {
    const { ended } = streams([1]);
    const controller = new AbortController();
    const following = (async () => {
      for await (const _ of client.deployments.followLogs("orders-main-1", { signal: controller.signal }))
        controller.abort();
    })();
    expect(await following.catch((error) => error.name)).toBe("AbortError");
    await ended;
  });
});

test("followRequests yields requests that ended during a lost connection, whenever they began", async () => {
  const request = (id: string, time: string, durationMs: number) => ({ id, time, durationMs });
  const stream = () => {
    const headers = { "content-type": "text/event-stream", date: "Tue, 01 Jan 2030 00:00:30 GMT" };
    return new Response(": following\n\n", { headers });
  };
  const queries: URLSearchParams[] = [];
  respond = ({ url }) => {
    const { searchParams } = new URL(url);
    queries.push(searchParams);
    if (searchParams.has("follow")) return stream();
    const data = [
      request("new", "2030-01-01T00:00:31.000Z", 5),
      request("slow", "2030-01-01T00:00:10.000Z", 25_000),
      request("before", "2030-01-01T00:00:10.000Z", 5),
    ];
    return Response.json({ data, omitted: { successes: 0, failures: 0 } });
  };
  const ids: string[] = [];
  for await (const { id } of client.requests.follow({ status: "5xx" })) {
    ids.push(id);
    if (id === "new") break;
  }
  expect(ids).toEqual(["slow", "new"]);
  expect(queries[2]!.get("from")).toBe("2029-12-31T23:59:30.000Z");
  expect(queries[2]!.get("status")).toBe("5xx");
});

test("followRequests reports a lost connection and reconnects when the server allows it", async () => {
  const stream = () => new Response(": following\n\n", { headers: { "content-type": "text/event-stream" } });
  const busy = Response.json({ code: "rate_limited" }, { status: 429, headers: { "retry-after": "45" } });
  const responses = [stream(), busy, stream()];
  respond = () => responses.shift()!;
  const controller = new AbortController();
  const connectionEvents: (number | string)[] = [];
  const following = (async () => {
    const onOpen = () => {
      connectionEvents.push("open");
      if (responses.length === 0) controller.abort();
    };
    const onLost = ({ status }: TollgateError) => connectionEvents.push(status);
    for await (const _ of client.requests.follow({ signal: controller.signal, onOpen, onLost }));
  })();
  expect(await following.catch((error) => error.name)).toBe("AbortError");
  expect(connectionEvents).toEqual(["open", 429, "open"]);
  expect(pauses).toEqual([1000, 45_000]);
});
