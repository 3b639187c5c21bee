// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the syntax of variables in projects, not a template literal.
import { expect, test } from "bun:test";
import { archiveOf, inChunks } from "../../../test/support/archives.ts";
import type { Artifact } from "../../core/artifact/artifact.ts";
import type { BuildVariables } from "../../core/artifact/build-variables.ts";
import { splitInput } from "../archive/build-input.ts";
import { runBuilder } from "../builder.ts";

const production: BuildVariables = {
  branch: "main",
  variables: [
    { name: "HOST", environments: ["production", "preview"], value: "api.example.com" },
    { name: "TOKEN", environments: ["production"] },
    { name: "PREVIEW", environments: ["preview"], value: "only there" },
  ],
};

const openapi = (routing: object = {}, document = {}) =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "T", version: "1", description: "${NOT_A_VARIABLE}" },
    paths: { "/a": { get: { "x-tollgate": routing } } },
    ...document,
  });

async function build(files: Record<string, string>, variables: BuildVariables = production) {
  const report = await runBuilder(inChunks(await archiveOf(files)), { egress: "any", variables });
  const artifact: Artifact | undefined = report.artifact && JSON.parse(report.artifact);
  return { report, artifact };
}

async function messages(settings: object, variables = production): Promise<string[]> {
  const { report } = await build({ "openapi.json": openapi(), "tollgate.json": JSON.stringify(settings) }, variables);
  return report.errors.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
}

const upstream = { upstream: "https://${HOST}" };

test("plain variables are resolved, secrets become references, and `$${` stays", async () => {
  const policy = {
    type: "headers",
    options: { request: { set: { authorization: "Bearer ${TOKEN}", x: "$${TOKEN}" } } },
  };
  const { artifact, report } = await build({
    "openapi.json": openapi({ upstream: "https://${HOST}/${TOKEN}/v1", policies: ["p"] }),
    "tollgate.json": JSON.stringify({ policies: { p: policy } }),
  });
  expect(report.errors).toEqual([]);
  const [[placeholder, name]] = Object.entries(artifact!.secrets!) as [[string, string]];
  expect(name).toBe("TOKEN");
  expect(artifact!.routes[0]!.target).toEqual({ upstream: `https://api.example.com/${placeholder}/v1` });
  expect(artifact!.policies.p!.options).toMatchObject({
    request: { set: { authorization: `Bearer ${placeholder}`, x: "${TOKEN}" } },
  });
});

test("the same project produces the same artifact, also if it contains text that looks like a reference", async () => {
  const files = {
    "openapi.json": openapi({ upstream: "https://example.com/tgsecret0x0x/${TOKEN}" }),
  };
  const [one, two] = [await build(files), await build(files)];
  expect(one.report.artifact).toBe(two.report.artifact!);
  expect(one.artifact!.secrets).toEqual({ tgsecret1x0x: "TOKEN" });
  expect(one.artifact!.routes[0]!.target).toEqual({ upstream: "https://example.com/tgsecret0x0x/tgsecret1x0x" });
});

test("code has plain variables in its environment; values of tollgate.json override them", async () => {
  const { artifact, report } = await build({
    "openapi.json": openapi({ handler: "modules/a.ts" }),
    "tollgate.json": '{ "environment": { "HOST": "mine", "AUTH": "Bearer ${TOKEN}" } }',
    "modules/a.ts": "export default () => new Response();",
  });
  expect(artifact!.environment).toEqual({ HOST: "mine", AUTH: `Bearer ${Object.keys(artifact!.secrets!)[0]}` });
  expect(report.warnings.map(({ message }) => message)).toEqual(['hides the project\'s variable "HOST" from the code']);
});

test.each([
  [
    "unset",
    { upstream: "https://${HOTS}" },
    'tollgate.json:1:13: the variable "HOTS" is not set; did you mean "HOST"?',
  ],
  [
    "of another environment",
    { ...upstream, environment: { A: "${PREVIEW}" } },
    'tollgate.json:1:50: the variable "PREVIEW" is not set for production, only for preview: set it with `tollgate variables set PREVIEW --environment preview --environment production`',
  ],
  [
    "without an end",
    { ...upstream, environment: { A: "${HOST" } },
    "tollgate.json:1:50: `${` must be followed by the name of a variable and `}`; write `$${` for a literal `${`",
  ],
  [
    "with a bad name",
    { ...upstream, environment: { A: "${1 2}" } },
    "tollgate.json:1:50: `${` must be followed by the name of a variable and `}`; write `$${` for a literal `${`",
  ],
  [
    "in productionBranch",
    { ...upstream, productionBranch: "${HOST}" },
    "tollgate.json:1:50: must not contain a variable, because the production branch determines which variables are set",
  ],
])("a variable %s is an error where it is used", async (_, settings, message) => {
  expect(await messages(settings)).toEqual([message]);
});

