import { type KeyHeaderOptions, keyHeaderOf } from "../../../../core/artifact/key-header.ts";
import type { VersionContents } from "./version-contents.ts";

/** A route that offers tools to agents, and how a customer's agent gets in. */
export interface AgentRoute {
  path: string;
  title?: string;
  /** Of a key; undefined if keys of the bucket are not accepted. */
  key?: { header: string; prefix: string };
  /** Whether tokens of the bucket's portal are accepted. */
  acceptsTokens: boolean;
}

interface CredentialOptions extends KeyHeaderOptions {
  bucket?: string;
  oauth?: boolean;
}

const credentialTypes = ["api-key", "oauth", "jwt", "basic-auth"];

/** The routes with the handler `mcp` that customers of a key bucket can use. */
export function agentRoutes(
  { routes, policies }: Pick<VersionContents["contents"], "routes" | "policies">,
  bucketName: string,
): AgentRoute[] {
  return routes.flatMap((route): AgentRoute[] => {
    if (!("mcp" in route.target)) return [];
    const credentials = route.policies.flatMap((name) => policies[name] ?? []);
    const needed = credentials.filter(({ type }) => credentialTypes.includes(type));
    const [only, ...others] = needed;
    // Several credentials, and those of other parties, are more than the settings of a client can describe.
    if (others.length > 0 || only?.type === "jwt" || only?.type === "basic-auth") return [];
    const options = (only?.options ?? {}) as CredentialOptions;
    if (only && options.bucket !== bucketName) return [];
    const { title } = route.target.mcp;
    return [
      {
        path: route.path,
        ...(title === undefined ? {} : { title }),
        ...(only?.type === "api-key" ? { key: keyHeaderOf(options) } : {}),
        acceptsTokens: only?.type === "oauth" || options.oauth === true,
      },
    ];
  });
}
