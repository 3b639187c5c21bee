import { beforeAll, expect, test } from "bun:test";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import { sqlite } from "./support/engines.ts";
import { useServer } from "./support/server.ts";

const server = useServer(sqlite);
let text = "";

beforeAll(async () => {
  text = await (await fetch(`${server.url}/openapi.json`)).text();
});

/** Accepted findings of a rule, each with the reason. */
const exceptions = [
  // An archive's name begins with "sources/", which no deployment can be called: names have no slash, and "sources" is taken.
  { rule: "no-ambiguous-paths", message: /`\/v1\/deployments\/sources\/\{archive\}`/ },
];

const remaining = (findings: { rule: string; message: string; at: string }[]) =>
  findings.filter(({ rule, message }) => !exceptions.some((one) => one.rule === rule && one.message.test(message)));

test("openapi.json passes Redocly's recommended rules", async () => {
  const config = await createConfig({ extends: ["recommended"] });
  const findings = await lintFromString({ source: text, absoluteRef: "openapi.json", config });
  const found = findings.map(({ ruleId, message, location }) => ({
    rule: ruleId,
    message,
    at: location[0]?.pointer ?? "",
  }));
  expect(remaining(found)).toEqual([]);
});

test("the linter rejects a document that breaks its rules", async () => {
  const content = { "application/json": { schema: { type: "string" }, example: 7 } };
  const paths = { "/wrong": { get: { responses: { 200: { description: "An example of another type", content } } } } };
  const broken = JSON.stringify({ ...JSON.parse(text), servers: [], paths, components: {} });
  const config = await createConfig({ extends: ["recommended"] });
  const redocly = await lintFromString({ source: broken, absoluteRef: "openapi.json", config });
  const rules = redocly.map((finding) => finding.ruleId);
  expect(rules).toContain("no-empty-servers");
  expect(rules).toContain("no-invalid-media-type-examples");
});
