import { describe, expect, test } from "bun:test";
import { HttpHeaders } from "../message/headers.ts";
import { parseProxyHeader } from "./proxy-protocol.ts";
import { TrustedProxies } from "./trusted-proxies.ts";

describe("trusted proxies", () => {
  test.each([
    ["loopback", "127.0.0.1", true],
    ["loopback", "127.9.9.9", true],
    ["loopback", "::1", true],
    ["loopback", "10.0.0.1", false],
    ["10.0.0.0/8", "10.200.0.1", true],
    ["10.0.0.0/8", "11.0.0.1", false],
    ["192.0.2.7", "192.0.2.7", true],
    ["192.0.2.7", "192.0.2.8", false],
    ["2001:db8::/32", "2001:db8:1::1", true],
    ["2001:db8::/32", "2001:db9::1", false],
    ["loopback", "", false],
  ])("%j trusts %j: %j", (entry, address, isTrusted) => {
    expect(new TrustedProxies([entry]).has(address)).toBe(isTrusted);
  });

  test.each([
    ...["10.0.0.0/33", "10.0.0", "example.com", "10.0.0.0/8/8", "::/129", "10.0.0.0/", "fe80::1%eth0"],
    ...["10.0.0.5/8", "2001:db8::1/32", "::ffff:10.0.0.0/8", "::ffff:10.0.0.1"],
  ])("%j is rejected", (entry) => expect(() => new TrustedProxies([entry])).toThrow(entry));

  test.each([
    [undefined, "10.0.0.1"],
    ["203.0.113.5", "203.0.113.5"],
    // Entries that the client wrote itself are to the left of those that proxies appended.
    ["198.51.100.1, 203.0.113.5", "203.0.113.5"],
    ["198.51.100.1, 203.0.113.5, 10.0.0.2", "203.0.113.5"],
    ["10.0.0.3, 10.0.0.2", "10.0.0.3"],
    ["203.0.113.5:4711", "203.0.113.5"],
    ["[2001:DB8::5]:4711", "2001:db8::5"],
    ["::ffff:203.0.113.5", "203.0.113.5"],
    ["nonsense, 10.0.0.2", "10.0.0.2"],
    ["unknown", "10.0.0.1"],
    ["", "10.0.0.1"],
  ])("the client of x-forwarded-for %j is %j", (forwardedFor, client) => {
    const headers = new HttpHeaders(forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor });
    expect(new TrustedProxies(["10.0.0.0/8"]).clientOf(headers, "10.0.0.1")).toBe(client);
  });
});

describe("the PROXY protocol", () => {
  const signature = "\r\n\r\n\0\r\nQUIT\n";
  const binary = (rest: number[]) => Buffer.concat([Buffer.from(signature, "latin1"), Buffer.from(rest)]);
  const ports = [0x12, 0x34, 0, 80];
  const mapped = [...Array<number>(10).fill(0), 255, 255, 203, 0, 113, 5];

  test.each([
    ["v1, IPv4", Buffer.from("PROXY TCP4 203.0.113.5 10.0.0.1 4711 80\r\n"), "203.0.113.5"],
    ["v1, highest port", Buffer.from("PROXY TCP4 203.0.113.5 10.0.0.1 65535 65535\r\n"), "203.0.113.5"],
    ["v1, IPv6", Buffer.from("PROXY TCP6 2001:DB8::5 ::1 4711 80\r\n"), "2001:db8::5"],
    ["v1, unknown", Buffer.from("PROXY UNKNOWN\r\n"), undefined],
    ["v2, IPv4", binary([0x21, 0x11, 0, 12, 203, 0, 113, 5, 10, 0, 0, 1, ...ports]), "203.0.113.5"],
    [
      "v2, with extensions",
      binary([0x21, 0x11, 0, 16, 203, 0, 113, 5, 10, 0, 0, 1, ...ports, 4, 0, 1, 0]),
      "203.0.113.5",
    ],
    ["v2, mapped", binary([0x21, 0x21, 0, 36, ...mapped, ...mapped, ...ports]), "203.0.113.5"],
    ["v2, local", binary([0x20, 0, 0, 0]), undefined],
    ["v2, unspecified", binary([0x21, 0, 0, 0]), undefined],
  ])("%s", (_, bytes, address) => {
    expect(parseProxyHeader(Buffer.concat([bytes, Buffer.from("GET /")]))).toEqual({ size: bytes.length, address });
    for (let length = 0; length < bytes.length; length++)
      expect(parseProxyHeader(bytes.subarray(0, length))).toBeUndefined();
  });

  test.each([
    Buffer.from("GET / HTTP/1.1\r\n"),
    Buffer.from("PROXY TCP4 2001:db8::5 ::1 1 2\r\n"),
    Buffer.from("PROXY TCP4 203.0.113.5 10.0.0.1 4711\r\n"),
    Buffer.from("PROXY TCP4 203.0.113.5 10.0.0.1 99999 80\r\n"),
    Buffer.from("PROXY TCP4 203.0.113.5 10.0.0.1 4711 65536\r\n"),
    Buffer.from("PROXY TCP4 203.0.113.5 2001:db8::5 4711 80\r\n"),
    Buffer.from(`PROXY ${"x".repeat(200)}`),
    Buffer.from("\r\n\r\nGET"),
    binary([0x11, 0x11, 0, 0]),
    binary([0x22, 0x11, 0, 0]),
    binary([0x21, 0x11, 0, 4, 1, 2, 3, 4]),
    binary([0x21, 0x11, 0xff, 0xff]),
  ])("%j is rejected", (bytes) => expect(() => parseProxyHeader(bytes)).toThrow("PROXY protocol"));
});
