import { expect, test } from "bun:test";
import { archiveOf, inChunks } from "../../../test/support/archives.ts";
import { runBuilder } from "../../builder/builder.ts";
import type { Artifact } from "../../core/artifact/artifact.ts";
import { UsageError } from "../process/usage-error.ts";
import { modelsProject } from "./templates.ts";

const project = { name: "my-models", productionBranch: undefined };

test.each([
  ["openai", "OPENAI_API_KEY", ["/v1/chat/completions", "/v1/responses", "/v1/embeddings"]],
  ["anthropic", "ANTHROPIC_API_KEY", ["/v1/messages", "/v1/messages/count_tokens"]],
  ["http://127.0.0.1:11434/v1", "MODELS_API_KEY", ["/v1/chat/completions", "/v1/responses", "/v1/embeddings"]],
])("the project for %s builds", async (provider, variable, operations) => {
  const files = modelsProject(provider, project);
  const variables = {
    branch: "main",
    variables: [{ name: variable, environments: ["production" as const, "preview" as const] }],
  };
  const report = await runBuilder(inChunks(await archiveOf(files)), { egress: "any", variables });
  expect(report.errors).toEqual([]);
  const { routes, secrets } = JSON.parse(report.artifact!) as Artifact;
  expect(routes.map(({ path }) => path)).toEqual([...operations, "/v1/models", "/v1/models/{id}"]);
  expect(Object.values(secrets!)).toEqual([variable]);
  // The example's test proves what these rates bill.
  expect(JSON.parse(files["rates.json"]!)).toEqual(await Bun.file("examples/models/rates.json").json());
});

test("another provider is a usage error", () => {
  expect(() => modelsProject("gemini", project)).toThrow(UsageError);
});
