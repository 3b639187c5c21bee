import type { RequestOptions } from "./options.ts";
import type { AuditEntry, AuditVerification, Operations } from "./schema.gen.ts";
import type { Transport } from "./transport.ts";

export type AuditFilter = Omit<Operations["listAuditLog"]["query"], "accountName">;

/** Who changed what and when, newest first. */
export class AuditLog {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /**
   * Entries, newest first. `before` is the id of the last one of the page before.
   *
   * @example
   * ```ts
   * for (const { time, action, actor } of await client.auditLog.list({ action: "key.*" })) console.log(time, action, actor.id);
   * ```
   */
  async list({ signal, timeoutMs, ...query }: AuditFilter & RequestOptions = {}): Promise<AuditEntry[]> {
    return (await this.#transport.call("listAuditLog", { query, options: { signal, timeoutMs } })).data;
  }

  /**
   * Whether nobody has rewritten the log.
   *
   * @example
   * ```ts
   * const { intact, entries } = await client.auditLog.verify();
   * ```
   */
  verify(options?: RequestOptions): Promise<AuditVerification> {
    return this.#transport.call("verifyAuditLog", { options });
  }
}
