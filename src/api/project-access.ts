import { allows, allowsDeployment, allowsInProject, type Caller } from "../core/access.ts";
import { Problem } from "../core/problems/problem.ts";
import type { BranchReference, Endpoint, Input } from "./endpoint.ts";

interface DeploymentPlace extends BranchReference {
  isProduction: boolean;
}

/** Where deployments belong. */
export interface DeploymentPlaces {
  /** Returns undefined if there is no such deployment. */
  findByDeployment(accountSeq: number, deploymentName: string): Promise<DeploymentPlace | undefined>;
  /** The place that a deployment of this branch has, or would have. */
  findByBranch(accountSeq: number, branch: BranchReference): Promise<DeploymentPlace>;
}

/** For operations that are about no deployment. */
export const noPlaces: DeploymentPlaces = {
  findByDeployment: async () => undefined,
  findByBranch: async (_, branch) => ({ ...branch, isProduction: true }),
};

/** Whether people whose role is limited to projects may call an operation, at least in their projects. */
export function isForProjects(endpoint: Endpoint): boolean {
  if (endpoint.inProjects !== undefined) return endpoint.inProjects !== "never";
  return isAboutCaller(endpoint) || /\{(projectName|deploymentName)\}/.test(endpoint.path);
}

/** Whether tokens that are limited to some deployments may call an operation, at least for those. */
function isForEnvironments(endpoint: Endpoint): boolean {
  if (endpoint.inEnvironments !== undefined || isAboutCaller(endpoint)) return true;
  return endpoint.inProjects !== "never" && endpoint.path.includes("{deploymentName}");
}

/** Whether the caller may call an operation with some parameters. Accounts of persons are not considered. */
export function mayCall(endpoint: Endpoint, { role, projects, scope }: Caller): boolean {
  if (endpoint.access !== "anyone" && !allows(endpoint.access, role)) return false;
  if (scope && !isForEnvironments(endpoint)) return false;
  if (!projects) return true;
  if (!isForProjects(endpoint)) return false;
  const isForAll = endpoint.inProjects === "always" || isAboutCaller(endpoint);
  return isForAll || projects.some(({ project }) => allowsInProject(endpoint.access, projects, project));
}

type AnyInput = Input<string, unknown, unknown>;

/**
 * Throws unless the caller, whose access is limited to projects or to some deployments, may do this. Returns a promise if
 * the project or the branch has to be read.
 */
export function checkLimits(
  endpoint: Endpoint,
  caller: Caller,
  input: AnyInput,
  places: DeploymentPlaces,
): void | Promise<void> {
  const inProject = caller.projects && checkProject(endpoint, caller, input, places);
  if (!caller.scope) return inProject;
  const inScope = checkScope(endpoint, caller, input, places);
  return inProject || inScope ? Promise.all([inProject, inScope]).then(() => {}) : undefined;
}

function checkProject(
  endpoint: Endpoint,
  { projects }: Caller,
  input: AnyInput,
  places: DeploymentPlaces,
): void | Promise<void> {
  const { inProjects } = endpoint;
  const params = input.params as Record<string, string>;
  if (!isForProjects(endpoint)) throw outsideProjects();
  if (inProjects === "always" || (inProjects === undefined && isAboutCaller(endpoint))) return;
  const check = (project: string | undefined) => {
    if (!allowsInProject(endpoint.access, projects!, project)) throw outsideProjects();
  };
  if (typeof inProjects === "function") return check(inProjects(input));
  if (params.projectName !== undefined) return check(params.projectName);
  // An unknown deployment is left to the handler, which returns 404.
  return places.findByDeployment(input.account.seq, params.deploymentName!).then((place) => {
    if (place) check(place.project);
  });
}

function checkScope(
  endpoint: Endpoint,
  { scope }: Caller,
  input: AnyInput,
  places: DeploymentPlaces,
): void | Promise<void> {
  const { inEnvironments } = endpoint;
  if (!isForEnvironments(endpoint)) throw outsideScope();
  if (inEnvironments === "always" || (inEnvironments === undefined && isAboutCaller(endpoint))) return;
  const { deploymentName } = input.params as Record<string, string>;
  const place =
    typeof inEnvironments === "function"
      ? places.findByBranch(input.account.seq, inEnvironments(input))
      : places.findByDeployment(input.account.seq, deploymentName!);
  return place.then((found) => {
    if (found && !allowsDeployment(scope!, found)) throw outsideScope();
  });
}

function isAboutCaller({ access, path, inAccountOfCaller }: Endpoint): boolean {
  return access === "any" && !inAccountOfCaller && !path.includes("{accountName}");
}

export function outsideProjects(): Problem {
  return new Problem("forbidden", { detail: "Your role is limited to certain projects, and does not allow this." });
}

function outsideScope(): Problem {
  return new Problem("forbidden", {
    detail: "The token is limited to certain deployments, by environment or branch, and does not allow this.",
  });
}
