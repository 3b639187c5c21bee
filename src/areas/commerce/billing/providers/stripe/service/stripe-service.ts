import { z } from "zod";
import type { AccountReference, Act } from "../../../../../../core/access.ts";
import { invalid, notFound, Problem } from "../../../../../../core/problems/problem.ts";
import type { Keyring } from "../../../../../../lib/crypto/keyring.ts";
import type { Clock } from "../../../../../../lib/time/clock.ts";
import type { Egress } from "../../../../../../platform/egress/egress.ts";
import { removeRows } from "../../../../../../platform/storage/removal.ts";
import type { Storage, WriteTransaction } from "../../../../../../platform/storage/storage.ts";
import type { Log } from "../../../../../../platform/telemetry/log.ts";
import type { MailQueue } from "../../../../../common/mail/mail-queue.ts";
import type { PayingCustomer, PaymentService, ProviderMode } from "../../../payments/interface.ts";
import { describeError, failureOf, metadata, StripeAccounts, stripePackage } from "../api.ts";
import { CustomerSync } from "../customers/customer-sync.ts";
import { StripePages } from "../customers/customers.ts";
import { type ComparisonOptions, compareInvoices } from "../invoices/comparison.ts";
import { actionMail, actionMailer, actionMailKind, InvoiceSync } from "../invoices/invoice-sync.ts";
import { countUnfinished, ofAccount, wakeInvoices } from "../stripe.ts";

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
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly options: StripeServiceOptions) {
    const { storage, clock, log, keyring, egress, mail, url, onAttempt } = options;
    mail.register(actionMailKind, actionMail);
    this.#accounts = new StripeAccounts({ keyring, egress, url, stopping: this.#stopping.signal });
    const used = { storage, clock, log, accounts: this.#accounts };
    this.#customers = new CustomerSync(used);
    this.#invoices = new InvoiceSync({ ...used, notifyAction: actionMailer(mail), onAttempt });
    this.checkout = new StripePages(used);
  }

  portalUrl(customer: PayingCustomer): Promise<string> {
    return this.checkout.portalUrl(customer);
  }

  /**
   * Receives an event of Stripe, which is only a hint: it makes the invoice, or the customer, be compared with Stripe now
   * instead of later. So neither its content nor its order matters, and a lost one only delays. Throws 404 if the account
   * does not use Stripe in this mode, and 400 if the signature does not match the bytes.
   */
  async receiveEvent(
    account: AccountReference,
    mode: ProviderMode,
    { bytes, signature }: { bytes: Uint8Array; signature: string | null },
  ): Promise<void> {
    const { storage, clock } = this.options;
    const credentials = await this.#accounts.credentials(storage.reads, account.seq, mode);
    if (!credentials) throw notFound("payment provider");
    const now = clock.now();
    const event = await verified(bytes, signature, credentials.webhookSecret, now);
    // Of the other mode, or of an account that is connected to this one.
    if (event.livemode !== (mode === "live") || event.account !== undefined) return;
    await storage.write(async (transaction) => {
      const row = { account_seq: account.seq, mode, event_id: event.id, received_on: now };
      const [isNew] = await transaction.insertNew("stripe_events", [row], ["account_seq", "mode", "event_id"]);
      if (isNew) await process(transaction, account, mode, event, now);
    });
  }

  compare(options: Omit<ComparisonOptions, "accounts">): ReturnType<typeof compareInvoices> {
    return compareInvoices({ ...options, accounts: this.#accounts });
  }

  /** Compares the customers and continues the invoices that are due. One run at a time: the next one waits. */
  run(signal?: AbortSignal): Promise<void> {
    const next = () => this.#invoices.run(signal, (stopping) => this.#customers.run(stopping));
    this.#last = this.#last.then(next, next);
    return this.#last;
  }

  /** Deletes the ids of events that Stripe does not repeat any more. */
  removeOld(now: number, signal?: AbortSignal): Promise<void> {
    const before = now - keptMilliseconds;
    const key = "account_seq, mode, event_id";
    return removeRows(this.options.storage, "stripe_events", "received_on < ?", [before], { key, signal });
  }

  /** Ends calls in progress. Another node continues them, or this one after its next start. */
  stop(): void {
    this.#stopping.abort();
  }
}

/**
 * To be called before another payment provider replaces Stripe, whose keys are erased then. Invoices that were never sent
 * to Stripe get a number of ours by InvoiceSync, also those of transactions that do not know of the change. Throws 409 while
 * Stripe has others that are not finished, unless `force` is set: it would keep charging for them, and nothing here would notice.
 */
async function leaveStripe(
  transaction: WriteTransaction,
  { account, now }: Act,
  mode: ProviderMode,
  { force }: { force: boolean },
): Promise<void> {
  const count = force ? 0 : await countUnfinished(transaction, account.seq, mode);
  if (count > 0) throw unfinished(count, mode);
  // An invoice that is about to be sent loses its lease.
  const also = "lease = NULL, lease_until = NULL";
  await wakeInvoices(transaction, now, `${ofAccount} AND began_on IS NULL`, [account.seq, mode], { also });
}

function unfinished(count: number, mode: ProviderMode): Problem {
  const invoices = count === 1 ? "1 invoice that is" : `${count} invoices that are`;
  return new Problem("collections_unfinished", {
    detail:
      `Stripe has ${invoices} not paid yet, in ${mode} mode, and would keep charging. Wait until they are paid, or void ` +
      "them, or mark them as paid. With force=true the keys are erased anyway.",
  });
}

/** How old a signature may be. */
const toleranceSeconds = 300;
/** Stripe repeats an event for three days; a signature is older by then. */
const keptMilliseconds = 7 * 24 * 60 * 60 * 1000;

/** What an event is about, as far as it matters: which object to fetch. */
interface EventObject {
  id?: unknown;
  customer?: unknown;
  invoice?: unknown;
  payment_intent?: unknown;
  metadata?: Record<string, unknown> | null;
}

async function verified(
  bytes: Uint8Array,
  signature: string | null,
  secret: string,
  now: number,
): Promise<StripeEvent> {
  const { Stripe } = await stripePackage();
  try {
    const { signature: checker } = Stripe.webhooks;
    await checker!.verifyHeaderAsync(bytes, signature ?? "", secret, toleranceSeconds, undefined, now);
  } catch (error) {
    if (failureOf(error) === undefined) throw error;
    throw new Problem("signature_invalid", { detail: describeError(error).split("\n")[0] });
  }
  return parsedEvent(bytes);
}

/** What is read of an event. */
const eventShape = z.object({
  id: z.string("must be the id of an event").min(1, "must be the id of an event"),
  type: z.string("must be the type of an event"),
  livemode: z.boolean("must be a boolean"),
  account: z.string("must be text").optional(),
  data: z.object({ object: z.looseObject({}, "must be an object") }, "must be an object"),
});

type StripeEvent = z.output<typeof eventShape>;

/** A sender with the secret may still send something else than Stripe does. */
function parsedEvent(bytes: Uint8Array): StripeEvent {
  let content: unknown;
  try {
    content = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw invalid("", "must be JSON");
  }
  const parsed = eventShape.safeParse(content);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  throw invalid(path.map((part) => `/${String(part)}`).join(""), path.length === 0 ? "must be an event" : message);
}

/** A dispute takes the payment back too. */
function isOfRefund(type: string): boolean {
  return type === "charge.refunded" || type.startsWith("refund.") || type.startsWith("charge.dispute.");
}

/** Continues what the event is about now. */
async function process(
  transaction: WriteTransaction,
  account: AccountReference,
  mode: ProviderMode,
  { type, data }: StripeEvent,
  now: number,
): Promise<void> {
  const { id, customer, invoice, payment_intent: payment, metadata: given } = data.object as EventObject;
  if (typeof id !== "string") return;
  const wake = (condition: string, value: unknown, also?: string) =>
    wakeInvoices(transaction, now, `${ofAccount} AND ${condition}`, [account.seq, mode, value], { also });
  const refund = "refund_events = refund_events + 1";
  const ofOurs = "stripe_id IS NULL AND invoice_seq = (SELECT seq FROM invoices WHERE id = ?)";
  if (type.startsWith("invoice.")) {
    await wake("stripe_id = ?", id);
    // It may arrive before the response to the call that created the invoice: then only our id is known.
    const ourId = given?.[metadata.invoice];
    if (typeof ourId === "string") await wake(ofOurs, ourId);
  } else if (type.startsWith("credit_note.") && typeof invoice === "string")
    await wake("stripe_id = ?", invoice, refund);
  else if (isOfRefund(type) && typeof payment === "string") await wake("payment_intent = ?", payment, refund);
  else {
    const isOfMethod = type === "checkout.session.completed" || type.startsWith("payment_method.");
    const isOfCustomer = type === "customer.updated" || type === "customer.deleted";
    const changed = isOfMethod ? customer : isOfCustomer ? id : undefined;
    if (typeof changed === "string")
      await transaction.run(
        `UPDATE stripe_customers SET sync_on = ?, wakes = wakes + 1 WHERE stripe_id = ? AND bucket_seq IN (
           SELECT seq FROM metering_buckets WHERE account_seq = ?)`,
        [now, changed, account.seq],
      );
  }
}
