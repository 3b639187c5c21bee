import { anyMethod } from "../../core/artifact/artifact.ts";
import {
  type DescribedSchema,
  type ExampleTarget,
  type OperationPage,
  type SiteEntry,
  type SiteGroup,
  type SitePage,
  urlPlaceholder,
} from "../../core/artifact/site.ts";
import type { Located } from "../documents/located.ts";
import type { ApiDocument, ApiOperation } from "../openapi/openapi.ts";
import { describeOperation } from "./describe-operation.ts";
import { SchemaDescriber } from "./describe-schema.ts";
import { descriptionOf, markdownOf } from "./description.ts";
import { exampleTarget } from "./example-target.ts";
import { externalLinks, renderMarkdown, summaryOf, textOf } from "./markdown.ts";
import { PagePaths } from "./page-paths.ts";
import { samplesOf } from "./samples.ts";
import { SchemaPages } from "./schema-pages.ts";
import type { SiteFiles } from "./site-files.ts";

/** Schemas deeper than this are named only: the page of the schema has the rest. */
const maxDepth = 4;

interface OperationText {
  title: string;
  /** Markdown. */
  description: string;
  operation: OperationPage;
}

/** The page of an operation as Markdown, for programs and language models. */
function operationMarkdown({ title, description, operation }: OperationText): string {
  const { method, path, isDeprecated, parameters, body, responses, samples, security } = operation;
  const parts = [`# ${title}`, `\`${method} ${urlPlaceholder}${path}\``];
  if (isDeprecated) parts.push("**Deprecated.**");
  if (description !== "") parts.push(description);
  const access = security && securityText(security);
  if (access) parts.push(`Authentication: ${access}.`);
  if (parameters.length > 0)
    parts.push(
      "## Parameters",
      parameters
        .map(({ name, in: place, isRequired, description: text, schema, example }) =>
          line(`\`${name}\` (${place}, ${typeText(schema)}${isRequired ? ", required" : ""})`, [
            textOf(text ?? []),
            ...detailsOf(schema),
            example === undefined ? "" : `Example: \`${example}\``,
          ]),
        )
        .join("\n"),
    );
  if (body) {
    parts.push(`## Body${body.isRequired ? " (required)" : ""}`);
    for (const content of body.contents) parts.push(contentText(content));
  }
  if (responses.length > 0) parts.push("## Responses");
  for (const { status, description: text, contents } of responses) {
    parts.push(`### ${status}`, textOf(text ?? []));
    for (const content of contents) parts.push(contentText(content));
  }
  const [sample] = samples;
  if (sample) parts.push("## Example", fenced(sample.code, "sh"));
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

/** The page of a schema as Markdown. */
function schemaMarkdown(title: string, schema: DescribedSchema): string {
  const parts = [`# ${title}`, textOf(schema.description ?? []), `Type: ${typeText(schema)}.`, membersOf(schema, 0)];
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function securityText(security: NonNullable<OperationPage["security"]>): string {
  if (security.length === 0) return "none";
  return security.map((all) => (all.length === 0 ? "none" : all.map(({ text }) => text).join(" and "))).join("; or ");
}

function contentText({ mediaType, schema, example }: OperationPage["responses"][number]["contents"][number]): string {
  const parts = [`\`${mediaType}\`${schema ? `: ${typeText(schema)}` : ""}`];
  if (schema) parts.push(membersOf(schema, 0));
  if (example !== undefined) parts.push(fenced(example, /[/+]json\b/.test(mediaType) ? "json" : ""));
  return parts.filter((part) => part !== "").join("\n\n");
}

const fenced = (code: string, language: string): string => `\`\`\`${language}\n${code}\n\`\`\``;

function typeText({ type, name, format }: DescribedSchema): string {
  const shown = name !== undefined && !type.startsWith("array") ? `${name}, ${type}` : type;
  return format === undefined ? shown : `${shown} (${format})`;
}

function detailsOf({ rules = [], values, default: value, page }: DescribedSchema): string[] {
  return [
    ...rules.map((rule) => `${rule.charAt(0).toUpperCase()}${rule.slice(1)}`),
    ...(values ? [`One of ${values.map((each) => `\`${each}\``).join(", ")}`] : []),
    ...(value === undefined ? [] : [`Default: \`${value}\``]),
    ...(page === undefined ? [] : [`See ${page}.md`]),
  ];
}

