import { expect, test } from "bun:test";
import { pass, passageOf } from "../../../../test/support/passage.ts";
import { HeadersPolicy } from "./headers.ts";
import { headersOptions } from "./schema.ts";

test("sets and takes away headers on both ways, whatever their spelling", async () => {
  const policy = new HeadersPolicy(
    headersOptions.parse({
      request: { set: { "X-Added": "1", accept: "text/plain" }, remove: ["Cookie"] },
      response: { set: { "cache-control": "no-store" }, remove: ["Server"] },
    }),
  );
  const request = new Request("http://shop.localhost/", { headers: { cookie: "a=b", accept: "*/*", "x-kept": "2" } });
  const passage = passageOf(request);
  const answer = await pass([policy], passage, ({ headers }) => {
    expect(Object.fromEntries(headers as Iterable<[string, string]>)).toEqual({
      "x-added": "1",
      accept: "text/plain",
      "x-kept": "2",
    });
    return new Response("ok", { headers: { server: "secret/1.0", "x-other": "3" } });
  });
  expect(answer.headers.get("server")).toBeNull();
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("x-other")).toBe("3");
});
