import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { buildProject } from "../../../test/support/gateway-project.ts";
import type { PageNode, SiteContents, SitePage } from "../../core/artifact/site.ts";

/** Builds a project, and returns its site. */
async function build(document: object = {}, files: Record<string, string> = {}) {
  const info = { title: "Weather", version: "2.1" };
  const openapi = { openapi: "3.1.0", info, paths: { "/a": { get: {} } }, ...document };
  const settings = {
    upstream: "https://internal.example",
    policies: { key: { type: "api-key", options: { bucket: "main", header: "x-api-key", scheme: "" } } },
    defaultPolicies: ["key"],
  };
  const given = { "openapi.json": JSON.stringify(openapi), "tollgate.json": JSON.stringify(settings), ...files };
  const { errors, warnings, site, artifact } = await buildProject(given);
  const contents = site && (JSON.parse(gunzipSync(Buffer.from(site.contents, "base64")).toString()) as SiteContents);
  const pack = Buffer.from(site?.pack ?? "", "base64");
  const pages: Record<string, SitePage> = {};
  const texts: Record<string, string> = {};
  for (const [name, [offset, length]] of Object.entries(contents?.files ?? {})) {
    const piece = pack.subarray(offset, offset + length);
    if (name.endsWith(".json")) pages[name.slice(0, -5)] = JSON.parse(gunzipSync(piece).toString());
    if (name.endsWith(".md")) texts[name] = gunzipSync(piece).toString();
  }
  return { errors, warnings, pages, texts, contents: contents!, artifact };
}

const forecast = {
  paths: {
    "/forecast/{city}": {
      parameters: [{ name: "city", in: "path", required: true, schema: { type: "string", example: "Zürich" } }],
      post: {
        operationId: "createForecast",
        summary: "Create a forecast",
        description: "For **one** city.",
        tags: ["Forecasts"],
        deprecated: true,
        security: [{ key: [], tls: [] }, { oauth: ["write"] }],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Forecast" } } },
        },
        responses: {
          200: {
            description: "Done.",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Forecast" } } },
          },
        },
      },
      "x-tollgate": { upstream: "https://secret-upstream.example" },
    },
    "/internal": { get: { "x-internal": true, operationId: "hidden" } },
    "/{rest+}": { "x-tollgate-any": {} },
  },
  components: {
    securitySchemes: {
      key: { type: "apiKey", in: "header", name: "x-api-key" },
      tls: { type: "mutualTLS" },
      oauth: { type: "oauth2", flows: {} },
    },
    schemas: {
      Forecast: {
        type: "object",
        required: ["degrees"],
        properties: {
          id: { type: "integer", readOnly: true },
          degrees: { type: "number", minimum: -90, maximum: 60, description: "In °C." },
          next: { $ref: "#/components/schemas/Forecast" },
          kind: { oneOf: [{ type: "string", enum: ["sun", "rain"] }, { type: "integer" }] },
          note: { anyOf: [{ type: "string", maxLength: 5 }, { type: "null" }] },
        },
      },
    },
  },
};

test("operations and the schemas that they use have pages; internal and undescribed ones are hidden", async () => {
  const { pages, contents, errors } = await build(forecast);
  expect(errors).toEqual([]);
  expect(Object.keys(pages).sort()).toEqual(["index", "operations/createForecast", "schemas/Forecast"]);
  expect(contents.navigation).toMatchObject({
    title: "Weather",
    version: "2.1",
    reference: [
      {
        label: "Forecasts",
        entries: [
          { page: "operations/createForecast", label: "Create a forecast", method: "POST", isDeprecated: true },
        ],
      },
      { label: "Schemas", entries: [{ page: "schemas/Forecast", label: "Forecast" }] },
    ],
  });
  const { operation, nodes } = pages["operations/createForecast"]!;
  expect(nodes).toEqual([{ tag: "p", children: ["For ", { tag: "strong", children: ["one"] }, " city."] }]);
  expect(operation).toMatchObject({
    isDeprecated: true,
    keyHeader: { header: "x-api-key", prefix: "" },
    target: "/forecast/Z%C3%BCrich",
    parameters: [{ name: "city", in: "path", isRequired: true, example: "Zürich" }],
  });
  expect(operation!.security!.map((all) => all.map(({ text }) => text))).toEqual([
    ["a key in the header x-api-key", "a client certificate"],
    ["OAuth 2.0, with write"],
  ]);
});

