import { type AreaContext, areaOf } from "../../../api/area.ts";
import { noBody } from "../../../api/body.ts";
import { list, read, write } from "../../../api/endpoint.ts";
import { presentPage } from "../../../api/presented.ts";
import type { Act, Caller } from "../../../core/access.ts";
import { notFound } from "../../../core/problems/problem.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { MailQueue } from "../../common/mail/mail-queue.ts";
import { presentToken } from "../accounts/present.ts";
import { tokensCreatedBy } from "../accounts/tokens.ts";
import { invitationMailKind } from "./invitation-mail.ts";
import {
  acceptOwnInvitation,
  declineInvitation,
  findInvitation,
  findMember,
  invitationsOf,
  inviteAgain,
  inviteMember,
  listMembers,
  type Member,
  memberRevisionOf,
  newInvitationSecret,
  rejectUnfitProjects,
  removeMember,
  updateMember,
} from "./members.ts";
import type { PeopleDirectory } from "./people-directory.ts";
import { presentInvitation, presentMember } from "./present.ts";
import {
  invitation,
  invitationInput,
  invitedMember,
  member,
  memberInput,
  memberPatch,
  ownInvitation,
  ownInvitations,
  removedMember,
} from "./schema.ts";

const membersPath = "/v1/accounts/{accountName}/members";
const memberPath = `${membersPath}/{memberId}` as const;

interface MemberServices {
  people: PeopleDirectory;
  /** Sends the mails of invitations. Undefined if this server sends no mail. */
  mail: MailQueue | undefined;
  /** Ends the sessions of a former member in the account, and returns their number. */
  endSessions(transaction: WriteTransaction, act: Act, personSeq: number): Promise<number>;
}

