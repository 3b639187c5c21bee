import type { Keyring } from "../../../../../../lib/crypto/keyring.ts";
import type { Clock } from "../../../../../../lib/time/clock.ts";
import type { Egress } from "../../../../../../platform/egress/egress.ts";
import type { Storage } from "../../../../../../platform/storage/storage.ts";
import type { Log } from "../../../../../../platform/telemetry/log.ts";
import type { MailQueue } from "../../../../../common/mail/mail-queue.ts";
import type { PayingCustomer, PaymentService } from "../../../payments/interface/service.ts";
import { StripeAccounts } from "../api/accounts.ts";
import { CustomerSync } from "../customers/customer-sync.ts";
import { StripePages } from "../customers/hosted-pages.ts";
import { actionMail, actionMailer, actionMailKind } from "../invoices/action-mail.ts";
import { type ComparisonOptions, compareInvoices } from "../invoices/comparison.ts";
import { InvoiceSync } from "../invoices/invoice-sync.ts";
import { leaveStripe } from "../invoices/leaving.ts";
import { StripeIntake } from "./intake.ts";

interface StripeServiceOptions {
  storage: Storage;
  clock: Clock;
  log: Log;
  keyring: Keyring;
  egress: Egress;
  mail: MailQueue;
  /** The address of Stripe's API, without a trailing slash. */
  url: string;
  /** Called after each attempt to charge or refund. */
  onAttempt(hasSucceeded: boolean): void;
}

/** Everything that calls Stripe. */
export class StripeService implements PaymentService {
  readonly checkout: StripePages;
  readonly leave = leaveStripe;
  readonly #stopping = new AbortController();
  readonly #accounts: StripeAccounts;
  readonly #customers: CustomerSync;
  readonly #invoices: InvoiceSync;
  readonly #intake: StripeIntake;
  #last: Promise<void> = Promise.resolve();

  constructor({ storage, clock, log, keyring, egress, mail, url, onAttempt }: StripeServiceOptions) {
    mail.register(actionMailKind, actionMail());
    const accounts = new StripeAccounts({ keyring, egress, url, stopping: this.#stopping.signal });
    this.#accounts = accounts;
    this.#customers = new CustomerSync({ storage, clock, log, accounts });
    this.#invoices = new InvoiceSync({ storage, clock, log, accounts, notifyAction: actionMailer(mail), onAttempt });
    this.#intake = new StripeIntake({ storage, clock, accounts });
    this.checkout = new StripePages({ storage, clock, accounts });
  }

  portalUrl(customer: PayingCustomer): Promise<string> {
    return this.checkout.portalUrl(customer);
  }

  receiveEvent(...event: Parameters<StripeIntake["receive"]>): Promise<void> {
    return this.#intake.receive(...event);
  }

  compare(options: Omit<ComparisonOptions, "accounts">): ReturnType<typeof compareInvoices> {
    return compareInvoices({ ...options, accounts: this.#accounts });
  }

  /** Compares the customers and continues the invoices that are due. One run at a time: the next one waits. */
  run(signal?: AbortSignal): Promise<void> {
    const next = async () => {
      await this.#customers.run(signal);
      await this.#invoices.run(signal);
    };
    this.#last = this.#last.then(next, next);
    return this.#last;
  }

  removeOld(now: number, signal?: AbortSignal): Promise<void> {
    return this.#intake.removeOld(now, signal);
  }

  /** Ends calls in progress. Another node continues them, or this one after its next start. */
  stop(): void {
    this.#stopping.abort();
  }
}
