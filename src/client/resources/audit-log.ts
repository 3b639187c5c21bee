import type { RequestOptions } from "../transport/options.ts";
import type { AuditEntry, AuditVerification } from "../transport/schema.gen.ts";
import type { Transport } from "../transport/transport.ts";

export interface AuditLogOptions extends RequestOptions {
  /** An action such as `key.rolled`, or `key.*` or `key` for all actions of a type. */
  action?: string;
  /** The id of a token, `operator` or `system`. */
  actor?: string;
  /** `manager` selects what customers did in the portal. */
  actorType?: AuditEntry["actor"]["type"];
  /** A type or an id: selects entries about it and about its children. */
  resource?: string;
  /** RFC 3339: not before this time. */
  from?: string;
  /** RFC 3339: before this time. */
  to?: string;
}

export interface AuditPageOptions extends AuditLogOptions {
  /** Default and maximum: 1000. */
  limit?: number;
  /** The id of an entry: returns older entries. */
  before?: string;
}

export interface VerifyAuditOptions extends RequestOptions {
  /** A head that was recorded earlier: the log must still contain it. */
  head?: { count: number; hash: string };
}

/** The audit log: every change with its actor and time. */
export class AuditLog {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * One page of entries, the newest first.
   *
   * @example
   * ```ts
   * const entries = await client.auditLog.list({ action: "key.*", limit: 20 });
   * ```
   */
  async list(options: AuditPageOptions = {}): Promise<AuditEntry[]> {
    return (await this.#transport.call("listAuditLog", pageCall(options))).data;
  }

  /**
   * One page of entries as CSV.
   *
   * @example
   * ```ts
   * const csv = await client.auditLog.csv({ action: "key.*" });
   * ```
   */
  async csv(options: AuditPageOptions = {}): Promise<string> {
    return (await this.#transport.csv("listAuditLog", pageCall(options))).text;
  }

  /**
   * All entries that match, the newest first.
   *
   * @example
   * ```ts
   * for await (const { time, action, actor } of client.auditLog.all({ resource: "consumer" })) console.log(time, action, actor.id);
   * ```
   */
  async *all(options: AuditLogOptions = {}): AsyncGenerator<AuditEntry> {
    const limit = 1000;
    for (let before: string | undefined; ; ) {
      const page = await this.list({ ...options, limit, ...(before === undefined ? {} : { before }) });
      yield* page;
      if (page.length < limit) return;
      before = page.at(-1)!.id;
    }
  }

  /**
   * Verifies the whole log. An earlier head also detects a truncated or rewritten log.
   *
   * @example
   * ```ts
   * const { intact, head, firstBroken } = await client.auditLog.verify();
   * ```
   */
  verify({ head, ...options }: VerifyAuditOptions = {}): Promise<AuditVerification> {
    const query = head ? { head: `${head.count}:${head.hash}` } : {};
    return this.#transport.call("verifyAuditLog", { query, options });
  }
}

function pageCall({ action, actor, actorType, resource, from, to, limit, before, ...options }: AuditPageOptions) {
  return { query: { action, actor, actorType, resource, from, to, limit, before }, options };
}