function line(head: string, details: string[]): string {
  const text = details.map((each) => each.replaceAll(/\s+/g, " ").trim()).filter((each) => each !== "");
  return text.length === 0 ? `- ${head}` : `- ${head}: ${text.map((each) => each.replace(/\.$/, "")).join(". ")}.`;
}

function membersOf(schema: DescribedSchema, depth: number): string {
  if (depth > maxDepth) return "";
  const indent = "  ".repeat(depth);
  const lines: string[] = [];
  const add = (head: string, member: DescribedSchema) => {
    lines.push(indent + line(head, [textOf(member.description ?? []), ...detailsOf(member)]));
    const inner = membersOf(member, depth + 1);
    if (inner !== "") lines.push(inner);
  };
  for (const { name, isRequired, schema: member } of schema.properties ?? [])
    add(`\`${name}\` (${typeText(member)}${isRequired ? ", required" : ""})`, member);
  if (schema.others) add(`any other name (${typeText(schema.others)})`, schema.others);
  for (const variant of schema.variants ?? []) add(`${schema.variantKind} of: ${typeText(variant)}`, variant);
  if (schema.items) lines.push(membersOf(schema.items, depth));
  return lines.filter((each) => each !== "").join("\n");
}

interface Documented {
  api: ApiDocument;
  /** The header that an operation requires a key in. */
  keyHeaderOf(operation: ApiOperation): OperationPage["keyHeader"];
}

/** The maximum length of an operation's text in the search. */
const searchLength = 120;

/**
 * How many schemas the page of an operation describes; further ones are links to pages of their own. All pages together
 * describe about 40,000, so that a document with thousands of operations builds in seconds.
 */
function schemasPerPage(operations: number): number {
  return Math.max(10, Math.min(60, Math.floor(40_000 / Math.max(1, operations))));
}

/**
 * Writes the pages of the operations and schemas of a document. Returns their navigation, and the example requests of all
 * operations by `METHOD /path`, also of those that have no page: routes are listed with them.
 */
export function writeReference(
  { api, keyHeaderOf }: Documented,
  files: SiteFiles,
): { groups: SiteGroup[]; exampleTargets: Record<string, ExampleTarget> } {
  const paths = new PagePaths();
  const schemas = new SchemaPages(new PagePaths(), api.references, schemasPerPage(api.operations.length));
  const exampleTargets: Record<string, ExampleTarget> = {};
  const groups = new Groups(api.root);
  const isProxy = proxyOperation(api) !== undefined;
  for (const operation of api.operations) {
    exampleTargets[methodAndPath(operation)] = exampleTarget(operation, api.references);
    if (isProxy || !isShown(operation)) continue;
    const { definition, pathItem } = operation;
    const described = describeOperation(operation, { api, schemas, keyHeader: keyHeaderOf(operation) });
    const title =
      textIn(definition.member("summary")) ?? textIn(pathItem.member("summary")) ?? methodAndPath(described);
    const page = paths.add("operations", operation.operationId ?? `${described.method}-${operation.path}`);
    const text = markdownOf(definition.member("description")) || markdownOf(pathItem.member("description"));
    const { nodes, headings } = renderMarkdown(text, externalLinks);
    const description = summaryOf(nodes) || methodAndPath(described);
    files.addPage(
      page,
      { kind: "operation", title, description, nodes, headings, operation: described },
      operationMarkdown({ title, description: text, operation: described }),
    );
    groups.add(definition, {
      page,
      label: title,
      method: operation.method === anyMethod ? "ANY" : described.method,
      path: operation.path,
      ...(nodes.length > 0 && { text: summaryOf(nodes, searchLength) }),
      ...(described.isDeprecated && { isDeprecated: true }),
    });
  }
  return { groups: [...groups.all(), ...writeSchemas(api, schemas, files)], exampleTargets };
}

export const methodAndPath = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

/**
 * The operation that forwards every path, of a document that describes nothing else: there is no reference of such an API,
 * and its overview explains how to call it.
 */
function proxyOperation({ operations }: ApiDocument): ApiOperation | undefined {
  const open = operations.filter((each) => !isInternal(each));
  const isProxy = open.every(({ method, path }) => method === anyMethod && /^\/(\{[^}]+\+\})?$/.test(path));
  return isProxy ? open.find(({ path }) => path !== "/") : undefined;
}

