import type { List, PageOptions } from "../transport/list.ts";
import type { RequestOptions } from "../transport/options.ts";
import type {
  CreatedSession,
  Invitation,
  OwnInvitation,
  OwnInvitations,
  Session,
  SessionCreate,
  SignInCode,
  SignInLink,
  SignInMethods,
  SignInStart,
  StartedSignIn,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** Signed-in browsers. For pages of the server itself; programs send the token. */
export class Sessions {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Signs the browser in: from then on a client without a token acts as this one. Only in pages of the server itself.
   *
   * @example
   * ```ts
   * const { caller } = await client.sessions.create({ token: "tgt_0123456789abcdef0123456789abcdef_7759b50e" });
   * ```
   */
  create(session: SessionCreate, options?: RequestOptions): Promise<CreatedSession> {
    // A second session is harmless, so the request needs no Idempotency-Key.
    return this.#transport.call("createSession", { body: session, isRepeatable: true, options });
  }

  /**
   * How people can sign in.
   *
   * @example
   * ```ts
   * const { mail } = await client.sessions.methods();
   * ```
   */
  methods(options?: RequestOptions): Promise<SignInMethods> {
    return this.#transport.call("getSignInMethods", { options });
  }

  /**
   * Sends a mail to sign in with, if the address may sign in. Only in pages of the server itself.
   *
   * @example
   * ```ts
   * const { expiresOn } = await client.sessions.sendMail({ email: "ada@acme.example" });
   * ```
   */
  sendMail(signIn: SignInStart, options?: RequestOptions): Promise<StartedSignIn> {
    return this.#transport.call("startSignIn", { body: signIn, options });
  }

  /**
   * Signs the browser in with the code of a mail that it asked for.
   *
   * @example
   * ```ts
   * const { caller } = await client.sessions.createWithCode({ code: "1234 5678" });
   * ```
   */
  createWithCode(code: SignInCode, options?: RequestOptions): Promise<CreatedSession> {
    return this.#transport.call("signInWithCode", { body: code, options });
  }

  /**
   * Signs the browser in with the link of a mail: what follows `#` in it.
   *
   * @example
   * ```ts
   * const { caller } = await client.sessions.createWithLink({ link: "tgl_0123456789abcdef0123456789abcdef_7759b50e" });
   * ```
   */
  createWithLink(link: SignInLink, options?: RequestOptions): Promise<CreatedSession> {
    return this.#transport.call("signInWithLink", { body: link, options });
  }

  /**
   * Reads an invitation by what follows `#` in its link. Only in pages of the server itself.
   *
   * @example
   * ```ts
   * const { account, role } = await client.sessions.invitation("tgi_0123456789abcdef0123456789abcdef_7759b50e");
   * ```
   */
  invitation(invitation: string, options?: RequestOptions): Promise<Invitation> {
    return this.#transport.call("showInvitation", { body: { invitation }, isRepeatable: true, options });
  }

  /**
   * Accepts an invitation and signs the browser in. Only in pages of the server itself.
   *
   * @example
   * ```ts
   * const { caller } = await client.sessions.accept("tgi_0123456789abcdef0123456789abcdef_7759b50e");
   * ```
   */
  accept(invitation: string, options?: RequestOptions): Promise<CreatedSession> {
    return this.#transport.call("acceptInvitation", { body: { invitation }, options });
  }

  /**
   * The invitations of the signed-in person, which have no effect until they accept them.
   *
   * @example
   * ```ts
   * const { data } = await client.sessions.invitations();
   * for (const { account, role, invitedBy } of data) console.log(account, role, invitedBy);
   * ```
   */
  invitations(options?: RequestOptions): Promise<OwnInvitations> {
    return this.#transport.call("listInvitations", { options });
  }

  /**
   * Joins an account that has invited the signed-in person.
   *
   * @example
   * ```ts
   * const { role } = await client.sessions.join("acme");
   * ```
   */
  join(account: string, options?: RequestOptions): Promise<OwnInvitation> {
    return this.#transport.call("acceptOwnInvitation", { params: { invitingAccount: account }, body: {}, options });
  }

  /**
   * Declines the invitation of an account. It may invite the person again.
   *
   * @example
   * ```ts
   * await client.sessions.decline("acme");
   * ```
   */
  async decline(account: string, options?: RequestOptions): Promise<void> {
    await this.#transport.call("declineInvitation", { params: { invitingAccount: account }, body: {}, options });
  }

  /**
   * The sessions of the caller.
   *
   * @example
   * ```ts
   * const sessions = await client.sessions.list().all();
   * ```
   */
  list(options: PageOptions & RequestOptions = {}): List<Session> {
    return this.#transport.list("listSessions", { call: {}, paging: options });
  }

  /**
   * The sessions of the account's members and tokens. For admins.
   *
   * @example
   * ```ts
   * for await (const { owner, lastUsedOn } of client.sessions.listOfAccount()) console.log(owner.name, lastUsedOn);
   * ```
   */
  listOfAccount(options: PageOptions & RequestOptions = {}): List<Session> {
    return this.#transport.list("listAccountSessions", { call: {}, paging: options });
  }

  /**
   * Ends a session of a member or a token of the account. For admins.
   *
   * @example
   * ```ts
   * await client.sessions.deleteOfAccount("sess_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  deleteOfAccount(id: string, options?: RequestOptions): Promise<void> {
    return this.#transport.call("deleteAccountSession", { params: { sessionId: id }, options });
  }

  /**
   * Signs out; `current` is the session of the request.
   *
   * @example
   * ```ts
   * await client.sessions.delete("current");
   * ```
   */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.#transport.call("deleteSession", { params: { sessionId: id }, options });
  }
}
