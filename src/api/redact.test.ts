import { expect, test } from "bun:test";
import { z } from "zod";
import { secret } from "../core/schemas/schemas.ts";
import type { Endpoint } from "./endpoint.ts";
import { redact, secretsOf } from "./redact.ts";

const body = z.object({
  name: z.string(),
  key: secret(z.string()).optional(),
  keys: z.array(z.object({ key: secret(z.string()) })).optional(),
  headers: z.record(z.string(), secret(z.string())).optional(),
  variables: z.record(z.string(), z.object({ value: secret(z.string()), isOld: z.boolean() })).optional(),
});
const secrets = secretsOf({ body } as unknown as Endpoint);

test("redacts marked members, items of lists, and members of any name", () => {
  const value = {
    name: "n",
    key: "a",
    keys: [{ key: "b" }, { key: "c" }],
    headers: { one: "d", other: "e" },
    variables: { x: { value: "f", isOld: true } },
  };
  expect(redact(value, secrets)).toEqual({
    name: "n",
    key: "[redacted]",
    keys: [{ key: "[redacted]" }, { key: "[redacted]" }],
    headers: { one: "[redacted]", other: "[redacted]" },
    variables: { x: { value: "[redacted]", isOld: true } },
  });
  expect(redact({ name: "n", key: null }, secrets)).toEqual({ name: "n", key: null });
});

test("leaves what is shown", () => {
  const value = { name: "n", key: "****1234", keys: [{ key: "whole" }] };
  const isMask = (each: unknown) => String(each).startsWith("****");
  expect(redact(value, secrets, isMask)).toEqual({ name: "n", key: "****1234", keys: [{ key: "[redacted]" }] });
});
