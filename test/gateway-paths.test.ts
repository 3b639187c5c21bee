import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { CustomDomain } from "../src/core/hosts/custom-domains.ts";
import { MountTable } from "../src/core/hosts/mount-table.ts";
import type { Policy } from "../src/gateway/exchange/policy.ts";
import { HttpResponse } from "../src/platform/http1/message/http-response.ts";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { NormalisingUpstreams, type UpstreamKind } from "./support/normalising-upstreams.ts";
import { rawRequest, talk } from "./support/raw-http.ts";
import { RawUpstream, responseText } from "./support/upstream.ts";

const kinds: UpstreamKind[] = ["nginx", "express", "files", "windows", "tomcat", "spring", "twice"];

let gateway: TestGateway;
let upstreams: NormalisingUpstreams;
let echo: RawUpstream;

const denies = (): Policy => ({ enter: () => new HttpResponse(401) });
const preflight = (): Policy => ({ preflight: () => new HttpResponse(204) });

/** An open deployment at `/`, and a guarded one of the same upstream at `/admin`. */
function mountedDomain(kind: UpstreamKind): [string, CustomDomain] {
  const mounts = new MountTable([
    { path: "/", deploymentName: `${kind}-open` },
    { path: "/admin", deploymentName: `${kind}-guarded` },
  ]);
  return [`${kind}.mounts.example`, { host: kind, accountSeq: 1, deploymentName: `${kind}-open`, mounts }];
}

beforeAll(async () => {
  upstreams = await NormalisingUpstreams.start();
  echo = await RawUpstream.start(({ socket }) => socket.write(responseText("done")));
  gateway = new TestGateway({ policies: { denies, preflight }, domains: new Map(kinds.map(mountedDomain)) });
  const policies = { guard: { type: "denies", options: {} }, cors: { type: "preflight", options: {} } };
  for (const kind of kinds) {
    const target = { upstream: `http://127.0.0.1:${upstreams.ports[kind]}` };
    const guarded = ["/admin", "/admin/{rest+}", "/users/{id}/keys"];
    const routes = [
      ...guarded.map((path) => ({ path, target, method: "ANY", policies: ["guard"] })),
      { path: "/", target },
      { path: "/{path+}", target, method: "ANY" },
    ];
    await gateway.deploy(kind, artifactOf(routes, { policies }));
    const all = ["/", "/{path+}"].map((path) => ({ path, target, method: "ANY" }));
    await gateway.deploy(`${kind}-open`, artifactOf(all));
    const denied = all.map((route) => ({ ...route, policies: ["guard"] }));
    await gateway.deploy(`${kind}-guarded`, artifactOf(denied, { policies }));
  }
  const target = { upstream: echo.url };
  const code = `export default { "modules/params.ts": { default: (request, context) => Response.json(context) } };`;
  await gateway.deploy(
    "shop",
    artifactOf(
      [
        { path: "/files/{path+}", target: { handler: "modules/params.ts" } },
        { path: "/files/{path+}", method: "PUT", target, policies: ["guard"] },
        { path: "/mixed", target, policies: ["cors"] },
        { path: "/mixed", method: "ANY", target, policies: ["guard"] },
        { path: "/any", method: "ANY", target },
        { path: "/below", target },
        { path: "/below/{id}", target },
        { path: "/below/{path+}", method: "ANY", target },
        { path: "/{path+}", target },
      ],
      { code, policies },
    ),
  );
});

afterAll(async () => {
  await gateway.stop();
  await upstreams.stop();
  await echo.stop();
});

/** nginx sends a decoded path, which may contain a single `%`. */
const decoded = (text: string) => text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => decodeURI(escapes));

/** The status, and the path that the upstream served. */
async function send(port: number, host: string, path: string): Promise<{ status: number; served: string | undefined }> {
  const { text } = await talk(port, rawRequest("GET", host, path, ["Connection: close"]), () => false);
  const served = /^x-served: (.*)\r$/im.exec(text)?.[1];
  return { status: Number(text.slice(9, 12)), served: served && decoded(served) };
}

const isGuarded = (served: string | undefined) =>
  served !== undefined && /^\/(?:admin(?:\/.*)?|users\/[^/]+\/keys\/?)$/.test(served);