const setIt = (name: string) =>
  `the variable "${name}" is not set: set it with \`tollgate variables set ${name}\`, for \`tollgate dev\` in .env.tollgate`;

test("an unset variable causes one error, without further errors about its value", async () => {
  const settings = {
    upstream: "${UPSTREAM_ADDRESS}",
    policies: {
      key: { type: "api-key", options: { bucket: "${BUCKET}" } },
      browsers: { type: "cors", options: { origins: ["${ORIGIN}"] } },
      code: { type: "${POLICY_TYPE}" },
      limit: { type: "rate-limit", options: { by: "${SUBJECT}", requests: 1, windowSeconds: 1 } },
    },
    defaultPolicies: ["key", "${THE_OTHER}"],
  };
  const found = (await messages(settings)).map((message) => message.replace(/^tollgate\.json:\d+:\d+: /, ""));
  const names = ["UPSTREAM_ADDRESS", "BUCKET", "ORIGIN", "POLICY_TYPE", "SUBJECT", "THE_OTHER"];
  expect(found).toEqual(names.map(setIt));
  const { report } = await build({ "openapi.json": openapi({ handler: "${SOME_MODULE}", policies: ["${A}.${B}"] }) });
  expect(report.errors.map(({ message }) => message)).toEqual(["SOME_MODULE", "A", "B"].map(setIt));
});

test("a secret in a visible place is an error that does not show the placeholder", async () => {
  expect(await messages({ ...upstream, defaultPolicies: ["${TOKEN}"] })).toEqual([
    'tollgate.json:1:50: the secret "TOKEN" cannot be used here: secrets can be used in "upstream", "environment", the "options" of policies, and "credential" and "headers" of providers of models',
    'tollgate.json:1:50: unknown policy "${TOKEN}": tollgate.json does not name it',
  ]);
});

test("the production branch selects the environment, also if this build declares it", async () => {
  const settings = { ...upstream, environment: { A: "${TOKEN}" } };
  const [preview] = await messages(settings, { ...production, branch: "trunk" });
  expect(preview).toContain('the variable "TOKEN" is not set for preview (branch "trunk"), only for production');
  expect(await messages({ ...settings, productionBranch: "trunk" }, { ...production, branch: "trunk" })).toEqual([]);
  expect(await messages(settings, { ...production, branch: "trunk", productionBranch: "trunk" })).toHaveLength(1);
  expect(await messages(settings, { ...production, branch: "production" })).toHaveLength(1);
});

test("YAML aliases are resolved once", async () => {
  const { artifact, report } = await build({
    "openapi.yaml": [
      "openapi: 3.1.0",
      "info: { title: T, version: '1' }",
      "paths:",
      "  /a: &item { get: { x-tollgate: { upstream: 'https://${HOST}/$${x}' } } }",
      "  /b: *item",
    ].join("\n"),
  });
  expect(report.errors).toEqual([]);
  for (const { target } of artifact!.routes) expect(target).toEqual({ upstream: "https://api.example.com/$%7Bx%7D" });
});

test("a builder reads variables and the archive, or the archive alone, in chunks of any size", async () => {
  const archive = Buffer.from([0x1f, 0x8b, 1, 2, 3]);
  const line = Buffer.from(`${JSON.stringify(production)}\n`);
  for (const size of [1, 7, 10_000]) {
    const both = await splitInput(pieces(Buffer.concat([line, archive]), size));
    expect(both.variables).toEqual(production);
    expect(Buffer.concat(await Array.fromAsync(both.archive))).toEqual(archive);
    const alone = await splitInput(pieces(archive, size));
    expect(alone.variables).toBeUndefined();
    expect(Buffer.concat(await Array.fromAsync(alone.archive))).toEqual(archive);
  }
  expect(await Array.fromAsync((await splitInput(pieces(Buffer.alloc(0), 1))).archive)).toEqual([]);
});

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