export function memberArea({ address, metrics }: AreaContext, { people, mail, endSessions }: MemberServices) {
  metrics.cache("people", () => people.cache);
  /** Without mail, the caller passes on the link. */
  const invited = async (transaction: WriteTransaction, act: Act, row: Member) => {
    const body = presentMember(row);
    const revision = memberRevisionOf(row);
    if (!mail) {
      const secret = await newInvitationSecret(transaction, row);
      const invitationUrl = `${address.publicUrl}/console/join#${secret}`;
      return { body: { ...body, invitationUrl }, revision };
    }
    const { person_seq: personSeq } = row;
    const { id: subjectId, email: recipient } = body;
    const invitation = { kind: invitationMailKind, accountSeq: act.account.seq, personSeq, subjectId, recipient };
    await mail.add(transaction, { ...invitation, expiresOn: row.expires_on ?? undefined }, act.now);
    return { body, revision };
  };
  return areaOf({ People: "The members of an account: who may sign in, with which role." }, [
    list({
      operationId: "listMembers",
      path: membersPath,
      summary: "List the members of an account",
      description: "Also the people who are invited and have not accepted yet.",
      access: "administer",
      item: member,
      listName: "MemberList",
      handle: async ({ reads, account, query }) =>
        presentPage(await listMembers(reads, account.seq, query), presentMember),
    }),
    write({
      operationId: "inviteMember",
      method: "POST",
      path: membersPath,
      summary: "Invite a person",
      description: "The invitation is valid once, for 7 days. Without mail, the response has its link.",
      access: "administer",
      body: memberInput,
      response: invitedMember,
      problems: ["member_exists"],
      examples: { request: { email: "ada@acme.example", name: "Ada", role: "editor" } },
      handle: async ({ act, body }, transaction) => {
        rejectUnfitProjects(body);
        return invited(transaction, act, await inviteMember(transaction, act, body));
      },
    }),
    read({
      operationId: "getMember",
      path: memberPath,
      summary: "Read a member",
      access: "administer",
      response: member,
      handle: async ({ reads, account, params }) => {
        const found = await findMember(reads, account.seq, params.memberId);
        return { body: presentMember(found), revision: memberRevisionOf(found), composed: true };
      },
    }),
    write({
      operationId: "updateMember",
      method: "PATCH",
      path: memberPath,
      summary: "Change the role or the name of a member",
      description: "It takes effect with the next request of each of their sessions.",
      access: "administer",
      body: memberPatch,
      response: member,
      problems: ["last_admin", "role_from_claim"],
      examples: { request: { role: "reader" } },
      handle: async ({ act, params, body, precondition }, transaction) => {
        const updated = await updateMember(transaction, act, params.memberId, body, precondition);
        return { body: presentMember(updated), revision: memberRevisionOf(updated), composed: true };
      },
    }),
    write({
      operationId: "inviteMemberAgain",
      method: "POST",
      path: `${memberPath}/$invite`,
      summary: "Repeat an invitation",
      description: "It is valid for 7 days from now, and links from before stop working.",
      access: "administer",
      body: noBody,
      response: invitedMember,
      problems: ["member_active"],
      handle: async ({ act, params }, transaction) =>
        invited(transaction, act, await inviteAgain(transaction, act, params.memberId)),
    }),
    write({
      operationId: "removeMember",
      method: "DELETE",
      path: memberPath,
      summary: "Remove a member",
      description:
        "Their sessions in this account end immediately. The response lists the tokens that they created, which still work. Also withdraws an " +
        "invitation.",
      access: "administer",
      response: removedMember,
      problems: ["last_admin"],
      handle: async ({ act, params, precondition }, transaction) => {
        const removed = await removeMember(transaction, act, params.memberId, precondition);
        // The withdrawal of an invitation does not end what the person does in other accounts.
        const isMember = removed.state === "active";
        const sessions = isMember ? await endSessions(transaction, act, removed.person_seq) : 0;
        const tokens = await tokensCreatedBy(transaction, act.account.seq, removed.person_id);
        return { body: { sessions, tokens: tokens.map((row) => presentToken(row, undefined)) } };
      },
    }),
    read({
      operationId: "listInvitations",
      path: "/v1/invitations",
      summary: "List the caller's invitations",
      description:
        "Of a person who signed in by mail or with the identity provider: invitations that they have not accepted. For others it is empty.",
      access: "any",
      response: ownInvitations,
      handle: async ({ reads, act, caller }) => {
        const rows = isWholePerson(caller) ? await invitationsOf(reads, caller.id, act.now) : [];
        return { body: { data: rows.map(presentInvitation) } };
      },
    }),
    write({
      operationId: "acceptOwnInvitation",
      method: "POST",
      path: "/v1/invitations/{invitingAccount}/$accept",
      summary: "Accept an invitation as the signed-in person",
      description:
        "Existing sessions of the person by mail or with the identity provider are then also valid in the account.",
      access: "any",
      notForAssistants: "Only a person may accept an invitation.",
      hasNoETag: true,
      body: noBody,
      response: ownInvitation,
      handle: async ({ act, params, caller }, transaction) => {
        const invited = await acceptOwnInvitation(transaction, act, namedBy(caller, params.invitingAccount));
        return { body: presentInvitation(invited) };
      },
    }),
    write({
      operationId: "declineInvitation",
      method: "POST",
      path: "/v1/invitations/{invitingAccount}/$decline",
      summary: "Decline an invitation as the signed-in person",
      description: "The account can invite the person again.",
      access: "any",
      notForAssistants: "Only a person may decline an invitation.",
      hasNoETag: true,
      body: noBody,
      handle: async ({ act, params, caller }, transaction) => {
        await declineInvitation(transaction, act, namedBy(caller, params.invitingAccount));
        return {};
      },
    }),
    read({
      operationId: "showInvitation",
      method: "POST",
      path: "/v1/invitations/$show",
      summary: "Read an invitation by its link",
      access: "anyone",
      isForOwnPages: true,
      body: invitationInput,
      response: invitation,
      problems: ["invitation_invalid"],
      examples: { request: { invitation: "tgi_0123456789abcdef0123456789abcdef_7759b50e" } },
      handle: async ({ reads, act, body }) => {
        const row = await findInvitation(reads, body.invitation, act.now);
        const { email, role, name } = presentMember(row);
        const expiresOn = formatDateTime(row.expires_on!);
        return { body: { account: row.account_name, email, role, expiresOn, ...(name ? { name } : {}) } };
      },
    }),
  ]);
}

/**
 * Whether the caller is a person in a session that is valid in all of their accounts. One from an invitation's link does
 * not prove access to the mailbox.
 */
function isWholePerson({ type, sessionAccountSeq }: Caller): boolean {
  return type === "person" && sessionAccountSeq === undefined;
}

function namedBy(caller: Caller, accountName: string) {
  if (!isWholePerson(caller)) throw notFound("invitation");
  return { personId: caller.id, accountName };
}
