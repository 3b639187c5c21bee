import { expect, test } from "bun:test";
import { HttpHeaders } from "../../platform/http1/message/headers.ts";
import { prepareForTarget } from "./forwarded-headers.ts";

function prepared(forwarder: Parameters<typeof prepareForTarget>[2]): (string | null)[] {
  const headers = new HttpHeaders({ host: "x", "x-forwarded-for": "203.0.113.5", "x-forwarded-proto": "https" });
  prepareForTarget(headers, { ip: "192.0.2.1", requestId: "1" }, forwarder, "http");
  return [headers.get("x-forwarded-for"), headers.get("x-forwarded-proto")];
}

test("headers of a client are replaced, those of a trusted proxy are kept", () => {
  expect(prepared(undefined)).toEqual(["192.0.2.1", "http"]);
  expect(prepared({ address: "10.0.0.1", protocol: "https" })).toEqual(["203.0.113.5, 10.0.0.1", "https"]);
  expect(prepared({ address: "10.0.0.1", protocol: undefined })).toEqual(["203.0.113.5, 10.0.0.1", "http"]);
});

test("headers with the client's address pass only from a trusted proxy; headers with a path or a proxy never pass", () => {
  const sent = {
    forwarded: "for=203.0.113.5",
    "x-real-ip": "203.0.113.5",
    "x-forwarded-port": "443",
    "x-forwarded-host": "evil.example",
    x_real_ip: "203.0.113.5",
    x_forwarded_port: "443",
    proxy: "http://evil.example",
    "x-original-url": "/admin",
    "x-rewrite-url": "/admin",
    "x-http-method-override": "DELETE",
    "x-method-override": "DELETE",
    x_http_method_override: "DELETE",
    "x-original-host": "evil.example",
    "x-original-forwarded-for": "203.0.113.5",
    "remote-user": "root",
    remote_user: "root",
    "fly-client-ip": "203.0.113.5",
    "x-azure-clientip": "203.0.113.5",
  };
  const passed = (forwarder: Parameters<typeof prepareForTarget>[2], listed?: Set<string>) => {
    const headers = new HttpHeaders({ host: "x", ...sent });
    prepareForTarget(headers, { ip: "192.0.2.1", requestId: "1" }, forwarder, "http", listed);
    expect(headers.get("x-forwarded-host")).toBe("x");
    return Object.keys(sent).filter((name) => name !== "x-forwarded-host" && headers.get(name) !== null);
  };
  expect(passed(undefined)).toEqual([]);
  expect(passed({ address: "10.0.0.1", protocol: undefined })).toEqual(["forwarded", "x-real-ip", "x-forwarded-port"]);
  expect(passed(undefined, new Set(["x-http-method-override", "remote-user"]))).toEqual([
    "x-http-method-override",
    "remote-user",
  ]);
});
