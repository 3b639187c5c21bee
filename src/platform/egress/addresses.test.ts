import { expect, test } from "bun:test";
import fc from "fast-check";
import { isMetadataAddress, isPublicAddress } from "./addresses.ts";

test.each([
  "1.1.1.1",
  "8.8.8.8",
  "100.63.255.255",
  "100.128.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "223.255.255.255",
  "2606:4700::1111",
  "2001:4860:4860::8888",
  "2a00:1450::1",
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "100.100.100.200",
  "127.0.0.1",
  "127.255.255.255",
  "168.63.129.16",
  "169.254.169.254",
  "172.16.0.1",
  "172.31.255.255",
  "192.0.0.192",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.1.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:8.8.8.8",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:2::1",
  "2001:db8::1",
  "2002:7f00:1::",
  "3fff::1",
  "fc00::1",
  "fd00:ec2::254",
  "fe80::1",
  "fe80::1%eth0",
  "ff02::1",
  "127.1",
  "0x7f000001",
  "localhost",
  "",
])("%s is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test("every address of a private range is rejected, and wrapped in IPv6 as well", () => {
  const byte = fc.integer({ min: 0, max: 255 });
  const range = fc.constantFrom([10], [127], [192, 168], [169, 254]);
  fc.assert(
    fc.property(range, fc.tuple(byte, byte, byte), (start, rest) => {
      const address = [...start, ...rest].slice(0, 4).join(".");
      for (const form of [address, `::ffff:${address}`, `64:ff9b::${address}`, `::${address}`]) {
        expect(isPublicAddress(form)).toBe(false);
      }
    }),
  );
});

test("outside of 2000::/3 no IPv6 address is public", () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      if (groups[0]! >= 0x2000 && groups[0]! <= 0x3fff) return;
      expect(isPublicAddress(groups.map((value) => value.toString(16)).join(":"))).toBe(false);
    }),
  );
});

test.each([
  "169.254.169.254",
  "169.254.0.1",
  "::ffff:169.254.169.254",
  "::ffff:a9fe:a9fe",
  "::a9fe:a9fe",
  "64:ff9b::a9fe:a9fe",
  "64:ff9b::169.254.169.254",
  "::ffff:0:169.254.169.254",
  "::ffff:0:a9fe:a9fe",
  "2002:a9fe:a9fe::",
  "2002:a9fe:a9fe:1::5",
  "2002:6464:64c8::1",
  "2001:0:1234:5678:0:0:5601:5601",
  "2001:0:a9fe:a9fe::1",
  "64:ff9b:1::a9fe:a9fe",
  "64:ff9b:1:2:3:4:a9fe:a9fe",
  "64:ff9b:1:a9fe:a9:fe00::",
  "64:ff9b:1:a9:fe:a9fe::",
  "64:ff9b:1::a9:fea9:fe00:0",
  "fe80::1",
  "fe80::1%eth0",
  "febf::1",
  "fd00:ec2::254",
  "fd20:ce::254",
  "100.100.100.200",
  "168.63.129.16",
])("%s is link-local or of a cloud's metadata", (address) => {
  expect(isMetadataAddress(address)).toBe(true);
});

test.each([
  "127.0.0.1",
  "10.0.0.1",
  "169.253.255.255",
  "::1",
  "fd00:ec2::255",
  "fec0::1",
  "::ffff:10.0.0.1",
  "::ffff:0:10.0.0.1",
  "2002:a00:1::",
  "2002::a9fe:a9fe",
  "2001:0:1234:5678:0:0:a9fe:a9fe",
  "2001:db8::a9fe:a9fe",
  "64:ff9b:2::a9fe:a9fe",
  "64:ff9b:1::a00:1",
  "localhost",
])("%s is neither", (address) => {
  expect(isMetadataAddress(address)).toBe(false);
});