/** Spellings of a guarded path, and the upstreams that would serve it as that path without a gateway. */
const spellings: [path: string, ...servedBy: UpstreamKind[]][] = [
  ["/admin", ...kinds],
  ["/admin/", ...kinds],
  ["/admin/x", ...kinds],
  ["/%61dmin", "nginx", "files", "windows", "tomcat", "spring", "twice"],
  ["/%61%64%6D%69%6e", "nginx", "files", "windows", "tomcat", "spring", "twice"],
  ["/%2561dmin", "twice"],
  ["/ADMIN", "express", "windows"],
  ["/Admin/x", "express", "windows"],
  ["/%41dmin", "windows"],
  ["/users/7/KEYS", "express", "windows"],
  ["//admin", "nginx", "files", "windows", "tomcat", "spring", "twice"],
  ["///admin", "nginx", "files", "tomcat"],
  ["/users//7/keys", "nginx", "files", "tomcat"],
  ["/x/../admin", "nginx", "files", "tomcat"],
  ["/x/%2e%2e/admin", "nginx", "files", "tomcat"],
  ["/x/.%2E/admin", "nginx", "files", "tomcat"],
  ["/./admin", "nginx", "files", "tomcat"],
  ["/x//../../admin", "files"],
  ["/x/..%2fadmin", "nginx", "files", "tomcat"],
  ["/x%2f..%2fadmin", "nginx", "files", "tomcat"],
  ["/x%2F%2e%2e%2Fadmin", "nginx", "files", "tomcat"],
  ["/x%252f..%252fadmin", "twice"],
  ["/%252e%252e/admin", "twice"],
  ["/users%2f7%2fkeys", "nginx", "files", "tomcat"],
  ["/users/7%2fkeys", "nginx", "files", "tomcat"],
  ["/%2fadmin", "nginx", "files", "tomcat"],
  ["/x\\..\\admin", "windows", "tomcat"],
  ["/x/..%5cadmin", "windows", "tomcat"],
  ["/x%5c..%5cadmin", "windows", "tomcat"],
  ["/users%5C7%5Ckeys", "windows", "tomcat"],
  ["/%5cadmin", "windows", "tomcat"],
  ["/admin;x", "tomcat", "spring"],
  ["/admin;x=/y", "tomcat", "spring"],
  ["/;/admin", "tomcat", "spring"],
  ["/;a/admin;b", "tomcat", "spring"],
  ["/x/..;/admin", "tomcat", "spring"],
  ["/x/..;a=b/admin", "tomcat", "spring"],
  ["/x/%2e%2e;/admin", "tomcat", "spring"],
  ["/x/..%3b/admin", "spring"],
  ["/admin%3bx", "spring"],
  ["/users;a/7/keys;b", "tomcat", "spring"],
  // Tomcat removes parameters before it decodes.
  ["/users/7/keys;a%2fb", "tomcat"],
  ["/users%2f7/keys;a%2fb", "tomcat"],
  ["/users/7;v=1/keys", "tomcat", "spring"],
  ["/x;/..;/%61dmin", "tomcat", "spring"],
  ["/x/..;%2fadmin", "spring"],
  ["/admin.", "windows"],
  ["/admin%20", "windows"],
  ["/admin%2e/x", "windows"],
  ["/ADMIN%20./x", "windows"],
  ["/%EF%BD%81dmin"],
  ["/admin%00"],
  ["/%c0%afadmin"],
  ["/admin%zz"],
  ["http://host/x/../admin"],
];

const isAdmin = (served: string | undefined) => served !== undefined && /^\/admin(?:\/.*)?$/.test(served);

describe("a guarded mount beside an open one", () => {
  test.each(spellings.map(([path]) => path))("%s does not reach its upstream", async (path) => {
    for (const kind of kinds) {
      const { served } = await send(gateway.port, `${kind}.mounts.example`, path);
      expect(`${kind}: ${served}`).not.toSatisfy(() => isAdmin(served));
    }
  });

  test.each(["/admin", "/admin/x", "/%61dmin/", "/x/../admin"])("%s reaches the guard", async (path) => {
    expect((await send(gateway.port, "nginx.mounts.example", path)).status).toBe(401);
  });

  test.each(["/administrators", "/x/admin", "/x/a%2Fb", "/"])("%s is served", async (path) => {
    expect((await send(gateway.port, "nginx.mounts.example", path)).status).toBe(200);
  });
});