const isInternal = ({ definition, pathItem }: ApiOperation): boolean =>
  [definition, pathItem].some((each) => each.member("x-internal")?.value === true);

/** Hides what is marked as internal, and catch-all operations without a description. */
function isShown(operation: ApiOperation): boolean {
  const { definition, method } = operation;
  if (isInternal(operation)) return false;
  return (
    method !== anyMethod || definition.member("summary") !== undefined || definition.member("description") !== undefined
  );
}

function textIn(member: Located | undefined): string | undefined {
  return typeof member?.value === "string" && member.value.trim() !== "" ? member.value.trim() : undefined;
}

/** Pages of the schemas that operations refer to. Describing one may find more. */
function writeSchemas(api: ApiDocument, schemas: SchemaPages, files: SiteFiles): SiteGroup[] {
  const entries: SiteEntry[] = [];
  for (const { name, page, schema } of schemas) {
    const described = new SchemaDescriber(api, schemas).describeOwn(schema);
    const { description: nodes = [], ...rest } = described;
    const content: SitePage = {
      kind: "schema",
      title: name,
      description: summaryOf(nodes) || `The schema ${name}.`,
      nodes,
      headings: [],
      schema: rest,
    };
    files.addPage(page, content, schemaMarkdown(name, described));
    entries.push({ page, label: name });
  }
  entries.sort((one, other) => one.label.localeCompare(other.label, "en"));
  return entries.length === 0 ? [] : [{ label: "Schemas", entries }];
}

/** Operations by their first tag, in the order of the document's tags. */
class Groups {
  readonly #byTag = new Map<string, SiteGroup>();
  readonly #untagged: SiteEntry[] = [];

  constructor(root: Located) {
    for (const tag of root.member("tags")?.items() ?? []) {
      const name = textIn(tag.member("name"));
      const label = textIn(tag.member("x-displayName")) ?? textIn(tag.member("summary")) ?? name;
      if (name !== undefined) this.#byTag.set(name, { label: label!, entries: [] });
    }
  }

  add(definition: Located, entry: SiteEntry): void {
    const tag = textIn(definition.member("tags")?.items()[0]);
    if (tag === undefined) {
      this.#untagged.push(entry);
      return;
    }
    const group = this.#byTag.get(tag) ?? { label: tag, entries: [] };
    this.#byTag.set(tag, group);
    group.entries.push(entry);
  }

  all(): SiteGroup[] {
    const tagged = [...this.#byTag.values()].filter(({ entries }) => entries.length > 0);
    const label = tagged.length === 0 ? "Operations" : "Other";
    return this.#untagged.length === 0 ? tagged : [...tagged, { label, entries: this.#untagged }];
  }
}

/** How to call an API whose paths are not described. */
function proxyText(keyHeader: OperationPage["keyHeader"]): string {
  const [curl] = samplesOf({ method: "GET", target: "/", headers: [], keyHeader });
  return [
    "Requests to every path below the address are forwarded to the API, with any method, query and body. Its paths are not described here.",
    "## Send a request",
    keyHeader
      ? `Send your key in the header \`${keyHeader.header}\`, and put the path that you call behind the address:`
      : "No key is needed. Put the path that you call behind the address:",
    `\`\`\`sh\n${curl!.code}\n\`\`\``,
  ].join("\n\n");
}

/** Writes the page that an API begins with. */
export function writeOverview(
  { api, keyHeaderOf }: Documented,
  files: SiteFiles,
): { title: string; version: string; description: string } {
  const info = api.root.member("info");
  const title = textIn(info?.member("title")) ?? "API";
  const version = textIn(info?.member("version")) ?? "";
  const proxy = proxyOperation(api);
  const own = markdownOf(info?.member("description"));
  const text = [own, proxy ? proxyText(keyHeaderOf(proxy)) : ""].filter((part) => part !== "").join("\n\n");
  const rendered = renderMarkdown(text, externalLinks);
  const description = textIn(info?.member("summary")) ?? summaryOf(descriptionOf(info?.member("description")) ?? []);
  const { nodes, headings } = rendered;
  files.addPage(
    "index",
    { kind: "overview", title, description: description || `The reference of ${title}.`, nodes, headings },
    `${[`# ${title}`, text].filter((part) => part !== "").join("\n\n")}\n`,
  );
  return { title, version, description };
}
