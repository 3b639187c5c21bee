import type { MemberRole, ProjectRole } from "../../core/access.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { MemberRow } from "./store.ts";

export function presentMember(row: MemberRow) {
  return {
    id: row.person_id,
    email: row.email,
    role: row.role as MemberRole,
    state: row.state as "invited" | "active",
    roleSource: row.source as "invitation" | "claim",
    createdOn: formatDateTime(row.created_on),
    updatedOn: formatDateTime(row.updated_on),
    ...(row.name === null ? {} : { name: row.name }),
    ...(row.projects === null ? {} : { projects: projectsOf(row)! }),
    ...(row.expires_on === null ? {} : { invitationExpiresOn: formatDateTime(row.expires_on) }),
    // Before a person accepts, the account learns nothing about their use of others.
    ...(row.signed_in_on === null || row.state !== "active" ? {} : { signedInOn: formatDateTime(row.signed_in_on) }),
  };
}

export function projectsOf({ projects }: { projects: string | null }): ProjectRole[] | undefined {
  return projects === null ? undefined : (JSON.parse(projects) as ProjectRole[]);
}
