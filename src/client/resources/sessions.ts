import type { List, PageOptions } from "../transport/list.ts";
import type { RequestOptions } from "../transport/options.ts";
import type { CreatedSession, Session, SessionCreate } from "../transport/schema.gen.ts";
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
   * The sessions of the token.
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
