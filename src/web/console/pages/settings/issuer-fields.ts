import type { TrustedIssuer, TrustedIssuerCreate, TrustedIssuerUpdate } from "../../../../client/index.ts";

type Environment = TrustedIssuer["environments"][number];

/** The fields of the form, as text. */
export interface Fields {
  issuer: string;
  subject: string;
  role: TrustedIssuerCreate["role"];
  /** Separated by spaces. */
  environments: string;
  project: string;
  branchClaim: string;
  /** One `claim=pattern` per line. */
  claims: string;
  audience: string;
}

export const emptyFields: Fields = {
  issuer: "https://token.actions.githubusercontent.com",
  subject: "",
  role: "editor",
  environments: "PREVIEW",
  project: "",
  branchClaim: "",
  claims: "",
  audience: "",
};

export function fieldsOf(issuer: TrustedIssuer): Fields {
  const { claims = {}, environments } = issuer;
  const lines = Object.entries(claims).flatMap(([name, patterns]) =>
    [patterns].flat().map((pattern) => `${name}=${pattern}`),
  );
  return {
    issuer: issuer.issuer,
    subject: issuer.subject,
    role: issuer.role,
    environments: environments.toSorted().join(" "),
    project: issuer.project ?? "",
    branchClaim: issuer.branchClaim ?? "",
    claims: lines.join("\n"),
    audience: issuer.audience,
  };
}

export function bodyOf(fields: Fields): TrustedIssuerCreate {
  const { issuer, subject, role, environments, project, branchClaim, audience } = fields;
  const claims = claimsOf(fields.claims);
  return {
    issuer: issuer.trim(),
    subject: subject.trim(),
    role,
    environments: environments.split(" ") as Environment[],
    ...(project.trim() && { project: project.trim() }),
    ...(branchClaim.trim() && { branchClaim: branchClaim.trim() }),
    ...(claims && { claims }),
    ...(audience.trim() && { audience: audience.trim() }),
  };
}

/** Empty fields are cleared. */
export function patchOf(fields: Fields): TrustedIssuerUpdate {
  const { issuer: _, ...changes } = bodyOf(fields);
  return { project: null, branchClaim: null, claims: null, audience: null, ...changes };
}

function claimsOf(text: string): TrustedIssuerCreate["claims"] {
  const pairs = text
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name = "", ...rest] = line.split("=");
      return [name.trim(), rest.join("=").trim()] as const;
    });
  if (pairs.length === 0) return undefined;
  const claims: Record<string, string | string[]> = {};
  for (const [name, pattern] of pairs) {
    const known = claims[name];
    claims[name] = known === undefined ? pattern : [known, pattern].flat();
  }
  return claims;
}
