import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions } from "../transport/options.ts";
import type {
  InvitedMember,
  Mail,
  Member,
  MemberInvite,
  MemberUpdate,
  RemovedMember,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** The people of an account. For admins. */
export class Members {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * All members, also those who have not accepted their invitation yet.
   *
   * @example
   * ```ts
   * for await (const { email, role, state } of client.members.list()) console.log(email, role, state);
   * ```
   */
  list(options: PageOptions & RequestOptions = {}): List<Member> {
    return this.#transport.list("listMembers", { call: {}, paging: options });
  }

  /**
   * Mail in the account's name and to its members, the newest first, without texts.
   *
   * @example
   * ```ts
   * for await (const { to, state } of client.members.mails()) console.log(to, state);
   * ```
   */
  mails(options: PageOptions & RequestOptions = {}): List<Mail> {
    return this.#transport.list("listMails", { call: {}, paging: options });
  }

  /**
   * Invites a person. If the server sends no mail, the response has the link to pass on.
   *
   * @example
   * ```ts
   * const { invitationUrl } = await client.members.invite({ email: "ada@acme.example", role: "editor" });
   * ```
   */
  invite(member: MemberInvite, options?: CreateOptions): Promise<InvitedMember> {
    return this.#transport.call("inviteMember", { body: member, options });
  }

  /**
   * Repeats an invitation that was not accepted: for 7 days from now, with a new link.
   *
   * @example
   * ```ts
   * await client.members.inviteAgain("prsn_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  inviteAgain(id: string, options?: CreateOptions): Promise<InvitedMember> {
    return this.#transport.call("inviteMemberAgain", { params: { memberId: id }, body: {}, options });
  }

  /**
   * One member.
   *
   * @example
   * ```ts
   * const { role } = await client.members.get("prsn_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  get(id: string, options?: RequestOptions): Promise<Member> {
    return this.#transport.call("getMember", { params: { memberId: id }, options });
  }

  /**
   * Changes the role, the projects or the name of a member.
   *
   * @example
   * ```ts
   * await client.members.update("prsn_0QGzNqW81Kx8VhTb3mPcRdZu", { role: "reader" });
   * ```
   */
  update(id: string, changes: MemberUpdate, options?: ChangeOptions): Promise<Member> {
    return this.#transport.call("updateMember", { params: { memberId: id }, body: changes, options });
  }

  /**
   * Removes a member: their sessions end immediately. Returns the tokens that they created, which still work.
   *
   * @example
   * ```ts
   * const { tokens } = await client.members.remove("prsn_0QGzNqW81Kx8VhTb3mPcRdZu");
   * for (const { id } of tokens) await client.tokens.delete(id);
   * ```
   */
  remove(id: string, options?: ChangeOptions): Promise<RemovedMember> {
    return this.#transport.call("removeMember", { params: { memberId: id }, options });
  }
}