describe("a guarded path below a catch-all", () => {
  test.each(spellings)("%s is never served without the guard", async (path, ...servedBy) => {
    for (const kind of kinds) {
      const { served } = await send(gateway.port, `${kind}.localhost`, path);
      expect(`${kind}: ${served}`).not.toSatisfy(() => isGuarded(served));
    }
    // Each spelling works on an upstream without a gateway.
    for (const kind of servedBy)
      expect(isGuarded((await send(upstreams.ports[kind], "direct", path)).served)).toBe(true);
  });

  test("no combination of tricks reaches it", async () => {
    const joints = [
      "/",
      "//",
      "%2f",
      "%2F",
      "\\",
      "%5c",
      "%252f",
      "/./",
      "/%2e/",
      "/x/../",
      "/x/..;/",
      ";/",
      ";a=b/",
      "/;/",
    ];
    const names = [
      "admin",
      "ADMIN",
      "%61dmin",
      "admin;x",
      "admin%3bx",
      "admin.",
      "%2561dmin",
      "users",
      "7",
      "keys",
      "Keys;a",
      "..",
      "..;x",
    ];
    const path = fc
      .array(fc.tuple(fc.constantFrom(...joints), fc.constantFrom(...names)), { minLength: 1, maxLength: 5 })
      .map((pieces) => `/${pieces.flat().join("")}`.replace(/^\/\//, "/"));
    await fc.assert(
      fc.asyncProperty(path, fc.constantFrom(...kinds), async (path, kind) => {
        const { served } = await send(gateway.port, `${kind}.localhost`, path);
        expect(isGuarded(served)).toBe(false);
        expect(isAdmin((await send(gateway.port, `${kind}.mounts.example`, path)).served)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ["/x/a%2Fb"],
    ["/x;v=1/y"],
    ["/x//y"],
    ["/caf%C3%A9/%25"],
    ["/administrators"],
    ["/a%252fb"],
    ["/Users/7"],
  ])("%s is another path and forwarded unchanged", async (path) => {
    await talk(gateway.port, rawRequest("GET", "shop.localhost", path), (text) => text.endsWith("done"));
    expect(echo.requests.at(-1)!.path).toBe(path);
    expect((await send(gateway.port, "nginx.localhost", path)).status).toBe(200);
  });

  test.each(["/x%2f..%2fadmin", "/x%5c..%5cadmin", "/%5cadmin", "//admin", "/admin;x", "/%2561dmin", "/ADMIN"])(
    "%s: 400 malformed_path",
    async (path) => {
      const { text } = await talk(
        gateway.port,
        rawRequest("GET", "nginx.localhost", path, ["Connection: close"]),
        () => false,
      );
      expect(text).toStartWith("HTTP/1.1 400 ");
      expect(text).toContain('"code":"malformed_path"');
    },
  );

  test.each([
    ["/x/../y", "/y"],
    ["/x/%2e%2E/y/.", "/y/"],
    ["/x\\..\\y", "/y"],
  ])("%s is forwarded as %s", async (path, forwarded) => {
    await talk(gateway.port, rawRequest("GET", "shop.localhost", path), (text) => text.endsWith("done"));
    expect(echo.requests.at(-1)!.path).toBe(forwarded);
  });

  test("too many escapes that servers read in different ways: 400", async () => {
    expect((await send(gateway.port, "nginx.localhost", `/x${"%2f".repeat(65)}`)).status).toBe(400);
    expect((await send(gateway.port, "nginx.localhost", `/x${"%2f".repeat(64)}y`)).status).toBe(200);
  });
});

describe("a catch-all", () => {
  test.each([
    ["/files/a", "a"],
    ["/files/a%20b/c%2Fd/", "a b/c/d/"],
    ["/files/a//b", "a//b"],
  ])("%s has the decoded rest %p", async (path, rest) => {
    const { text } = await talk(
      gateway.port,
      rawRequest("GET", "shop.localhost", path, ["Connection: close"]),
      () => false,
    );
    expect(text).toContain(JSON.stringify({ path: rest }));
  });

  test.each([
    ["PATCH", "/files/a", 405],
    ["PUT", "/files/a", 401],
    ["GET", "/files/", 200],
    ["GET", "/files", 200],
    ["GET", "/", 404],
    ["GET", "//", 404],
    ["POST", "/other", 405],
    // The catch-all would serve it.
    ["POST", "/below", 405],
    ["POST", "/below/", 405],
    ["POST", "/below/7", 405],
    ["POST", "/below/7/", 405],
    ["POST", "/below/7/8", 200],
  ])("%s %s: %d", async (method, path, status) => {
    const { text } = await talk(
      gateway.port,
      rawRequest(method, "shop.localhost", path, ["Connection: close"]),
      () => false,
    );
    expect(Number(text.slice(9, 12))).toBe(status);
  });
});

describe("x-tollgate-any", () => {
  const statusOf = async (method: string, path: string, headers = {}) =>
    (await gateway.fetch("shop", path, { method, headers })).status;

  test.each([["GET"], ["HEAD"], ["POST"], ["DELETE"], ["OPTIONS"], ["PROPFIND"], ["ANY"]])(
    "serves %s",
    async (method) => {
      await talk(gateway.port, rawRequest(method, "shop.localhost", "/any", ["Connection: close"]), () => false);
      expect(echo.requests.at(-1)!.method).toBe(method);
    },
  );

  test("leaves the methods of the path to their operations, and HEAD to GET", async () => {
    expect(await statusOf("GET", "/mixed")).toBe(200);
    expect(await statusOf("HEAD", "/mixed")).toBe(200);
    for (const method of ["POST", "OPTIONS", "DELETE"]) expect(await statusOf(method, "/mixed")).toBe(401);
  });

  test("leaves preflights to the policies of the operation that they are for", async () => {
    const preflightOf = (method: string) => ({
      origin: "https://app.example",
      "access-control-request-method": method,
    });
    expect(await statusOf("OPTIONS", "/mixed", preflightOf("GET"))).toBe(204);
    expect(await statusOf("OPTIONS", "/mixed", preflightOf("PUT"))).toBe(401);
  });

  test.each([["TRACE"], ["CONNECT"]])("does not serve %s", async (method) => {
    const { text } = await talk(
      gateway.port,
      rawRequest(method, "shop.localhost", "/any", ["Connection: close"]),
      () => false,
    );
    expect(text.slice(9, 12)).not.toBe("200");
  });
});
