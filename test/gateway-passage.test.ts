import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import type { Policy } from "../src/gateway/exchange/policy.ts";
import { HttpHeaders } from "../src/platform/http1/message/headers.ts";
import { HttpResponse } from "../src/platform/http1/message/http-response.ts";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { rawRequest } from "./support/raw-http.ts";
import { until } from "./support/until.ts";
import { RawUpstream, responseText } from "./support/upstream.ts";

let gateway: TestGateway;
let upstream: RawUpstream;
let steps: string[] = [];

/** Records when it is entered and left, and acts as its options specify in between. */
function recorder(options: unknown): Policy {
  const { name, status, throws, waits } = options as {
    name: string;
    status?: number;
    throws?: string;
    waits?: boolean;
  };
  return {
    enter(passage) {
      steps.push(`enter ${name}`);
      if (throws === "enter") throw new Error("a secret of the policy");
      passage.responseHeaders ??= new HttpHeaders();
      passage.responseHeaders.set(`x-${name}`, "1");
      const responded = status === undefined ? undefined : new HttpResponse(status, new HttpHeaders(), "rejected");
      return waits ? Promise.resolve(responded) : responded;
    },
    leave(_, response) {
      steps.push(`leave ${name} ${response.status}`);
      if (throws === "leave") throw new Error("a secret of the policy");
      return waits ? Promise.resolve(response) : response;
    },
  };
}

const preflight = (): Policy => ({
  preflight: () => new HttpResponse(204, new HttpHeaders({ "x-preflight": "1" })),
});

const code = `
const response = (request, context) => {
  const path = new URL(request.url).pathname;
  if (path === "/throws") throw new Error("a secret of the handler");
  if (path === "/reads") return request.text().then((text) => new Response(text));
  if (path === "/slow") return new Promise((resolve) => setTimeout(resolve, 10_000));
  return Response.json({ method: request.method, url: request.url, user: context.user ?? null, params: context.params });
};
const guard = (request, context) => {
  if (request.headers.get("x-stop")) return new Response("stopped", { status: 451 });
  const changed = new Request(request);
  changed.headers.set("x-from-code", context.options.word);
  return changed;
};
export default { "modules/handler.ts": { default: response }, "modules/guard.ts": { default: guard } };
`;

beforeAll(async () => {
  upstream = await RawUpstream.start(({ socket, path }) => {
    if (path === "/breaks") socket.destroy();
    else socket.write(responseText("ok"));
  });
  gateway = new TestGateway({ policies: { recorder, preflight } });
  const target = { upstream: upstream.url };
  const handler = { handler: "modules/handler.ts" };
  await gateway.deploy(
    "shop",
    artifactOf(
      [
        { path: "/plain", target, policies: ["one", "two", "three"] },
        { path: "/waiting", target, policies: ["waiting", "one"] },
        { path: "/rejected", target, policies: ["one", "rejecting", "two"] },
        { path: "/broken-in", target, policies: ["one", "throwing-in", "two"] },
        { path: "/broken-out", target, policies: ["one", "throwing-out", "two"] },
        { path: "/breaks", target, policies: ["one"] },
        { path: "/cors", target, policies: ["one", "preflight"] },
        { path: "/handler/{id}", target: handler, policies: ["one"] },
        { path: "/throws", target: handler, policies: ["one"] },
        { path: "/slow", target: handler, timeoutSeconds: 0.5 },
        { path: "/reads", method: "POST", target: handler, policies: ["one"] },
        { path: "/guarded", target, policies: ["guard"] },
      ],
      {
        code,
        policies: {
          one: { type: "recorder", options: { name: "one" } },
          two: { type: "recorder", options: { name: "two" } },
          three: { type: "recorder", options: { name: "three" } },
          waiting: { type: "recorder", options: { name: "waiting", waits: true } },
          rejecting: { type: "recorder", options: { name: "rejecting", status: 403 } },
          "throwing-in": { type: "recorder", options: { name: "throwing", throws: "enter" } },
          "throwing-out": { type: "recorder", options: { name: "throwing", throws: "leave" } },
          preflight: { type: "preflight", options: {} },
          guard: { type: "modules/guard.ts", options: { word: "hello" } },
        },
      },
    ),
  );
});

afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

async function stepsOf(path: string): Promise<{ response: Response; steps: string[] }> {
  steps = [];
  const response = await gateway.fetch("shop", path);
  return { response, steps };
}

