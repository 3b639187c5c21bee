import { StripeAccounts } from "../../areas/billing/stripe/accounts.ts";
import { Collector } from "../../areas/billing/stripe/collector.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import { Egress } from "../../platform/egress/egress.ts";
import type { Foundation } from "../foundation/foundation.ts";

/** How late the collection of an invoice may begin or continue. */
const collectSeconds = 2;

export interface StripeService {
  accounts: StripeAccounts;
  /** Continues the collections that are due. */
  collect(signal?: AbortSignal): Promise<void>;
}

export function openStripe({ config, clock, log, storage, lifecycle }: Foundation, keyring: Keyring): StripeService {
  const stopping = new AbortController();
  const accounts = new StripeAccounts({
    keyring,
    egress: new Egress(config.egress),
    url: config.stripeUrl,
    stopping: stopping.signal,
  });
  const collector = new Collector({ storage, clock, log, accounts });
  const collect = (signal?: AbortSignal) => collector.run(signal);
  lifecycle.every(collectSeconds, "Stripe", collect);
  // Calls in progress are continued by another node, or after the start.
  lifecycle.onClose("calls of Stripe", () => stopping.abort());
  return { accounts, collect };
}
