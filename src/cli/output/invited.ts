import type { InvitedMember } from "../../client/index.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { showResource } from "./show.ts";

/** An invitation, and what happens next with its link. */
export function showInvited(member: InvitedMember, terminal: Terminal): void {
  showResource(terminal, member);
  const next = member.invitationUrl
    ? "This server sends no mail: pass on the link now, it is not shown again."
    : `The invitation is sent to ${member.email}.`;
  terminal.note(terminal.noteStyle("yellow", next));
}
