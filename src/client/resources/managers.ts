import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions, TagOptions } from "../transport/options.ts";
import type {
  Manager,
  ManagerCreate,
  ManagerInvite,
  ManagerInviteAccept,
  ManagerInviteCreate,
  ManagerUpdate,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

/** The people who manage the keys of one consumer. */
export class Managers {
  readonly #transport: Transport;
  readonly #consumer: { bucketName: string; consumerName: string };

  constructor(transport: Transport, bucketName: string, consumerName: string) {
    this.#transport = transport;
    this.#consumer = { bucketName, consumerName };
  }

  /**
   * All managers of the consumer.
   *
   * @example
   * ```ts
   * for await (const { sub, email } of client.managers("main", "acme").list()) console.log(sub, email);
   * ```
   */
  list({ tag, ...paging }: TagOptions & PageOptions & RequestOptions = {}): List<Manager> {
    return this.#transport.list("listManagers", { call: { params: this.#consumer, query: { tag } }, paging });
  }

  /**
   * Adds a manager by their subject at your identity provider.
   *
   * @example
   * ```ts
   * await client.managers("main", "acme").add({ sub: "auth0|ann", email: "ann@acme.example" });
   * ```
   */
  add(manager: ManagerCreate, { tag, ...options }: TagOptions & CreateOptions = {}): Promise<Manager> {
    return this.#transport.call("addManager", { params: this.#consumer, query: { tag }, body: manager, options });
  }

  /**
   * One manager.
   *
   * @example
   * ```ts
   * const { email } = await client.managers("main", "acme").get(managerId);
   * ```
   */
  get(id: string, { tag, ...options }: TagOptions & RequestOptions = {}): Promise<Manager> {
    return this.#transport.call("getManager", {
      params: { ...this.#consumer, managerId: id },
      query: { tag },
      options,
    });
  }

  /**
   * Changes what a manager may do in the portal. `null` means everything.
   *
   * @example
   * ```ts
   * await client.managers("main", "acme").update(managerId, { scopes: ["usage:read"] });
   * ```
   */
  update(id: string, changes: ManagerUpdate, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<Manager> {
    const params = { ...this.#consumer, managerId: id };
    return this.#transport.call("updateManager", { params, query: { tag }, body: changes, options });
  }

  /**
   * Removes a manager.
   *
   * @example
   * ```ts
   * await client.managers("main", "acme").delete(managerId);
   * ```
   */
  delete(id: string, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<void> {
    const params = { ...this.#consumer, managerId: id };
    return this.#transport.call("deleteManager", { params, query: { tag }, options });
  }
}

/** Invitations of e-mail addresses to become managers of one consumer. */
export class ManagerInvites {
  readonly #transport: Transport;
  readonly #consumer: { bucketName: string; consumerName: string };

  constructor(transport: Transport, bucketName: string, consumerName: string) {
    this.#transport = transport;
    this.#consumer = { bucketName, consumerName };
  }

  /**
   * All pending invites of the consumer.
   *
   * @example
   * ```ts
   * for await (const { email, expiresOn } of client.managerInvites("main", "acme").list()) console.log(email, expiresOn);
   * ```
   */
  list({ tag, ...paging }: TagOptions & PageOptions & RequestOptions = {}): List<ManagerInvite> {
    return this.#transport.list("listManagerInvites", { call: { params: this.#consumer, query: { tag } }, paging });
  }

  /**
   * Invites a person by e-mail address. The server sends no e-mail: the id in the response is what your own page accepts.
   *
   * @example
   * ```ts
   * const { id } = await client.managerInvites("main", "acme").create({ email: "bob@acme.example" });
   * ```
   */
  create(invite: ManagerInviteCreate, { tag, ...options }: TagOptions & CreateOptions = {}): Promise<ManagerInvite> {
    return this.#transport.call("inviteManager", { params: this.#consumer, query: { tag }, body: invite, options });
  }

  /**
   * One invite.
   *
   * @example
   * ```ts
   * const { expiresOn } = await client.managerInvites("main", "acme").get(inviteId);
   * ```
   */
  get(id: string, { tag, ...options }: TagOptions & RequestOptions = {}): Promise<ManagerInvite> {
    const params = { ...this.#consumer, inviteId: id };
    return this.#transport.call("getManagerInvite", { params, query: { tag }, options });
  }

  /**
   * Revokes an invite.
   *
   * @example
   * ```ts
   * await client.managerInvites("main", "acme").delete(inviteId);
   * ```
   */
  delete(id: string, { tag, ...options }: TagOptions & ChangeOptions = {}): Promise<void> {
    const params = { ...this.#consumer, inviteId: id };
    return this.#transport.call("deleteManagerInvite", { params, query: { tag }, options });
  }

  /**
   * Accepts an invite: the invited person becomes a manager.
   *
   * @example
   * ```ts
   * const manager = await client.managerInvites("main", "acme").accept(inviteId, { sub: "auth0|bob" });
   * ```
   */
  accept(
    id: string,
    identity: ManagerInviteAccept,
    { tag, ...options }: TagOptions & CreateOptions = {},
  ): Promise<Manager> {
    const params = { ...this.#consumer, inviteId: id };
    return this.#transport.call("acceptManagerInvite", { params, query: { tag }, body: identity, options });
  }
}
