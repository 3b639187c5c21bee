import { afterAll, beforeAll, expect, test } from "bun:test";
import { HeldTimers } from "../../../test/support/held-timers.ts";
import { until } from "../../../test/support/until.ts";
import { RawUpstream, responseText } from "../../../test/support/upstream.ts";
import { Egress } from "./egress.ts";
import { fetchJson } from "./fetch-json.ts";

let provider: RawUpstream;

beforeAll(async () => {
  provider = await RawUpstream.start(({ path, socket }) => {
    if (path === "/complete") socket.write(responseText('{"keys":[]}'));
    if (path === "/body-hangs") socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"keys":');
  });
});
afterAll(() => provider.stop());

test.each(["/hangs", "/body-hangs"])("%s: a fetch ends after 5 s, and its connection is closed", async (path) => {
  using timers = new HeldTimers(5_000);
  const [requests, closed] = [provider.requests.length, provider.closed];
  const fetched = fetchJson(new Egress("any"), provider.url + path);
  fetched.catch(() => {});
  await until(() => provider.requests.length > requests);
  expect(timers.pending).toBe(1);
  timers.expire();
  await expect(fetched).rejects.toThrow(`${provider.url}${path} did not respond within 5 s`);
  await until(() => provider.closed > closed);
});

test("the lookup of the name is part of the 5 s", async () => {
  using timers = new HeldTimers(5_000);
  const hanging = { addresses: () => new Promise<string[]>(() => {}) };
  const fetched = fetchJson(new Egress("any", hanging), "http://keys.test/jwks");
  fetched.catch(() => {});
  timers.expire();
  await expect(fetched).rejects.toThrow("http://keys.test/jwks did not respond within 5 s");
});

test("a fetch that ends in time leaves no timer", async () => {
  using timers = new HeldTimers(5_000);
  expect(await fetchJson(new Egress("any"), `${provider.url}/complete`)).toEqual({ keys: [] });
  expect(timers.pending).toBe(0);
});