test("schemas: recursion ends at a link, null is part of the type, and each direction has its own example", async () => {
  const { pages } = await build(forecast);
  const { body, responses } = pages["operations/createForecast"]!.operation!;
  const [content] = body!.contents;
  const byName = Object.fromEntries(content!.schema!.properties!.map((each) => [each.name, each]));
  expect(byName.degrees).toMatchObject({ isRequired: true, schema: { rules: ["-90 to 60"] } });
  expect(byName.next!.schema).toEqual({ type: "object", name: "Forecast", page: "schemas/Forecast" });
  expect(byName.kind!.schema).toMatchObject({ variantKind: "one", type: "string or integer" });
  expect(byName.kind!.schema.variants![0]!.values).toEqual(['"sun"', '"rain"']);
  expect(byName.note!.schema).toMatchObject({ type: "string or null", rules: ["at most 5 characters"] });
  expect(Object.keys(JSON.parse(content!.example!))).toEqual(["degrees", "kind", "note"]);
  expect(Object.keys(JSON.parse(responses[0]!.contents[0]!.example!))).toEqual(["id", "degrees", "kind", "note"]);
});

test("samples have the address, the key and the body, and nothing of the upstream", async () => {
  const { pages, texts, contents } = await build(forecast);
  const { samples } = pages["operations/createForecast"]!.operation!;
  expect(samples.map(({ language }) => language)).toEqual(["curl", "JavaScript", "Python", "Go"]);
  for (const { code } of samples) {
    expect(code).toContain("{{url}}/forecast/Z%C3%BCrich");
    expect(code).toContain("{{key}}");
    expect(code).toContain("degrees");
  }
  expect(samples[0]!.code).toStartWith("curl -X POST '{{url}}/forecast/Z%C3%BCrich' \\\n  -H 'x-api-key: {{key}}'");
  const all = JSON.stringify([pages, texts, contents.navigation]);
  expect(all).not.toContain("secret-upstream");
  expect(all).not.toContain("internal.example");
});

test("each page has a Markdown version", async () => {
  const { texts } = await build(forecast);
  const text = texts["operations/createForecast.md"]!;
  expect(text).toStartWith(
    "# Create a forecast\n\n`POST {{url}}/forecast/{city}`\n\n**Deprecated.**\n\nFor **one** city.",
  );
  expect(text).toContain("- `city` (path, string, required): Example: `Zürich`.");
  expect(text).toContain("- `degrees` (number, required): In °C. -90 to 60.");
  expect(text).toContain("a key in the header x-api-key and a client certificate; or OAuth 2.0, with write");
  expect(texts["schemas/Forecast.md"]).toStartWith("# Forecast");
});

test("guides: front matter, order, links, images, highlighting", async () => {
  const { pages, contents, warnings, errors } = await build(
    {},
    {
      "docs/index.md":
        "---\ntitle: First steps\ndescription: Begin here.\n---\n\n## Send\n\n[Errors](more/errors.md#codes) ![A map](map.png)\n\n```js\nconst a = 1;\n```\n",
      "docs/more/errors.md": "# Errors\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n\n- [x] done\n",
      "docs/later.md": "---\norder: 5\ngroup: Guides\n---\n# Later\n",
      "docs/map.png": "bytes",
      "docs/unused.png": "bytes",
    },
  );
  expect({ errors, warnings }).toEqual({ errors: [], warnings: [] });
  expect(contents.navigation.guides).toEqual([
    {
      label: "Guides",
      entries: [
        { page: "guides/index", label: "First steps", text: "Errors A map" },
        { page: "guides/later", label: "Later" },
      ],
    },
    { label: "More", entries: [{ page: "guides/more/errors", label: "Errors" }] },
  ]);
  const { title, description, nodes, headings } = pages["guides/index"]!;
  expect({ title, description, headings }).toEqual({
    title: "First steps",
    description: "Begin here.",
    headings: [{ id: "send", text: "Send", level: 2 }],
  });
  expect(nodes[1]).toEqual({
    tag: "p",
    children: [
      { tag: "a", href: "page:guides/more/errors#codes", children: ["Errors"] },
      " ",
      { tag: "img", src: "file:files/map.png", alt: "A map" },
    ],
  });
  expect(nodes[2]).toMatchObject({
    tag: "pre",
    language: "js",
    children: [{ tag: "span", kind: "keyword", children: ["const"] }, " a = ", { tag: "span", kind: "number" }, ";"],
  });
  expect(Object.keys(contents.files).filter((name) => name.startsWith("files/"))).toEqual(["files/map.png"]);
});

