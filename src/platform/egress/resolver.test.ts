import { expect, test } from "bun:test";
import { Resolver } from "./egress.ts";

function resolverOf(answers: (string[] | Error)[]) {
  const time = { seconds: 0 };
  let lookups = 0;
  const resolver = new Resolver({
    now: () => time.seconds * 1000,
    lookup: async () => {
      const answer = answers[Math.min(lookups++, answers.length - 1)]!;
      if (answer instanceof Error) throw answer;
      return answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
    },
  });
  return { resolver, time, lookups: () => lookups };
}

test("a name is resolved again after 30 s", async () => {
  const { resolver, time, lookups } = resolverOf([["10.0.0.1"], ["10.0.0.2"], ["10.0.0.3"]]);
  expect(await resolver.addresses("api.test")).toEqual(["10.0.0.1"]);
  time.seconds = 29;
  expect(resolver.cached("api.test")).toEqual(["10.0.0.1"]);
  expect(lookups()).toBe(1);
  // The expired addresses are returned once more while the name is resolved again.
  time.seconds = 31;
  expect(resolver.cached("api.test")).toEqual(["10.0.0.1"]);
  expect(await resolver.addresses("api.test")).toEqual(["10.0.0.2"]);
  expect(resolver.cached("api.test")).toEqual(["10.0.0.2"]);
  // Addresses that have not been used for long are not returned at all.
  time.seconds = 120;
  expect(resolver.cached("api.test")).toBeUndefined();
  expect(await resolver.addresses("api.test")).toEqual(["10.0.0.3"]);
});

test("a name that cannot be resolved again keeps its addresses, and is retried after 5 s", async () => {
  const { resolver, time } = resolverOf([["10.0.0.1"], new Error("no DNS"), ["10.0.0.2"]]);
  await resolver.addresses("api.test");
  time.seconds = 31;
  expect(await resolver.addresses("api.test")).toEqual(["10.0.0.1"]);
  time.seconds = 35;
  expect(await resolver.addresses("api.test")).toEqual(["10.0.0.1"]);
  time.seconds = 37;
  expect(await resolver.addresses("api.test")).toEqual(["10.0.0.2"]);
});

test("a name that could never be resolved fails, and is resolved again by the next request", async () => {
  const { resolver } = resolverOf([new Error("no DNS"), ["::1", "10.0.0.1"]]);
  await expect(resolver.addresses("api.test")).rejects.toThrow("no DNS");
  expect(await resolver.addresses("api.test")).toEqual(["10.0.0.1", "::1"]);
});
