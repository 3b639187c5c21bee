import { expect, test } from "bun:test";
import { GatewayAddresses } from "./addresses.ts";

test.each([
  ["http://gateway.localhost", "must contain {name} once"],
  ["http://{name}.{name}.localhost", "must contain {name} once"],
  ["http://example.com/{name}", "must contain {name} in its host"],
  ["http://user@{name}.example.com", "must contain {name} in its host"],
  ["ftp://{name}.example.com", "must be an http or https address"],
  ["{name}.example.com", "must be an http or https address"],
  ["http://{name}.example.com/base", "must be an address that ends with its host"],
  ["http://{name}.example.com?x", "must be an address that ends with its host"],
  ["http://{name}.0.0.1", "must be an address that ends with its host"],
])("%s is rejected", (template, sentence) => {
  expect(() => new GatewayAddresses(template)).toThrow(sentence);
});

test.each([
  ["shop.localhost:8787", "shop"],
  ["shop.localhost", "shop"],
  ["shop.localhost:9", "shop"],
  ["SHOP-Main-1a2b3c4.LocalHost:8787", "shop-main-1a2b3c4"],
  ["shop.localhost.", "shop"],
  ["localhost:8787", undefined],
  [".localhost:8787", undefined],
  ["127.0.0.1:8787", undefined],
  ["a.b.localhost:8787", undefined],
  ["shop.localhost.example.com", undefined],
  ["sh_op.localhost", undefined],
  ["", undefined],
])("the host %p names %p", (host, name) => {
  const addresses = new GatewayAddresses("http://{name}.localhost:8787");
  expect(addresses.nameIn(host)).toBe(name);
  expect(addresses.nameIn(host)).toBe(name);
});

test("unknown hosts do not fill the cache, nor do their request heads", () => {
  const addresses = new GatewayAddresses("http://{name}.localhost:8787");
  const rss = () => {
    Bun.gc(true);
    return process.memoryUsage().rss;
  };
  const before = rss();
  for (let index = 0; index < 1_900; index++) {
    const name = `some-shop-${index}.localhost`;
    addresses.nameIn(Buffer.from(name.padEnd(32_000), "latin1").toString("latin1").slice(0, name.length));
    addresses.nameIn(`${"x".repeat(31_000)}${index}`);
    if (index % 50 === 0) Bun.gc(true);
  }
  expect(rss() - before).toBeLessThan(50_000_000);
});

test("unknown hosts do not fill the cache", () => {
  const addresses = new GatewayAddresses("http://{name}.localhost:8787");
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 200_000; index++) addresses.nameIn(`${"x".repeat(100)}${index}.localhost`);
  Bun.gc(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(20_000_000);
});
