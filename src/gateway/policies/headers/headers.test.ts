import { expect, test } from "bun:test";
import { contextOf, pass } from "../../../../test/support/request-context.ts";
import { HeadersPolicy } from "./headers.ts";
import { headersOptions } from "./schema.ts";

test("no other spelling of a header that the policy sets or removes reaches the target", async () => {
  const options = { request: { set: { "x-inner-role": "guest" }, remove: ["x-debug-mode", "x_trace_"] } };
  const policy = new HeadersPolicy(headersOptions.parse(options));
  const headers = { X_Inner_Role: "admin", "x-inner_role": "admin", X_Debug_Mode: "1", "x-trace-": "1", x_kept: "2" };
  const context = contextOf(new Request("http://shop.localhost/", { headers }));
  await pass([policy], context);
  expect(Object.fromEntries(context.headers as Iterable<[string, string]>)).toEqual({
    x_kept: "2",
    "x-inner-role": "guest",
  });
});

test("sets and removes headers of requests and responses, in any spelling", async () => {
  const policy = new HeadersPolicy(
    headersOptions.parse({
      request: { set: { "X-Added": "1", accept: "text/plain" }, remove: ["Cookie"] },
      response: { set: { "cache-control": "no-store" }, remove: ["Server"] },
    }),
  );
  const request = new Request("http://shop.localhost/", { headers: { cookie: "a=b", accept: "*/*", "x-kept": "2" } });
  const context = contextOf(request);
  const response = await pass([policy], context, ({ headers }) => {
    expect(Object.fromEntries(headers as Iterable<[string, string]>)).toEqual({
      "x-added": "1",
      accept: "text/plain",
      "x-kept": "2",
    });
    return new Response("ok", { headers: { server: "secret/1.0", "x-other": "3" } });
  });
  expect(response.headers.get("server")).toBeNull();
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("x-other")).toBe("3");
});
