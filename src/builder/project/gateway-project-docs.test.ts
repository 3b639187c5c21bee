import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { buildProject, plainProject } from "../../../test/support/gateway-project.ts";
import { mcpRouteSchema } from "../../core/artifact/mcp-schema.ts";
import { modelsRouteSchema, modelsSchema } from "../../core/artifact/models-schema.ts";
import { policySchemas } from "../../gateway/policies/schemas.ts";
import { routingSchema, settingsSchema } from "./project-schema.ts";

const read = (name: string) => readFileSync(join(import.meta.dir, "../../../docs", name), "utf8");
const examplesIn = (text: string) =>
  [...text.matchAll(/^```json\n(.*?)^```$/gms)].map(([, example]) => JSON.parse(example!));
const page = read("gateway-project.md");
const examples = examplesIn(page);
/** The page about language models has the members of `models`. */
const modelExamples = examplesIn(read("models.md"));
/** The page about agents has those of `mcp`. */
const agentExamples = examplesIn(read("agents.md"));

/** The names of all members, at any depth. */
function membersOf(schema: unknown, found = new Set<string>()): Set<string> {
  if (typeof schema !== "object" || schema === null) return found;
  if ("properties" in schema) for (const name of Object.keys(schema.properties as object)) found.add(name);
  for (const part of Object.values(schema)) membersOf(part, found);
  return found;
}

function namesIn(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value !== "object" || value === null) return found;
  if (!Array.isArray(value)) for (const name of Object.keys(value)) found.add(name);
  for (const part of Object.values(value)) namesIn(part, found);
  return found;
}

const inputOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });

test("docs/gateway-project.md has an example of every member of tollgate.json", () => {
  const file = examples.find((example) => "productionBranch" in example);
  const { models: _models, ...shape } = settingsSchema.shape;
  const others = z.strictObject(shape);
  expect([...membersOf(inputOf(others))].filter((name) => !namesIn(file).has(name))).toEqual([]);
  // A secret is resolved before the PEM text is checked.
  const { tls: _, ...upstream } = file.upstream;
  expect(settingsSchema.parse({ ...file, upstream })).toMatchObject({ defaultPolicies: ["key", "limit", "mask"] });
  for (const { type, options } of Object.values<{ type: string; options: unknown }>(file.policies))
    if (type in policySchemas) policySchemas[type as keyof typeof policySchemas].parse(options);
});

test("docs/models.md has an example of every member of models", () => {
  const members = [...membersOf(inputOf(modelsSchema)), ...membersOf(inputOf(modelsRouteSchema))];
  expect(members.filter((name) => !namesIn(modelExamples).has(name))).toEqual([]);
  for (const example of modelExamples) {
    if ("models" in example) settingsSchema.parse(example);
    if ("x-tollgate" in example) routingSchema.parse(example["x-tollgate"]);
  }
});

test("docs/agents.md has an example of every member of mcp", () => {
  expect([...membersOf(inputOf(mcpRouteSchema))].filter((name) => !namesIn(agentExamples).has(name))).toEqual([]);
  const [{ paths }] = agentExamples.filter((example) => "paths" in example);
  routingSchema.parse(paths["/mcp"].post["x-tollgate"]);
});

test("docs/gateway-project.md has an example of every member of x-tollgate", () => {
  const used: object[] = [];
  JSON.stringify(examples, (name, value) => {
    if (name === "x-tollgate") used.push(value);
    return value;
  });
  for (const example of used) routingSchema.parse(example);
  const wanted = Object.keys(inputOf(routingSchema).properties ?? {});
  expect(
    wanted.filter((name) => !["models", "mcp"].includes(name) && !used.some((example) => name in example)),
  ).toEqual([]);
});

test("docs/gateway-project.md links to the page of every policy", () => {
  for (const type of Object.keys(policySchemas)) expect(page).toContain(`[${type}](policies/${type}.md)`);
});

test("the documents and the code of docs/gateway-project.md build as they are", async () => {
  const [handler, policy, onResponse] = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, text]) => text!);
  const modules = {
    "modules/reports.ts": handler!,
    "modules/office-hours.ts": policy!,
    "modules/add-id.ts": onResponse!,
    "modules/mask.ts": onResponse!,
  };
  const [proxy, orders] = examples.filter((example) => "openapi" in example);
  const [settings, addId] = examples.filter((example) => "policies" in example);
  const plain = JSON.parse(plainProject["openapi.json"]!);
  // The build has no secrets.
  const { tls: _, ...upstream } = settings.upstream;
  const projects = [
    [proxy, {}],
    [orders, { policies: { key: settings.policies.key } }],
    [plain, { ...settings, upstream, environment: { REGION: settings.environment.REGION } }],
    [plain, { ...addId, defaultPolicies: ["add-id"] }],
    [plain, { policies: { hours: { type: "modules/office-hours.ts" } }, defaultPolicies: ["hours"] }],
  ];
  for (const [document, tollgate] of projects) {
    const report = await buildProject({
      ...modules,
      "openapi.json": JSON.stringify(document),
      "tollgate.json": JSON.stringify(tollgate),
    });
    expect(report.errors).toEqual([]);
  }
});
