import { expectUpstream } from "./existing-api.ts";
import type { NewProject } from "./new-project.ts";

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
        limit: { type: "rate-limit", options: { by: "consumer", requests: 60, windowSeconds: 60 } },
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

function json(content: unknown): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}
