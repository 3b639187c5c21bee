import { expect, test } from "bun:test";
import { OwnAddress } from "./own-address.ts";

test.each([
  ["127.0.0.1", "http://127.0.0.1:8787", "http://127.0.0.1:8787"],
  ["::1", "http://[::1]:8787", "http://[::1]:8787"],
  ["0.0.0.0", "http://0.0.0.0:8787", "http://127.0.0.1:8787"],
  ["::", "http://[::]:8787", "http://127.0.0.1:8787"],
])("a server at %s listens at %s and is reached at %s", (host, url, publicUrl) => {
  const address = new OwnAddress({
    host,
    publicUrl: undefined,
    gatewayUrl: undefined,
    portalUrl: undefined,
    tls: undefined,
  });
  address.listensOn(8787);
  expect([address.url, address.publicUrl]).toEqual([url, publicUrl]);
});

test("with TLS, and with a configured public URL", () => {
  const tls = { files: [], acme: undefined };
  const options = { host: "0.0.0.0", gatewayUrl: undefined, portalUrl: undefined, tls };
  const address = new OwnAddress({ ...options, publicUrl: undefined });
  address.listensOn(8443);
  expect(address.publicUrl).toBe("https://127.0.0.1:8443");
  expect(new OwnAddress({ ...options, publicUrl: "https://a.example" }).publicUrl).toBe("https://a.example");
});
