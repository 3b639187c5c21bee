import { shellWord } from "./shell.ts";

/** An address that offers tools to agents (MCP). */
export interface AgentServer {
  /** What the server is called in the settings of a client: letters, digits and dashes. */
  name: string;
  url: string;
  /** The header of a key, the text before the key in it, and a key if one is known. Undefined if no key is accepted. */
  key?: { header: string; prefix: string; value?: string | undefined };
}

/** How an agent proves who it acts for. */
export type AgentAccess = "key" | "sign-in" | "none";

/** One step of the instructions: text, and something to copy. */
interface AgentStep {
  text: string;
  copy?: string;
}

interface AgentClient {
  value: string;
  label: string;
  steps(server: AgentServer, access: AgentAccess): AgentStep[];
}

const keyText = ({ value = "YOUR_KEY" }: NonNullable<AgentServer["key"]>): string => value;

const json = (value: object): string => JSON.stringify(value, null, 2);

/** `Acme Weather` → `acme-weather` */
export function agentNameOf(title: string): string {
  const name = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return name.replaceAll(/^-|-$/g, "").slice(0, 40) || "api";
}

function headersOf(
  { key }: AgentServer,
  access: AgentAccess,
  value = key && keyText(key),
): { headers?: Record<string, string> } {
  return access === "key" && key ? { headers: { [key.header]: `${key.prefix}${value}` } } : {};
}

/** Each in the words of its own documentation. */
export const agentClients: AgentClient[] = [
  {
    value: "claude-code",
    label: "Claude Code",
    steps({ name, url, key }, access) {
      const add = `claude mcp add --transport http ${name} ${shellWord(url)}`;
      if (access === "key" && key)
        return [
          {
            text: key.value === undefined ? "Set KEY to one of your keys, and run:" : "Run:",
            copy: `${add} --header "${key.header}: ${key.prefix}${key.value ?? "$KEY"}"`,
          },
        ];
      const steps: AgentStep[] = [{ text: "Run:", copy: add }];
      return access === "sign-in"
        ? [...steps, { text: `In Claude Code, enter /mcp, choose ${name}, and authenticate.` }]
        : steps;
    },
  },
  {
    value: "claude-desktop",
    label: "Claude Desktop",
    steps(server, access) {
      const { name, url, key } = server;
      if (access !== "key" || !key)
        return [
          { text: "In Settings → Connectors, add a custom connector with this address:", copy: url },
          ...(access === "sign-in" ? [{ text: "Choose Connect, and sign in." }] : []),
        ];
      const args = ["-y", "mcp-remote", url, "--header", `${key.header}:\${KEY_HEADER}`];
      const settings = { command: "npx", args, env: { KEY_HEADER: `${key.prefix}${keyText(key)}` } };
      return [
        {
          text: "Connectors have no keys. In Settings → Developer → Edit Config, add this, which needs Node.js, and restart Claude Desktop:",
          copy: json({ mcpServers: { [name]: settings } }),
        },
      ];
    },
  },
  {
    value: "cursor",
    label: "Cursor",
    steps: (server, access) => [
      {
        text: "Add this to ~/.cursor/mcp.json, or to .cursor/mcp.json of a project:",
        copy: json({ mcpServers: { [server.name]: { url: server.url, ...headersOf(server, access) } } }),
      },
      ...(access === "sign-in" ? [{ text: "In Cursor's settings, open MCP, and choose to log in." }] : []),
    ],
  },
  {
    value: "vscode",
    label: "VS Code",
    steps(server, access) {
      const { name, url } = server;
      const withKey = headersOf(server, access, `\${input:${name}-key}`);
      const inputs = [{ type: "promptString", id: `${name}-key`, description: "API key", password: true }];
      return [
        {
          text: "Add this to .vscode/mcp.json, or with the command MCP: Open User Configuration:",
          copy: json({
            ...(withKey.headers ? { inputs } : {}),
            servers: { [name]: { type: "http", url, ...withKey } },
          }),
        },
        ...(access === "none"
          ? []
          : [{ text: access === "key" ? "VS Code asks for the key." : "Start the server, and sign in." }]),
      ];
    },
  },
  {
    value: "codex",
    label: "Codex",
    steps({ name, url, key }, access) {
      const lines = [`[mcp_servers.${name}]`, `url = ${JSON.stringify(url)}`];
      const isBearer = key?.header.toLowerCase() === "authorization" && key.prefix === "Bearer ";
      if (access === "key" && key)
        lines.push(
          isBearer
            ? 'bearer_token_env_var = "KEY"'
            : `http_headers = { ${JSON.stringify(key.header)} = ${JSON.stringify(key.prefix + keyText(key))} }`,
        );
      return [
        { text: "Add this to ~/.codex/config.toml:", copy: lines.join("\n") },
        ...(access === "key" && isBearer ? [{ text: "Set KEY to one of your keys before you start Codex." }] : []),
        ...(access === "sign-in" ? [{ text: "Then sign in:", copy: `codex mcp login ${name}` }] : []),
      ];
    },
  },
  {
    value: "other",
    label: "Other",
    steps({ url, key }, access) {
      const steps: AgentStep[] = [{ text: "The address, with the transport “Streamable HTTP”:", copy: url }];
      if (access === "key" && key)
        steps.push({ text: "The header:", copy: `${key.header}: ${key.prefix}${keyText(key)}` });
      if (access === "sign-in") steps.push({ text: "The client finds the sign-in by itself, with OAuth." });
      return steps;
    },
  },
];
