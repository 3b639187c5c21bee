import {
  type DeploymentScope,
  type EnvironmentType,
  environmentTypes,
  type ProjectRole,
  type TokenRole,
} from "../../../core/access.ts";

/**
 * The stored role of exchanged tokens. The actual one is in the scope: a node of a release before this one knows neither,
 * and must not grant the role without the limits.
 */
export const exchangedRole = "exchanged";

/** The access of an exchanged token, as stored. */
export interface ExchangedScope {
  /** The id of the trusted issuer. */
  trustedIssuer: string;
  role: TokenRole;
  project?: string | undefined;
  environments: EnvironmentType[];
  branch?: string | undefined;
}

export function exchangedScopeOf({ scope }: { scope: string | null }): ExchangedScope | undefined {
  return scope === null ? undefined : (JSON.parse(scope) as ExchangedScope);
}

interface TokenAccess {
  role: TokenRole;
  projects?: ProjectRole[];
  scope?: DeploymentScope;
}

/** The role of a token with its limits. One for all environments and branches is limited by its role and project alone. */
export function accessOf(row: { scope: string | null; role: string }): TokenAccess {
  const exchanged = exchangedScopeOf(row);
  if (!exchanged) return { role: row.role as TokenRole };
  const { role, project, environments, branch } = exchanged;
  const isLimited = branch !== undefined || !environmentTypes.every((type) => environments.includes(type));
  return {
    role,
    ...(project !== undefined && { projects: [{ project, role: role as ProjectRole["role"] }] }),
    ...(isLimited && { scope: { environments, branch } }),
  };
}
