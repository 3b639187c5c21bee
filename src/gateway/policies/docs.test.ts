import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type PolicyTypeName, policySchemas } from "./schemas.ts";

const types = Object.keys(policySchemas) as PolicyTypeName[];
const page = (type: string) => readFileSync(join(import.meta.dir, `../../../docs/policies/${type}.md`), "utf8");

test.each(types)("the page of %s has a row for each option, with its default", (type) => {
  const table = page(type).split("\n## ")[0]!;
  const documented = [...table.matchAll(/^\| `(\w+)` \| ([^|]+) \|/gm)].map(([, name, fallback]) => [name!, fallback!]);
  const { properties = {}, required = [] } = z.toJSONSchema(policySchemas[type], { io: "input" });
  expect(documented.map(([name]) => name)).toEqual(Object.keys(properties));
  for (const [name, fallback] of documented)
    expect([name, fallback === "required"]).toEqual([name!, required.includes(name!)]);
});

test.each(types)("the page of %s has the largest value of each number", (type) => {
  const { properties = {} } = z.toJSONSchema(policySchemas[type], { io: "input" });
  const largest = Object.values(properties as Record<string, { maximum?: number }>)
    .map(({ maximum = 0 }) => maximum)
    .filter((maximum) => maximum > 0 && maximum < Number.MAX_SAFE_INTEGER);
  expect(largest.filter((maximum) => !page(type).includes(maximum.toLocaleString("en-US")))).toEqual([]);
});

test.each(types)("the example on the page of %s is valid", (type) => {
  const [, example] = /```json\n([\s\S]*?)```/.exec(page(type))!;
  const { policies } = JSON.parse(example!) as { policies: Record<string, { type: string; options: unknown }> };
  for (const policy of Object.values(policies)) {
    expect(policy.type).toBe(type);
    expect(policySchemas[type].safeParse(policy.options).error).toBeUndefined();
  }
});
