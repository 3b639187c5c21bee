import type { MemberRole, ProjectRole } from "../../core/access.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import type { MemberRow } from "./store.ts";

export function presentMember(member: MemberRow) {
  return {
    id: member.person_id,
    email: member.email,
    role: member.role as MemberRole,
    state: member.state as "invited" | "active",
    roleSource: member.source as "invitation" | "claim",
    createdOn: formatDateTime(member.created_on),
    updatedOn: formatDateTime(member.updated_on),
    ...(member.name === null ? {} : { name: member.name }),
    ...(member.projects === null ? {} : { projects: projectsOf(member)! }),
    ...(member.expires_on === null ? {} : { invitationExpiresOn: formatDateTime(member.expires_on) }),
    // Before a person accepts, the account learns nothing about their use of others.
    ...(member.signed_in_on === null || member.state !== "active"
      ? {}
      : { signedInOn: formatDateTime(member.signed_in_on) }),
  };
}

export function projectsOf({ projects }: { projects: string | null }): ProjectRole[] | undefined {
  return projects === null ? undefined : (JSON.parse(projects) as ProjectRole[]);
}
