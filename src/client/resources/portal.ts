import type { List, PageOptions } from "../transport/list.ts";
import type { ChangeOptions, CreateOptions, RequestOptions } from "../transport/options.ts";
import type {
  AccessRequest,
  AccessRequestCreate,
  Operations,
  PortalFunnel,
  PortalHandoff,
  PortalSessionCreate,
  Portal as PortalSettings,
  PortalUpdate,
} from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

type FunnelQuery = Pick<NonNullable<Operations["getPortalFunnel"]["query"]>, "stage">;

/** The portal of a key bucket: the site where its customers manage their keys and see their usage. */
export class Portal {
  readonly #transport: Transport;
  readonly #params: { bucketName: string };

  constructor(transport: Transport, bucket: string) {
    this.#transport = transport;
    this.#params = { bucketName: bucket };
  }

  /**
   * The settings of the portal and its address.
   *
   * @example
   * ```ts
   * const { title, url } = await client.portal("main").get();
   * ```
   */
  get(options?: RequestOptions): Promise<PortalSettings> {
    return this.#transport.call("getPortal", { params: this.#params, options });
  }

  /**
   * Creates the portal, or replaces its settings. Fields that are left out get their defaults.
   *
   * @example
   * ```ts
   * await client.portal("main").set({ title: "Acme Weather", deployments: ["weather-main-1a2b3c4"] });
   * ```
   */
  set(settings: PortalUpdate, options?: ChangeOptions): Promise<PortalSettings> {
    return this.#transport.call("setPortal", { params: this.#params, body: settings, options });
  }

  /**
   * Deletes the portal and ends its sessions. Consumers and keys stay.
   *
   * @example
   * ```ts
   * await client.portal("main").delete();
   * ```
   */
  delete(options?: ChangeOptions): Promise<void> {
    return this.#transport.call("deletePortal", { params: this.#params, options });
  }

  /**
   * Hands a customer, who is signed in at your own site, over to the portal: redirect their browser to `url`.
   *
   * @example
   * ```ts
   * const { url } = await client.portal("main").handOff({
   *   consumerName: "acme",
   *   subject: "user-4711",
   *   scopes: ["keys:read", "keys:write", "usage:read", "requests:read"],
   * });
   * ```
   */
  handOff(session: PortalSessionCreate, options?: CreateOptions): Promise<PortalHandoff> {
    return this.#transport.call("createPortalSession", { params: this.#params, body: session, options });
  }

  /**
   * The address of a session that sees what the customer sees, and can change nothing.
   *
   * @example
   * ```ts
   * const { url } = await client.portal("main").view("acme");
   * ```
   */
  view(consumerName: string, options?: CreateOptions): Promise<PortalHandoff> {
    return this.#transport.call("viewPortal", { params: this.#params, body: { consumerName }, options });
  }

  /**
   * People who ask for access, if `signUp` is `approval`.
   *
   * @example
   * ```ts
   * for await (const { email } of client.portal("main").accessRequests({ state: "pending" })) console.log(email);
   * ```
   */
  accessRequests({
    state,
    ...paging
  }: { state?: AccessRequest["state"] } & PageOptions & RequestOptions = {}): List<AccessRequest> {
    return this.#transport.list("listAccessRequests", { call: { params: this.#params, query: { state } }, paging });
  }

  /**
   * How far the customers who signed up have come: to a key, to a successful request, and whether they stopped.
   *
   * @example
   * ```ts
   * const { signedUp, succeeded, stopped } = await client.portal("main").funnel();
   * ```
   */
  funnel({ stage, ...options }: FunnelQuery & RequestOptions = {}): Promise<PortalFunnel> {
    return this.#transport.call("getPortalFunnel", { params: this.#params, query: { stage }, options });
  }

  /**
   * Records a request for access that arrived elsewhere, such as in a form on your own site.
   *
   * @example
   * ```ts
   * await client.portal("main").requestAccess({ email: "jo@acme.example", name: "Acme" });
   * ```
   */
  requestAccess(request: AccessRequestCreate, options?: CreateOptions): Promise<AccessRequest> {
    return this.#transport.call("createAccessRequest", { params: this.#params, body: request, options });
  }

  /**
   * Approves a request for access: creates the consumer with its subscription, and tells the person by mail.
   *
   * @example
   * ```ts
   * const { consumerName } = await client.portal("main").approve("preq_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  approve(requestId: string, options?: ChangeOptions): Promise<AccessRequest> {
    return this.#transport.call("approveAccessRequest", {
      params: { ...this.#params, accessRequestId: requestId },
      body: {},
      options,
    });
  }

  /**
   * Denies a request for access.
   *
   * @example
   * ```ts
   * await client.portal("main").deny("preq_0QGzNqW81Kx8VhTb3mPcRdZu");
   * ```
   */
  deny(requestId: string, options?: ChangeOptions): Promise<AccessRequest> {
    return this.#transport.call("denyAccessRequest", {
      params: { ...this.#params, accessRequestId: requestId },
      body: {},
      options,
    });
  }
}
