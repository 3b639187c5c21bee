import type { MemberRole, ProjectRole } from "../../../core/access.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { MemberRow, MembershipRow } from "./store.ts";

/** The id of a member. Before a person accepts, it does not tell whether they were known. */
export function memberIdOf({ state, invited_id, person_id }: MemberRow): string {
  return state === "invited" ? (invited_id ?? person_id) : person_id;
}

/** The address of a member. Before a person accepts, it is the one that the account wrote. */
export function memberEmailOf({ state, invited_email, email }: MemberRow): string {
  return state === "invited" ? (invited_email ?? email) : email;
}

export function presentMember(member: MemberRow) {
  return {
    id: memberIdOf(member),
    email: memberEmailOf(member),
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

/** An invitation for the person who is invited. */
export function presentInvitation(row: MembershipRow) {
  return {
    account: row.account_name,
    role: row.role as MemberRole,
    ...(row.projects === null ? {} : { projects: projectsOf(row)! }),
    ...(row.invited_by === null ? {} : { invitedBy: row.invited_by }),
    expiresOn: formatDateTime(row.expires_on!),
  };
}