const elementsIn = (nodes: PageNode[]): string[] =>
  nodes.flatMap((node) => (typeof node === "string" ? [] : [node.tag, ...elementsIn(node.children ?? [])]));

test("raw HTML is text, its comments are left out, and links to scripts are no links", async () => {
  const text = [
    "<script>alert(1)</script>",
    "",
    "a <b onclick=x>b</b> <!-- note -->",
    "",
    "[x](javascript:alert(1)) [y](data:text/html,z) [z](//other.example) <javascript:alert(2)>",
    "",
    "![i](https://other.example/track.png) ![j](../../etc/passwd.png)",
    "",
    "```<script>",
    "</code><img src=x>",
    "```",
  ].join("\n");
  const { pages, warnings } = await build(
    { info: { title: "W", version: "1", description: text } },
    { "docs/a.md": text },
  );
  for (const page of [pages["guides/a"]!, pages.index!]) {
    expect([...new Set(elementsIn(page.nodes))].sort()).toEqual(["p", "pre"]);
    const shown = JSON.stringify(page.nodes);
    expect(shown).toContain("<script>alert(1)</script>");
    expect(shown).toContain("<b onclick=x>");
    expect(shown).not.toContain("note");
  }
  expect(warnings.map(({ line }) => line)).toEqual([5, 5, 5, 5, 7, 7]);
});

test.each([
  ["front matter that is no YAML", "---\na: [\n---\nx", "docs/a.md:2: the front matter is not valid YAML"],
  ["a title that is no text", "---\ntitle: 7\n---\nx", 'docs/a.md:1: front matter: "title"'],
])("%s is an error", async (_, text, message) => {
  const { errors } = await build({}, { "docs/a.md": text });
  expect(errors.map(({ file, line, message: found }) => `${file}:${line}: ${found}`).join("\n")).toStartWith(message);
});

test("a version with other guides is another artifact, and the same files give the same one", async () => {
  const one = await build({}, { "docs/a.md": "one" });
  expect((await build({}, { "docs/a.md": "one" })).artifact).toBe(one.artifact);
  expect((await build({}, { "docs/a.md": "two" })).artifact).not.toBe(one.artifact);
});

test("a document with 2,000 operations has small pages", async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [
      `p${at}`,
      at < 3 ? { $ref: `#/components/schemas/S${at}` } : { type: "string" },
    ]),
  );
  const schemas = Object.fromEntries(Array.from({ length: 3 }, (_, at) => [`S${at}`, { type: "object", properties }]));
  const content = { "application/json": { schema: { $ref: "#/components/schemas/S0" } } };
  const paths = Object.fromEntries(
    Array.from({ length: 2000 }, (_, at) => [
      `/things/${at}`,
      { post: { requestBody: { content }, responses: { 200: { description: "ok", content } } } },
    ]),
  );
  const { errors, contents } = await build({ paths, components: { schemas } });
  expect(errors).toEqual([]);
  expect(contents.navigation.reference[0]!.entries.length).toBe(2000);
  const sizes = Object.values(contents.files).map(([, length]) => length);
  expect(Math.max(...sizes)).toBeLessThan(10_000);
});