describe("policies", () => {
  test.each([
    ["/plain", 200, ["enter one", "enter two", "enter three", "leave three 200", "leave two 200", "leave one 200"]],
    ["/waiting", 200, ["enter waiting", "enter one", "leave one 200", "leave waiting 200"]],
    ["/rejected", 403, ["enter one", "enter rejecting", "leave one 403"]],
    ["/broken-in", 500, ["enter one", "enter throwing", "leave one 500"]],
    [
      "/broken-out",
      500,
      ["enter one", "enter throwing", "enter two", "leave two 200", "leave throwing 200", "leave one 500"],
    ],
    ["/breaks", 502, ["enter one", "leave one 502"]],
  ])("%s: those that were entered are left, in reverse order", async (path, status, expected) => {
    const { response, steps } = await stepsOf(path);
    expect(response.status).toBe(status);
    expect(steps).toEqual(expected);
    expect(response.headers.get("x-one")).toBe("1");
    expect(await response.text()).not.toContain("secret");
  });

  test("a rejection does not reach the upstream", async () => {
    const before = upstream.requests.length;
    await stepsOf("/rejected");
    expect(upstream.requests.length).toBe(before);
  });

  test("a preflight gets its response before any policy is entered", async () => {
    steps = [];
    const headers = { "access-control-request-method": "GET", origin: "https://app.example" };
    const response = await gateway.fetch("shop", "/cors", { method: "OPTIONS", headers });
    expect(response.headers.get("x-preflight")).toBe("1");
    expect(steps).toEqual([]);
    const other = await gateway.fetch("shop", "/plain", { method: "OPTIONS", headers });
    expect(other.status).toBe(204);
    expect(other.headers.get("allow")).toBe("GET, HEAD, OPTIONS");
  });
});

describe("code", () => {
  test("a handler responds with what it received", async () => {
    const { response } = await stepsOf("/handler/a%20b?x=1");
    expect(response.headers.get("x-one")).toBe("1");
    expect(await response.json()).toEqual({
      method: "GET",
      url: "http://shop.localhost/handler/a%20b?x=1",
      user: null,
      params: { id: "a b" },
    });
  });

  test.each([
    ["/throws", 500, "handler_failed"],
    ["/slow", 504, "handler_timeout"],
  ])("%s is %d %s", async (path, status, problem) => {
    const response = await gateway.fetch("shop", path);
    const text = await response.text();
    expect(response.status).toBe(status);
    expect(JSON.parse(text).code).toBe(problem);
    expect(text).not.toContain("secret");
  });

  test("its exception is in the deployment's log, with the request's id", async () => {
    await gateway.fetch("shop", "/throws", { headers: { "x-request-id": "threw" } });
    const logged = await until(() =>
      gateway.entries.find(({ requestId, message }) => requestId === "threw" && message.includes("a secret")),
    );
    expect(logged.requestId).toBe("threw");
  });

  test("a policy in code responds, or passes a changed request", async () => {
    const stopped = await gateway.fetch("shop", "/guarded", { headers: { "x-stop": "1" } });
    expect(stopped.status).toBe(451);
    const passed = await gateway.fetch("shop", "/guarded", { headers: { "x-kept": "1" } });
    expect(await passed.text()).toBe("ok");
    expect(upstream.requests.at(-1)!.headers.get("x-from-code")).toBe("hello");
    expect(upstream.requests.at(-1)!.headers.get("x-kept")).toBe("1");
    expect(upstream.requests.at(-1)!.headers.get("host")).toBe(new URL(upstream.url).host);
  });

  test("code that does not load cannot be prepared", async () => {
    const bad = gateway.deployments.version("bad", artifactOf([], { code: "export default nonsense(" }));
    const failing = gateway.gateway.prepare(bad).then(
      () => undefined,
      (error: Error) => error,
    );
    expect((await failing)?.constructor.name).toBe("StartFailure");
  });
});

test("an invalid request body is not reported as an error of the code", async () => {
  steps = [];
  const head = rawRequest("POST", "shop.localhost", "/reads", ["transfer-encoding: chunked"], "3\r\nabc\r\n");
  const socket = connect(gateway.port, "127.0.0.1", () => socket.write(head));
  let text = "";
  socket.on("data", (piece) => {
    text += piece;
  });
  await until(() => steps.length > 0);
  socket.write("zz\r\n");
  await until(() => text.includes("}"));
  expect(text).toContain("malformed_request");
  socket.destroy();
});
