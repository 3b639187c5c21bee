import type { CreateOptions } from "../transport/options.ts";
import { realWaiting, type Waiting } from "../transport/retry.ts";
import type { KeyVerification, routes } from "../transport/schema.gen.ts";
import { type TollgateOptions, transportOf } from "../transport/tollgate-options.ts";
import type { Transport } from "../transport/transport.ts";
import { type KeyUsage, verifyKey } from "./verify-key.ts";

/** Written again, and checked by their type: the table of all routes would be half of the bundle. */
const ownRoutes: Pick<typeof routes, "whoAmI" | "verifyKey"> = {
  whoAmI: "GET /v1/who-am-i",
  verifyKey: "POST /v1/accounts/{accountName}/key-buckets/{bucketName}/verify-key",
};

/**
 * Verifies keys and does nothing else: for programs in which the size of the client matters.
 *
 * @example
 * ```ts
 * import { KeyVerifier } from "@tollgate/client/verify";
 *
 * const verifier = new KeyVerifier({ url: "http://127.0.0.1:8787", token: "tgt_…" });
 * const verification = await verifier.verify("main", "tg_0123456789abcdef0123456789abcdef_7759b50e");
 * console.log(verification.valid ? verification.consumer.name : verification.code);
 * ```
 */
export class KeyVerifier {
  readonly #transport: Transport;

  /** Throws if `url` is not an http or https URL. Tests replace `waiting`, the source of time and randomness. */
  constructor(options: TollgateOptions, waiting: Waiting = realWaiting) {
    this.#transport = transportOf(options, waiting, ownRoutes);
  }

  /**
   * Whether a key is valid, and its consumer. With `consume` or `hold` it also takes from the plan of the consumer.
   *
   * @example
   * ```ts
   * import { KeyVerifier } from "@tollgate/client/verify";
   *
   * const verifier = new KeyVerifier({ url: "http://127.0.0.1:8787", token: "tgt_…" });
   * const consume = { bucketId: "main", meters: { requests: 1 } };
   * const { valid } = await verifier.verify("main", "tg_…", { permission: "orders:read", consume });
   * ```
   */
  verify(bucketName: string, key: string, usage: KeyUsage & CreateOptions = {}): Promise<KeyVerification> {
    return verifyKey(this.#transport, bucketName, key, usage);
  }
}
