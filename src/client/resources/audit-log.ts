import type { RequestOptions } from "../transport/options.ts";
import type { AuditEntry, AuditVerification } from "../transport/schema.gen.ts";
import { AuditLogCalls, type AuditPageOptions } from "./resources.gen.ts";

export type AuditLogOptions = Omit<AuditPageOptions, "limit" | "before">;

export interface VerifyAuditOptions extends RequestOptions {
  /** A head that was recorded earlier: the log must still contain it. */
  head?: { count: number; hash: string };
}

/** The audit log: every change with its actor and time. */
export class AuditLog extends AuditLogCalls {
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
    return this.transport.call("verifyAuditLog", { query, options });
  }
}
