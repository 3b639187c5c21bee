import { allowsInProject, type Caller } from "../core/access.ts";
import { Problem } from "../core/problems/problem.ts";
import type { Endpoint, Input } from "./endpoint.ts";

/** Returns the project of a deployment. Undefined if there is no such deployment. */
export type ProjectOfDeployment = (accountSeq: number, deploymentName: string) => Promise<string | undefined>;

/** Whether people whose role is limited to projects may call an operation, at least in their projects. */
export function isForProjects(endpoint: Endpoint): boolean {
  if (endpoint.inProjects !== undefined) return endpoint.inProjects !== "never";
  return isAboutCaller(endpoint) || /\{(projectName|deploymentName)\}/.test(endpoint.path);
}

/**
 * Throws unless the caller, whose role is limited to projects, may do this in the project of the request. Returns a
 * promise if the project has to be read.
 */
export function checkProject(
  endpoint: Endpoint,
  { projects }: Caller,
  input: Input<string, unknown, unknown>,
  projectOfDeployment: ProjectOfDeployment,
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
  return projectOfDeployment(input.account.seq, params.deploymentName!).then((project) => {
    if (project !== undefined) check(project);
  });
}

function isAboutCaller({ access, path, inAccountOfCaller }: Endpoint): boolean {
  return access === "any" && !inAccountOfCaller && !path.includes("{accountName}");
}

export function outsideProjects(): Problem {
  return new Problem("forbidden", { detail: "Your role is limited to certain projects, and does not allow this." });
}
