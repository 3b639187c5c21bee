import { StripeAccounts } from "../../areas/billing/stripe/accounts.ts";
import { actionMail, actionMailer, actionMailKind } from "../../areas/billing/stripe/action-mail.ts";
import { Collector } from "../../areas/billing/stripe/collector.ts";
import { CustomerSync } from "../../areas/billing/stripe/customer-sync.ts";
import { StripePages } from "../../areas/billing/stripe/hosted-pages.ts";
import { StripeIntake } from "../../areas/billing/stripe/intake.ts";
import type { MailQueue } from "../../areas/mail/mail-queue.ts";
import type { Keyring } from "../../lib/crypto/keyring.ts";
import { Egress } from "../../platform/egress/egress.ts";
import type { Foundation } from "../foundation/foundation.ts";

/** How late the collection of an invoice may begin or continue. */
const collectSeconds = 2;

export interface StripeService {
  accounts: StripeAccounts;
  intake: StripeIntake;
  pages: StripePages;
  /** Compares the customers and continues the collections that are due. */
  collect(signal?: AbortSignal): Promise<void>;
}

export function openStripe(
  { config, clock, log, metrics, storage, lifecycle }: Foundation,
  { keyring, mail }: { keyring: Keyring; mail: MailQueue },
): StripeService {
  mail.register(actionMailKind, actionMail());
  const stopping = new AbortController();
  const accounts = new StripeAccounts({
    keyring,
    egress: new Egress(config.egress),
    url: config.stripeUrl,
    stopping: stopping.signal,
  });
  const collector = new Collector({
    storage,
    clock,
    log,
    accounts,
    notifyAction: actionMailer(mail),
    onAttempt: (hasSucceeded) => metrics.delivery("payment", hasSucceeded),
  });
  const customers = new CustomerSync({ storage, clock, log, accounts });
  let last: Promise<void> = Promise.resolve();
  // One run at a time: the next one waits for what is in progress.
  const collect = (signal?: AbortSignal) => {
    const run = async () => {
      await customers.run(signal);
      await collector.run(signal);
    };
    last = last.then(run, run);
    return last;
  };
  lifecycle.every(collectSeconds, "Stripe", collect);
  // Calls in progress are continued by another node, or after the start.
  lifecycle.onClose("calls of Stripe", () => stopping.abort());
  return {
    accounts,
    intake: new StripeIntake({ storage, clock, accounts }),
    pages: new StripePages({ storage, clock, accounts }),
    collect,
  };
}
