import type { Exchange } from "../exchange/exchange.ts";

/** Who sent a request: the admitted caller, or the holder of a key that was recognized and rejected. */
export function holderOf(exchange: Exchange): Pick<Exchange, "user" | "consumerId" | "keyId"> {
  return exchange.user || !exchange.rejectedHolder ? exchange : exchange.rejectedHolder;
}
