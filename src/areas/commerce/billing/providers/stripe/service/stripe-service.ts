import type { Act } from "../../../../../../core/access.ts";
import { Problem } from "../../../../../../core/problems/problem.ts";
import type { Keyring } from "../../../../../../lib/crypto/keyring.ts";
import type { Clock } from "../../../../../../lib/time/clock.ts";
import type { Egress } from "../../../../../../platform/egress/egress.ts";
import type { Storage, WriteTransaction } from "../../../../../../platform/storage/storage.ts";
import type { Log } from "../../../../../../platform/telemetry/log.ts";
import type { MailQueue } from "../../../../../common/mail/mail-queue.ts";
import { findMeteringBucket } from "../../../../metering-buckets/metering-buckets.ts";
import { lockInvoice, numberFor } from "../../../invoices/invoices.ts";
import { changeInvoice } from "../../../invoices/payments.ts";
import type { ProviderMode } from "../../../payments/interface/provider.ts";
import type { PayingCustomer, PaymentService } from "../../../payments/interface/service.ts";
import { profileOf } from "../../../settings/settings.ts";
import { StripeAccounts } from "../api/accounts.ts";
import { CustomerSync } from "../customers/customer-sync.ts";
import { StripePages } from "../customers/customers.ts";
import { type ComparisonOptions, compareInvoices } from "../invoices/comparison.ts";
import { actionMail, actionMailer, actionMailKind, InvoiceSync } from "../invoices/invoice-sync.ts";
import { countUnfinished, deleteNotBegun, notBegun } from "../stripe-invoice-store.ts";
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

/**
 * To be called before another payment provider replaces Stripe, whose keys are erased then. Invoices that were never sent
 * to Stripe get a number of ours. Throws 409 while Stripe has others that are not finished, unless `force` is set: it
 * would keep charging for them, and nothing here would notice.
 */
async function leaveStripe(
  transaction: WriteTransaction,
  act: Act,
  mode: ProviderMode,
  { force }: { force: boolean },
): Promise<void> {
  const { seq: accountSeq } = act.account;
  const count = force ? 0 : await countUnfinished(transaction, accountSeq, mode);
  if (count > 0) throw unfinished(count, mode);
  for (const { invoice_id, bucket_id } of await notBegun(transaction, accountSeq, mode)) {
    const bucket = await findMeteringBucket(transaction, accountSeq, bucket_id);
    const context = { transaction, act, bucket };
    const invoice = await lockInvoice(transaction, bucket, invoice_id);
    const profile = (await profileOf(transaction, accountSeq))!;
    const number = invoice.number ?? (await numberFor(context, profile, ""));
    await changeInvoice(context, invoice, { number, collection_state: null });
  }
  // An invoice that is about to be sent loses its lease with its row.
  await deleteNotBegun(transaction, accountSeq, mode);
}

function unfinished(count: number, mode: ProviderMode): Problem {
  const invoices = count === 1 ? "1 invoice that is" : `${count} invoices that are`;
  return new Problem("collections_unfinished", {
    detail:
      `Stripe has ${invoices} not paid yet, in ${mode} mode, and would keep charging. Wait until they are paid, or void ` +
      "them, or mark them as paid. With force=true the keys are erased anyway.",
  });
}
