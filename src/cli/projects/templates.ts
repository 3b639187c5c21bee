import { applyEdits, modify, parse as parseJson } from "jsonc-parser";
import { parseDocument } from "yaml";
import { OperationTools, UnusableOperation } from "../../core/mcp/tools/operation-tools.ts";
import { UsageError } from "../process/usage-error.ts";
import { type ExistingApi, expectUpstream } from "./existing-api.ts";
import { json, keyAndLimit, type NewProject, newProject, projectFor } from "./new-project.ts";

interface OfferedModels {
  provider: string;
  api: "openai" | "anthropic";
  url: string;
  /** The variable of the credential. */
  variable: string;
  aliases: Record<string, object>;
}

const known: Record<string, OfferedModels> = {
  openai: {
    provider: "openai",
    api: "openai",
    url: "https://api.openai.com/v1",
    variable: "OPENAI_API_KEY",
    aliases: {
      small: { targets: [{ provider: "openai", model: "gpt-4o-mini" }], maxOutputTokens: 4000 },
      embed: { targets: [{ provider: "openai", model: "text-embedding-3-small" }] },
    },
  },
  anthropic: {
    provider: "anthropic",
    api: "anthropic",
    url: "https://api.anthropic.com/v1",
    variable: "ANTHROPIC_API_KEY",
    aliases: { claude: { targets: [{ provider: "anthropic", model: "claude-sonnet-4-5" }], maxOutputTokens: 8000 } },
  },
};

/** A server that speaks the API of OpenAI. Its models have no known prices. */
function modelsAt(url: string): OfferedModels {
  const price = { currency: "USD", input: "0.10", output: "0.40" };
  return {
    provider: "own",
    api: "openai",
    url: expectUpstream("--models", url),
    variable: "MODELS_API_KEY",
    aliases: { small: { targets: [{ provider: "own", model: "llama3.1", price }], maxOutputTokens: 4000 } },
  };
}

/** The files of a project that offers language models at cost plus 20 %. */
export function modelsProject(provider: string, { name, productionBranch }: NewProject): Record<string, string> {
  const { provider: id, api, url, variable, aliases } = known[provider] ?? modelsAt(provider);
  return {
    "openapi.json": json({
      openapi: "3.1.0",
      info: { title: name, version: "1.0.0" },
      paths: {
        "/v1/{path+}": {
          "x-tollgate-any": { "x-tollgate": { handler: "models", policies: ["key", "limit", "usage"] } },
        },
      },
    }),
    "tollgate.json": json({
      productionBranch,
      models: { providers: { [id]: { api, url, credential: `\${${variable}}` } }, aliases },
      policies: {
        key: { type: "api-key", options: { bucket: "main", header: ["authorization", "x-api-key"] } },
        limit: keyAndLimit.limit,
        usage: { type: "usage", options: { bucketId: "models", meters: { usd: { count: "cost", factor: 1.2 } } } },
      },
    }),
    "rates.json": json({
      usd: { overage: "bill", tierMode: "graduated", tiers: [{ upTo: null, unitAmount: "1" }] },
    }),
    "README.md": `# ${name}

Language models for customers, at cost plus 20 %. \`tollgate.json\` names the provider and the aliases, which customers use as \`model\`. The credential is a
secret. The plan has 5 USD included; what is used beyond is billed by \`rates.json\`, each counted USD for one:

    tollgate variables set ${variable} --secret
    tollgate metering create --name models --key-bucket main
    tollgate plans create price_models --bucket models --label Models --meter usd=5 --price 0 --currency USD --rates rates.json
    tollgate consumers create acme --with-key
    tollgate subscriptions create acme --bucket models --plan price_models
    tollgate deploy

Then use the official clients with the address of the deployment and \`/v1\` as base URL, and the key of \`acme\`.
`,
  };
}

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
