import { hash } from "node:crypto";

/** A host name's part has at most 63 characters; 19 of them are the branch, the code and their dashes. */
export const longestProjectName = 44;

const slugLength = 10;
const codeLength = 7;

export interface DeploymentName {
  name: string;
  /** The hex digits that end the name. */
  code: string;
}

/**
 * `<project>-<branch slug>-<7 hex>`, the same for the same branch of the same project. `attempt` gives another code where
 * the name is somebody else's already.
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
