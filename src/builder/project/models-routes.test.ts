import { describe, expect, test } from "bun:test";
import { buildMarked, buildProject, type Files } from "../../../test/support/gateway-project.ts";
import type { Artifact } from "../../core/artifact/artifact.ts";

const openai = '"openai": { "api": "openai", "url": "https://api.openai.com/v1", "credential": "k" }';
const anthropic = '"anthropic": { "api": "anthropic", "url": "https://api.anthropic.com/v1/" }';
const small = '"small": { "targets": [{ "provider": "openai", "model": "gpt-x" }], "maxOutputTokens": 100 }';
const embed = '"embed": { "targets": [{ "provider": "openai", "model": "text-embedding-3-small" }] }';
const claude = '"claude": { "targets": [{ "provider": "anthropic", "model": "claude-x" }] }';

const routing = '{ "handler": "models", "models": { "unmetered": true } }';

function project({
  providers = `${openai}, ${anthropic}`,
  aliases = small,
  path = '"/v1/{path+}"',
  method = '"x-tollgate-any"',
  tollgate = routing,
  more = "",
  settings,
}: Record<string, string> = {}): Files {
  return {
    "openapi.json": `{
      "openapi": "3.1.0", "info": { "title": "T", "version": "1" },
      "paths": { ${path}: { ${method}: { "x-tollgate": ${tollgate} } }${more} } }`,
    "tollgate.json": settings ?? `{ "models": { "providers": { ${providers} }, "aliases": { ${aliases} } } }`,
  };
}

async function built(files: Files): Promise<Artifact> {
  const { errors, artifact } = await buildProject(files);
  expect(errors).toEqual([]);
  return JSON.parse(artifact!);
}

describe("a models route", () => {
  const operations = async (aliases: string) =>
    (await built(project({ aliases }))).routes.map(({ method, path }) => `${method} ${path}`);
  const models = ["GET /v1/models", "GET /v1/models/{id}"];

  test("is expanded into the operations of the APIs that its aliases have", async () => {
    expect(await operations(small)).toEqual([
      "POST /v1/chat/completions",
      "POST /v1/responses",
      "POST /v1/embeddings",
      ...models,
    ]);
    expect(await operations(embed)).toEqual(["POST /v1/embeddings", ...models]);
    expect(await operations(claude)).toEqual(["POST /v1/messages", "POST /v1/messages/count_tokens", ...models]);
    const chat = `"a": { "operations": ["chat/completions"], ${small.slice(small.indexOf("{") + 1)}`;
    expect(await operations(`${chat}, ${claude}`)).toEqual([
      "POST /v1/chat/completions",
      "POST /v1/messages",
      "POST /v1/messages/count_tokens",
      ...models,
    ]);
  });

  test("has its options, defaults and a timeout of 600 seconds", async () => {
    const { routes, models: settings } = await built(project());
    expect(routes[0]).toEqual({
      path: "/v1/chat/completions",
      method: "POST",
      operationId: "createChatCompletion",
      target: {
        handler: "models",
        operation: "chat/completions",
        options: { allowStored: false, clampOutput: false, retryIfSent: false, unmetered: true },
      },
      policies: [],
      timeoutSeconds: 600,
    });
    expect(settings!.aliases.small!.targets).toEqual([{ provider: "openai", model: "gpt-x", weight: 1, priority: 0 }]);
    expect(settings!.providers.anthropic!.url).toBe("https://api.anthropic.com/v1");
    const timed = project({
      tollgate: '{ "handler": "models", "timeoutSeconds": 60, "models": { "unmetered": true } }',
    });
    expect((await built(timed)).routes[0]!.timeoutSeconds).toBe(60);
  });

  test("is counted by a policy of type usage", async () => {
    const files = project({
      tollgate: '{ "handler": "models", "policies": ["key", "usage"] }',
      settings: `{
        "policies": {
          "key": { "type": "api-key", "options": { "bucket": "main" } },
          "usage": { "type": "usage", "options": { "bucketId": "models", "meters": { "n": { "count": "requests" } } } }
        },
        "models": { "providers": { ${openai} }, "aliases": { ${small} } } }`,
    });
    expect((await built(files)).routes.map(({ policies }) => policies)).toEqual(
      Array.from({ length: 5 }, () => ["key", "usage"]),
    );
  });

  test("shows its operations on the pages of a portal", async () => {
    const { site } = await buildProject(project());
    const { navigation } = JSON.parse(
      Buffer.from(Bun.gunzipSync(Buffer.from(site!.contents, "base64"))).toString(),
    ) as { navigation: { reference: { entries: { label: string; path: string }[] }[] } };
    expect(navigation.reference[0]!.entries.map(({ label, path }) => [label, path])).toEqual([
      ["Create a chat completion", "/v1/chat/completions"],
      ["Create a response", "/v1/responses"],
      ["Create embeddings", "/v1/embeddings"],
      ["List the models", "/v1/models"],
      ["Retrieve a model", "/v1/models/{id}"],
    ]);
  });
});

