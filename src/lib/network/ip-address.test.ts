import { expect, test } from "bun:test";
import { isIP } from "node:net";
import fc from "fast-check";
import { AddressBytes, isAddress, parseNetwork } from "./ip-address.ts";

test.each([
  ["192.0.2.1", "c0000201"],
  ["0.0.0.0", "00000000"],
  ["::", "0".repeat(32)],
  ["::1", `${"0".repeat(31)}1`],
  ["2001:DB8::8:800:200c:417a", "20010db80000000000080800200c417a"],
  ["fe80::1%eth0", `fe80${"0".repeat(27)}1`],
  ["::ffff:192.0.2.1", "c0000201"],
  ["::FFFF:c000:201", "c0000201"],
  ["64:ff9b::192.0.2.33", "0064ff9b0000000000000000c0000221"],
])("%s is read", (text, hex) => {
  const address = new AddressBytes();
  expect(address.parse(text)).toBe(true);
  expect(Buffer.from(address.bytes.subarray(0, address.length)).toString("hex")).toBe(hex);
});

test.each([
  "",
  " 192.0.2.1",
  "192.0.2",
  "192.0.2.1.5",
  "192.0.2.256",
  "192.0.2.01",
  "192.0.2.",
  "1.2.3.4.",
  ":",
  ":::",
  "1::2::3",
  "1:2:3:4:5:6:7",
  "1:2:3:4:5:6:7:8:9",
  "1:2:3:4:5:6:7::8:9",
  "12345::",
  "g::",
  "::1.2.3",
  "1:2:3:4:5:6:7:1.2.3.4",
  "2001:db8:",
  "a".repeat(1000),
])("%j is no address", (text) => {
  expect(isAddress(text)).toBe(false);
});

test("accepts the same addresses as Node", () => {
  const part = fc.oneof(fc.constantFrom(":", "::", ".", "0", "ffff", "1.2.3.4", "00", "256"), fc.ipV4(), fc.ipV6());
  const text = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.array(part, { maxLength: 9 }).map((parts) => parts.join("")),
  );
  fc.assert(fc.property(text, (candidate) => expect(isAddress(candidate)).toBe(isIP(candidate) !== 0)));
});

test.each([
  ["192.0.2.1/24", "has bits set after its prefix of 24 bits"],
  ["2001:db8::1/32", "has bits set after its prefix of 32 bits"],
  ["::ffff:192.0.2.1", "is an IPv4-mapped IPv6 address: write it as 192.0.2.1"],
  ["::ffff:192.0.2.0/120", "is an IPv4-mapped IPv6 address: write it as 192.0.2.0/24"],
  ["192.0.2.0/33", "must have a prefix length of 0 to 32 after the /"],
  ["192.0.2.0/", "must have a prefix length of 0 to 32 after the /"],
  ["192.0.2.0/08", "must have a prefix length of 0 to 32 after the /"],
  ["2001:db8::/129", "must have a prefix length of 0 to 128 after the /"],
  ["fe80::1%eth0", "must be an IPv4 or IPv6 address or CIDR, such as 192.0.2.1 or 2001:db8::/32"],
  ["example.com", "must be an IPv4 or IPv6 address or CIDR, such as 192.0.2.1 or 2001:db8::/32"],
])("%s is no network: it %s", (text, reason) => {
  expect(parseNetwork(text)).toBe(reason);
});

test.each([
  ["10.0.0.0/8", "10.255.0.1", true],
  ["10.0.0.0/8", "11.0.0.1", false],
  ["10.0.0.0/8", "::ffff:10.1.2.3", true],
  ["192.0.2.128/25", "192.0.2.127", false],
  ["192.0.2.128/25", "192.0.2.128", true],
  ["192.0.2.7", "192.0.2.7", true],
  ["0.0.0.0/0", "203.0.113.9", true],
  ["0.0.0.0/0", "2001:db8::1", false],
  ["::/0", "203.0.113.9", false],
  ["2001:db8::/33", "2001:db8:7fff::1", true],
  ["2001:db8::/33", "2001:db8:8000::1", false],
])("%s holds %s: %p", (network, address, holds) => {
  const parsed = parseNetwork(network);
  if (typeof parsed === "string") throw new Error(parsed);
  const memory = new Uint8Array([9, 9, ...parsed.bytes]);
  const bytes = new AddressBytes();
  bytes.parse(address);
  expect(bytes.isIn(memory, 2, parsed.bytes.length, parsed.prefixLength)).toBe(holds);
});

test("consecutive addresses are parsed correctly, also the same one twice", () => {
  const bytes = new AddressBytes();
  const read = (text: string) =>
    bytes.parse(text) ? Buffer.from(bytes.bytes.subarray(0, bytes.length)).toString("hex") : "";
  const texts = [
    "",
    "192.0.2.1",
    "192.0.2.1",
    "x",
    "x",
    "192.0.2.1",
    "::1",
    "::ffff:192.0.2.1",
    "::ffff:192.0.2.1",
    "",
  ];
  const expected = ["", "c0000201", "c0000201", "", "", "c0000201", `${"0".repeat(31)}1`, "c0000201", "c0000201", ""];
  expect(texts.map(read)).toEqual(expected);
});
