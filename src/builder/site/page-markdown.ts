import { type DescribedSchema, type OperationPage, urlPlaceholder } from "../../core/artifact/site.ts";
import { textOf } from "./markdown.ts";

/** Schemas deeper than this are named only: the page of the schema has the rest. */
const maxDepth = 4;

interface OperationText {
  title: string;
  /** Markdown. */
  description: string;
  operation: OperationPage;
}

/** The page of an operation as Markdown, for programs and language models. */
export function operationMarkdown({ title, description, operation }: OperationText): string {
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
export function schemaMarkdown(title: string, schema: DescribedSchema): string {
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
