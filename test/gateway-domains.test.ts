import { afterAll, beforeAll, expect, test } from "bun:test";
import type { CustomDomain } from "../src/core/hosts/custom-domains.ts";
import { artifactOf, TestGateway } from "./support/gateway.ts";
import { callHost } from "./support/project.ts";
import { RawUpstream, responseText } from "./support/upstream.ts";

const domains = new Map<string, CustomDomain>();
let gateway: TestGateway;
let upstream: RawUpstream;

beforeAll(async () => {
  gateway = new TestGateway({ domains });
  upstream = await RawUpstream.start(({ socket }) => socket.write(responseText("hello")));
  const target = { upstream: upstream.url };
  for (const name of ["warm", "cold"]) await gateway.deploy(name, artifactOf([{ path: "/a", target }]));
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const status = async (host: string) => (await callHost(`http://127.0.0.1:${gateway.port}`, host, "/a")).status;

test("a domain serves only deployments of its own account, whatever their names", async () => {
  for (const deploymentName of ["warm", "cold"]) {
    domains.set("own.example", { host: "own.example", accountSeq: 1, deploymentName });
    domains.set("other.example", { host: "other.example", accountSeq: 2, deploymentName });
    expect(await status("other.example")).toBe(404);
    expect(await status("own.example")).toBe(200);
    expect(await status("other.example")).toBe(404);
  }
  expect(await status("unknown.example")).toBe(418);
  domains.delete("own.example");
  expect(await status("own.example")).toBe(418);
});
