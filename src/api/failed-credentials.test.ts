import { expect, test } from "bun:test";
import { eachEngine } from "../../test/support/engines.ts";
import { expectProblem } from "../../test/support/expect-problem.ts";
import { useServer } from "../../test/support/server.ts";
import { Problem } from "../core/problems/problem.ts";
import { FailedCredentials } from "./failed-credentials.ts";

eachEngine((engine) => {
  const server = useServer(engine);
  const { client, clock } = server;
  const guess = (at: number) => client.as(`tgt_guess_${at}`).get("/v1/who-am-i");

  test("invalid credentials get 429 after a hundred, a valid token passes, and the count is reset after a minute", async () => {
    for (let at = 0; at < 100; at++) expectProblem(await guess(at), 401, "unauthenticated");
    clock.advance(15_000);
    const rejected = await guess(100);
    expectProblem(rejected, 429, "too_many_failures");
    expect(rejected.headers.get("retry-after")).toBe("45");
    expect((await client.get("/v1/who-am-i")).status).toBe(200);
    expectProblem(await client.anonymous().get("/v1/who-am-i"), 401, "unauthenticated");
    clock.advance(45_000);
    expectProblem(await guess(101), 401, "unauthenticated");
  });
});

const rejection = new Problem("unauthenticated");

test("each address is counted separately, and an IPv6 network as one", () => {
  const failures = new FailedCredentials();
  const fail = (ip: string) => failures.count(ip, 0, rejection).status;
  for (let at = 0; at < 100; at++) expect(fail(`2001:db8::${at.toString(16)}`)).toBe(401);
  expect(fail("2001:db8::ffff")).toBe(429);
  expect(fail("2001:db8:0:1::1")).toBe(401);
  expect(fail("192.0.2.1")).toBe(401);
});

test("memory is bounded for any number of clients", () => {
  const failures = new FailedCredentials();
  for (let at = 0; at < 30_000; at++) failures.count(`10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`, 0, rejection);
  expect(failures.size).toBe(10_000);
});