test.each<[string, Files, string]>([
  [
    "no usage",
    project({ method: '▶"x-tollgate-any"', tollgate: '{ "handler": "models" }' }),
    'the handler "models" needs a policy of type "usage"',
  ],
  [
    "another method",
    project({ method: '▶"post"' }),
    'POST /v1/{path+} has the handler "models": it needs a path that ends in {path+}, with "x-tollgate-any"',
  ],
  [
    "another path",
    project({ path: '"/v1/chat"', method: '▶"x-tollgate-any"' }),
    '/v1/chat has the handler "models": it needs a path that ends in {path+}, with "x-tollgate-any"',
  ],
  [
    "no models",
    project({ method: '▶"x-tollgate-any"', settings: "{}" }),
    'the handler "models" needs "models" in tollgate.json: providers and aliases',
  ],
  [
    "options without the handler",
    project({ tollgate: '{ "upstream": "http://u", "models": ▶{ "unmetered": true } }' }),
    '"models" has options of "handler": "models", which must be beside it',
  ],
  [
    "an unknown option",
    project({ tollgate: '{ "handler": "models", "models": { ▶"unmetred": true } }' }),
    'unknown member "unmetred"; did you mean "unmetered"?',
  ],
  [
    "an operation that the document declares too",
    project({
      method: '▶"x-tollgate-any"',
      more: ', "/v1/embeddings": { "get": { "x-tollgate": { "upstream": "http://u" } } }',
    }),
    '/v1/{path+} has the handler "models", which serves /v1/embeddings: the document declares that path too',
  ],
  [
    "an unknown provider",
    project({ aliases: '"a": { "targets": [{ "provider": ▶"opnai", "model": "m" }], "maxOutputTokens": 1 }' }),
    'names the provider "opnai", which "providers" does not have',
  ],
  [
    "two APIs",
    project({
      aliases:
        '"a": { "targets": [{ "provider": "openai", "model": "m" }, { "provider": ▶"anthropic", "model": "m" }], "maxOutputTokens": 1 }',
    }),
    'is a provider of the API "anthropic", and the first target\'s has "openai": the targets of an alias have one API',
  ],
  [
    "no output limit",
    project({ aliases: '"a": ▶{ "targets": [{ "provider": "openai", "model": "m" }] }' }),
    '"models.aliases.a" needs "maxOutputTokens", the output limit of requests that have none',
  ],
  [
    "an operation of another API",
    project({
      aliases: '"a": { "targets": [{ "provider": "anthropic", "model": "m" }], "operations": [▶"embeddings"] }',
    }),
    'is not an operation of the API "anthropic": it has "messages", "messages/count_tokens"',
  ],
  ["no target", project({ aliases: '"a": { "targets": ▶[], "maxOutputTokens": 1 }' }), "must have at least one target"],
  [
    "a name that is no segment",
    project({ aliases: '▶"a/b": { "targets": [{ "provider": "openai", "model": "m" }], "maxOutputTokens": 1 }' }),
    "must be 1 to 128 letters, digits, ., _, :, @ and -, a letter or digit first",
  ],
  [
    "a URL with a query",
    project({ providers: '"openai": { "api": "openai", "url": ▶"https://api.test/v1?a=b" }' }),
    "must be an http or https URL with the version",
  ],
  [
    "an unknown API",
    project({ providers: '"openai": { "api": ▶"gemini", "url": "https://api.test/v1" }' }),
    'must be "openai" or "anthropic"',
  ],
  [
    "a credential twice",
    project({
      providers:
        '"openai": { "api": "openai", "url": "https://api.test/v1", "credential": "k", "headers": { "authorization": ▶"x" } }',
    }),
    'is set from "credential": remove one of them',
  ],
  [
    "a credential with a line break",
    project({ providers: '"openai": { "api": "openai", "url": "https://api.test/v1", "credential": ▶"k\\nx: y" }' }),
    "must be visible ASCII characters without blanks at its ends",
  ],
])("build error: %s", async (_, files, message) => {
  const { atMark, elsewhere } = await buildMarked(files);
  expect(elsewhere).toEqual([]);
  expect(atMark).toEqual([expect.stringContaining(message)]);
});

test("a literal credential is a warning that names the syntax of variables", async () => {
  const { errors, warnings } = await buildProject(project());
  expect(errors).toEqual([]);
  expect(warnings).toMatchObject([
    {
      file: "tollgate.json",
      message:
        'the credential is stored in plain text: write "$' +
        '{OPENAI_API_KEY}" and set it with `tollgate variables set OPENAI_API_KEY --secret`',
    },
  ]);
  expect(JSON.stringify(warnings)).not.toContain('"k"');
  expect((await buildProject(project({ providers: anthropic, aliases: claude }))).warnings).toEqual([]);
});
