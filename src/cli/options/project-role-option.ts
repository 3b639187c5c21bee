import type { Option } from "../arguments/command.ts";
import { listOption } from "../arguments/values.ts";
import { UsageError } from "../process/usage-error.ts";

interface ProjectRole {
  project: string;
  role: "editor" | "reader";
}

/** `--project orders=editor --project billing=reader`; undefined if absent. */
export function projectRolesOption(): Option<ProjectRole[] | undefined> {
  const roles = listOption("a project that the role is limited to", { placeholder: "NAME=editor|reader", parse });
  return { ...roles, read: (given) => (given.length === 0 ? undefined : roles.read(given)) };
}

function parse(text: string): ProjectRole {
  const [, project, role] = /^(.+)=(editor|reader)$/.exec(text) ?? [];
  if (project === undefined)
    throw new UsageError(`must be a project and its role, such as orders=reader, not "${text}"`);
  return { project, role: role as ProjectRole["role"] };
}
