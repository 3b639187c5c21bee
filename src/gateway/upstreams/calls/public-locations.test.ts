import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { artifactOf, TestGateway } from "../../../../test/support/gateway.ts";
import { RawUpstream } from "../../../../test/support/upstream.ts";
import type { Policy } from "../../exchange/policy.ts";
import { type Addresses, publicLocation } from "./public-locations.ts";

describe("a location", () => {
  const plain = {
    hosts: new Set(["api:8080"]),
    basePath: "",
    mountPrefix: undefined,
    publicPath: "/",
    targetPath: "/",
  };
  test.each<[name: string, Partial<Addresses>, location: string, expected: string]>([
    ["absolute", {}, "http://api:8080/a?b=c#d", "/a?b=c#d"],
    ["of another protocol", {}, "https://API:8080/a", "/a"],
    ["without a protocol", {}, "//api:8080/a", "/a"],
    ["without a path", {}, "http://api:8080", "/"],
    ["with a user name", {}, "http://ada:secret@api:8080/a", "/a"],
    ["of another port", {}, "http://api:9090/a", "http://api:9090/a"],
    ["of another host", {}, "https://example.com/a", "https://example.com/a"],
    ["of another scheme", {}, "mailto:ada@example.com", "mailto:ada@example.com"],
    ["that is invalid", {}, "http://[", "http://["],
    ["relative to the path", {}, "next?page=2", "next?page=2"],
    ["of the default port", { hosts: new Set(["api"]) }, "http://api:80/a", "/a"],
    ["that would be another host", {}, "http://api:8080//evil.test/", "/.//evil.test/"],
    ["with a backslash", { basePath: "/v1" }, "/\\evil.test", "/\\evil.test"],
    ["below the base path", { basePath: "/v1" }, "http://api:8080/v1/a", "/a"],
    ["at the base path", { basePath: "/v1" }, "http://api:8080/v1?a", "/?a"],
    ["beside the base path", { basePath: "/v1" }, "http://api:8080/v10/a", "/v10/a"],
    ["that is a path below the base path", { basePath: "/v1" }, "/v1/a?b", "/a?b"],
    ["that is a path", {}, "/a", "/a"],
    ["behind a mount", { mountPrefix: "/shop" }, "http://api:8080/a", "/shop/a"],
    ["that is a path behind a mount", { mountPrefix: "/shop" }, "/a", "/shop/a"],
    ["that has the prefix of the mount already", { mountPrefix: "/shop" }, "/shop/a", "/shop/a"],
    ["behind a removed prefix", { publicPath: "/api/a/1", targetPath: "/a/1" }, "http://api:8080/b", "/api/b"],
    ["behind an added prefix", { publicPath: "/a/1", targetPath: "/v2/a/1" }, "/v2/b", "/b"],
    ["outside an added prefix", { publicPath: "/a/1", targetPath: "/v2/a/1" }, "/login", "/login"],
    ["behind a replaced prefix", { publicPath: "/old1/x", targetPath: "/new1/x" }, "/new1/y", "/old1/y"],
    ["behind a replaced path", { publicPath: "/old", targetPath: "/new" }, "/new/", "/old/"],
    ["behind a path that became the root", { publicPath: "/old", targetPath: "/" }, "/login", "/login"],
    [
      "behind all of them",
      { basePath: "/v1", mountPrefix: "/shop", publicPath: "/api/a", targetPath: "/a" },
      "http://api:8080/v1/b",
      "/shop/api/b",
    ],
  ])("%s", (_, changed, location, expected) => {
    expect(publicLocation(location, { ...plain, ...changed }) ?? location).toBe(expected);
  });
});

describe("a response of an upstream", () => {
  let gateway: TestGateway;
  let upstream: RawUpstream;
  const stripApi = (): Policy => ({
    enter(context) {
      context.path = context.path.replace(/^\/api/, "");
      return undefined;
    },
  });

  beforeAll(async () => {
    upstream = await RawUpstream.start(({ headers, socket }) => {
      const own = `http://${headers.get("host")}/v1`;
      const location = `location: ${own}/next?a=b\r\ncontent-location: ${own}/here\r\n`;
      socket.write(`HTTP/1.1 302 Found\r\n${location}x-host: ${headers.get("host")}\r\ncontent-length: 0\r\n\r\n`);
    });
    gateway = new TestGateway({ policies: { strip: stripApi } });
    const url = `${upstream.url}/v1`;
    const targets = [{ url, weight: 1 }];
    await gateway.deploy(
      "shop",
      artifactOf(
        [
          { path: "/plain", target: { upstream: url } },
          { path: "/api/stripped", target: { upstream: url }, policies: ["strip"] },
          { path: "/balanced", target: { upstream: url, balanced: 0 } },
          { path: "/preserved", target: { upstream: url, balanced: 1 } },
        ],
        {
          policies: { strip: { type: "strip", options: {} } },
          upstreams: [
            { balance: "round-robin", targets },
            { balance: "round-robin", targets, preserveHost: true },
          ],
        },
      ),
    );
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.stop();
  });

  test.each([
    ["/plain", "/"],
    ["/api/stripped", "/api/"],
    ["/balanced", "/"],
    ["/preserved", "/"],
  ])("%s does not reveal the upstream's address", async (path, prefix) => {
    const { headers } = await gateway.fetch("shop", path, { redirect: "manual" });
    expect([headers.get("location"), headers.get("content-location")]).toEqual([`${prefix}next?a=b`, `${prefix}here`]);
  });

  test("preserveHost sends the client's Host header", async () => {
    const hostOf = async (path: string) =>
      (await gateway.fetch("shop", path, { redirect: "manual" })).headers.get("x-host");
    const own = new URL(upstream.url).host;
    expect(await hostOf("/plain")).toBe(own);
    expect(await hostOf("/balanced")).toBe(own);
    expect(await hostOf("/preserved")).toMatch(/^shop\.localhost/);
  });
});
