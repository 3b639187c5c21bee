import { applyEdits, modify, parse as parseJson } from "jsonc-parser";
import { parseDocument } from "yaml";
import { OperationTools, UnusableOperation } from "../../core/mcp/tools/operation-tools.ts";
import { UsageError } from "../process/usage-error.ts";
import type { ExistingApi } from "./existing-api.ts";
import { type NewProject, newProject, projectFor } from "./new-project.ts";

/** More tools are known to make models choose worse: then agents search. */
const manyTools = 40;
const methods = ["get", "put", "post", "delete", "patch"];
const mcpPath = "/mcp";

interface Operation {
  operationId?: unknown;
  "x-tollgate"?: { handler?: unknown };
}

interface Document {
  paths?: Record<string, Record<string, Operation | undefined> | null>;
}

/** The files of an example project that offers its operations to agents, as tools. */
export function toolsProject(project: NewProject): Record<string, string> {
  return withTools(newProject(project), "openapi.json", project);
}

/** The files of a project in front of an existing API that offers its operations to agents. */
export function toolsFor(api: ExistingApi, project: NewProject): Record<string, string> {
  return withTools(projectFor(api, project), Object.keys(api.files)[0]!, project);
}

/** Adds the operation that offers the others to the document, and what it is to the README. */
function withTools(files: Record<string, string>, document: string, { name }: NewProject): Record<string, string> {
  const text = files[document]!;
  const isYaml = document.endsWith(".yaml");
  const content = (isYaml ? parseDocument(text).toJS() : parseJson(text)) as Document;
  if (content.paths?.[mcpPath])
    throw new UsageError(
      `The document has the path ${mcpPath} already.`,
      "Add the handler to it: /docs/guides/agents of a server explains how.",
    );
  const { tools, others } = toolNames(content);
  if (tools.length === 0)
    throw new UsageError(
      "The document has no operation that can be a tool.",
      others[0] ?? "A tool is named by its operationId: at most 64 letters, digits, underscores and hyphens.",
    );
  const mode = tools.length > manyTools ? { mode: "search" } : {};
  const operation = {
    operationId: "mcp",
    summary: "The operations as tools for agents",
    // Without the rate limit: that of the called operation counts.
    "x-tollgate": { handler: "mcp", mcp: { tools, ...mode }, policies: ["key"] },
    responses: { "200": { description: "A message of the Model Context Protocol" } },
  };
  const path = ["paths", mcpPath, "post"];
  return {
    ...files,
    [document]: isYaml ? yamlWith(text, path, operation) : jsonWith(text, path, operation),
    "README.md": `${files["README.md"]!}${readme(name, others)}`,
  };
}

/** The operations that agents can call, and why they cannot call the others. */
function toolNames(document: Document): { tools: string[]; others: string[] } {
  const known = new OperationTools({ ...document });
  const tools = new Set<string>();
  const others: string[] = [];
  for (const [path, item] of Object.entries(document.paths ?? {}))
    for (const method of methods) {
      if (item?.[method] === undefined) continue;
      try {
        tools.add(known.toolOf({ path, method: method.toUpperCase() }).tool.name);
      } catch (error) {
        if (!(error instanceof UnusableOperation)) throw error;
        others.push(`${method.toUpperCase()} ${path}: ${error.message}`);
      }
    }
  return { tools: [...tools], others };
}

/** The rest of the text stays as it is. */
function jsonWith(text: string, path: string[], value: object): string {
  return applyEdits(text, modify(text, path, value, { formattingOptions: { insertSpaces: true, tabSize: 2 } }));
}

function yamlWith(text: string, path: string[], value: object): string {
  const document = parseDocument(text);
  document.setIn(path, document.createNode(value));
  return document.toString({ lineWidth: 0 });
}

function readme(name: string, others: readonly string[]): string {
  const left = others.map((reason) => `- ${reason}\n`).join("");
  return `
Agents call the operations as tools, at \`${mcpPath}\`. Each call runs the policies of its operation, with the caller's key. Remove from \`mcp.tools\`
in the document what agents should not call. To connect one, with the address that \`tollgate deploy\` prints:

    claude mcp add --transport http ${name} https://…${mcpPath} --header "Authorization: Bearer <key>"
${left === "" ? "" : `\nThese operations cannot be tools:\n\n${left}`}`;
}
