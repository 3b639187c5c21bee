import { hash } from "node:crypto";

/** A DNS label has at most 63 characters; 19 of them are the branch, the code and their dashes. */
export const maxProjectNameLength = 44;

const slugLength = 10;
const codeLength = 7;

interface DeploymentName {
  name: string;
  /** The hexadecimal digits at the end of the name. */
  code: string;
}

/**
 * `<project>-<branch slug>-<7 hex>`, the same for the same branch of the same project. `attempt` gives another code if
 * the name is in use.
 */
export function deploymentName(accountId: string, project: string, branch: string, attempt: number): DeploymentName {
  const code = hash("sha256", JSON.stringify([accountId, project, branch, attempt]), "hex").slice(0, codeLength);
  return { name: `${project}-${slugOf(branch)}-${code}`, code };
}

function slugOf(branch: string): string {
  const slug = branch
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-/, "")
    .slice(0, slugLength)
    .replace(/-$/, "");
  return slug || "branch";
}
