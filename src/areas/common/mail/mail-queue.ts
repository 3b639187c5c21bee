import { newId } from "../../../lib/ids.ts";
import { Wakeable } from "../../../lib/tasks/wakeable.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { StorageUnavailable } from "../../../platform/storage/errors.ts";
import { removeRows } from "../../../platform/storage/removal.ts";
import { updateRows } from "../../../platform/storage/rows.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import { MailRejected, type MailSender } from "./mailer.ts";
import type { ComposedMail } from "./message.ts";
import * as store from "./store.ts";

export { listMails } from "./store.ts";

const second = 1000;
const minute = 60 * second;
/** The delay after each failed attempt. */
const delays = [10 * second, 30 * second, minute, 3 * minute, 10 * minute, 30 * minute, 60 * minute];
const maxAttempts = 24;
/** Longer than an attempt may take. */
const leaseMilliseconds = 90 * second;
const maxConcurrent = 5;
const keptMilliseconds = 30 * 24 * 60 * minute;

export type QueuedMail = store.MailRow;

interface MailInput {
  kind: string;
  recipient: string;
  /** The id of what the mail is about. */
  subjectId: string;
  accountSeq?: number | undefined;
  personSeq?: number | undefined;
  expiresOn?: number | undefined;
  /** When it is sent; at once by default. */
  dueOn?: number | undefined;
}

export async function addMail(transaction: WriteTransaction, input: MailInput, now: number): Promise<void> {
  await transaction.insert("mails", {
    id: newId("mail", now),
    account_seq: input.accountSeq ?? null,
    person_seq: input.personSeq ?? null,
    kind: input.kind,
    recipient: input.recipient,
    subject_id: input.subjectId,
    state: "queued",
    attempts: 0,
    due_on: input.dueOn ?? now,
    lease: null,
    last_error: null,
    created_on: now,
    expires_on: input.expiresOn ?? null,
    ended_on: null,
  });
}

/**
 * Writes a mail just before an attempt to send it, in the transaction that claims it. Secrets of its link and code are
 * created here, and only their hashes are stored, so a repeated attempt has new ones. Returns undefined if there is
 * nothing to send any more.
 */
export type Compose = (transaction: WriteTransaction, mail: QueuedMail) => Promise<ComposedMail | undefined>;

interface MailQueueOptions {
  storage: Storage;
  clock: Clock;
  log: Log;
  /** Sends the mails. Undefined if no SMTP server is configured. */
  mailer: MailSender | undefined;
  /** Called after each attempt. */
  onAttempt?: ((hasSucceeded: boolean) => void) | undefined;
}

interface Claim {
  mail: QueuedMail;
  content: ComposedMail;
  lease: string;
}

/**
 * Mail to send, in a table. Requests only add to it; any node claims what is due, and a mail whose lease has expired is
 * due again.
 */
export class MailQueue {
  readonly #kinds = new Map<string, Compose>();
  readonly #running = new Set<Promise<void>>();
  readonly #work: Wakeable;

  constructor(private readonly options: MailQueueOptions) {
    this.#work = new Wakeable(
      (signal) => this.#sendDue(signal),
      (error) => options.log.warn("mail could not be claimed; will retry", { error }),
    );
  }

  /** Whether mail can be sent at all. */
  get isEnabled(): boolean {
    return this.options.mailer !== undefined;
  }

  /** Registers how mail of a kind is written. */
  register(kind: string, compose: Compose): void {
    this.#kinds.set(kind, compose);
  }

  add(transaction: WriteTransaction, input: MailInput, now: number): Promise<void> {
    return addMail(transaction, input, now);
  }

  /** Looks for due mail now. */
  wake(): void {
    if (this.isEnabled) this.#work.wake();
  }

  /** Attempts to send all due mail, and resolves when no attempt is in progress. */
  async sendDue(): Promise<void> {
    this.wake();
    await this.#work.idle();
  }

  async stop(): Promise<void> {
    await this.#work.stop();
    await Promise.all(this.#running);
    await this.options.mailer?.close();
  }

  removeOld(now: number, signal?: AbortSignal): Promise<void> {
    const before = now - keptMilliseconds;
    // Without a mail server nothing ends, but expires.
    const isOld = "ended_on < ? OR expires_on < ?";
    return removeRows(this.options.storage, "mails", isOld, [before, before], { signal });
  }

  async #sendDue(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      while (this.#running.size >= maxConcurrent) await Promise.race(this.#running);
      const claimed = await this.#claimNext();
      if (claimed === "none") break;
      if (claimed !== "ended") this.#begin(claimed);
    }
    await Promise.all(this.#running);
  }

  /** A mail that cannot be written is postponed: it must not block the mail behind it. */
  async #claimNext(): Promise<Claim | "none" | "ended"> {
    const { storage, clock, log } = this.options;
    let composing: QueuedMail | undefined;
    try {
      return await storage.write((transaction) => {
        composing = undefined;
        return this.#claim(transaction, (mail) => {
          composing = mail;
        });
      });
    } catch (error) {
      // Then the mail is not at fault, and another node may have claimed it meanwhile.
      if (!composing || error instanceof StorageUnavailable) throw error;
      const { seq, id, kind, attempts } = composing;
      const now = clock.now();
      const values = { attempts: attempts + 1, ...failed({ ...composing, attempts: attempts + 1 }, error, now) };
      await storage.write((transaction) => transaction.update("mails", seq, values));
      log.warn("a mail could not be written; will retry", { mail: id, kind, error });
      return "ended";
    }
  }

  /**
   * Returns `ended` if the mail that was due is not sent. Mail of a kind that is not registered is left to nodes of a later
   * version. `onCompose` is called before a mail is written.
   */
  async #claim(
    transaction: WriteTransaction,
    onCompose: (mail: QueuedMail) => void,
  ): Promise<Claim | "none" | "ended"> {
    const now = this.options.clock.now();
    await transaction.lock("mail queue");
    const mail = await store.findDueMail(transaction, [...this.#kinds.keys()], now);
    if (!mail) return "none";
    if (mail.expires_on !== null && now >= mail.expires_on) {
      await transaction.update("mails", mail.seq, { state: "expired", ended_on: now });
      return "ended";
    }
    onCompose(mail);
    const content = await this.#kinds.get(mail.kind)!(transaction, mail);
    if (!content) {
      await transaction.delete("mails", mail.seq);
      return "ended";
    }
    const lease = crypto.randomUUID();
    const claimed = { lease, due_on: now + leaseMilliseconds, attempts: mail.attempts + 1 };
    const owners = {
      person_seq: content.personSeq ?? mail.person_seq,
      account_seq: content.accountSeq ?? mail.account_seq,
    };
    await transaction.update("mails", mail.seq, { ...claimed, ...owners });
    return { mail: { ...mail, ...claimed }, content, lease };
  }

  #begin(claim: Claim): void {
    const run = this.#attempt(claim)
      .catch((error) => this.options.log.warn("the outcome of a mail was not recorded; it is repeated", { error }))
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #attempt({ mail, content, lease }: Claim): Promise<void> {
    const { storage, clock, mailer } = this.options;
    let failure: unknown;
    try {
      await mailer!.send(mail.recipient, content, mail.id);
    } catch (error) {
      failure = error;
    }
    this.options.onAttempt?.(failure === undefined);
    const now = clock.now();
    const outcome =
      failure === undefined ? { state: "sent", ended_on: now, last_error: null } : failed(mail, failure, now);
    // Another node may have taken over.
    const held = { seq: mail.seq, lease };
    await storage.write((transaction) => updateRows(transaction, "mails", held, { ...outcome, lease: null }));
  }
}

function failed({ attempts, expires_on }: QueuedMail, failure: unknown, now: number) {
  const last_error = (failure instanceof Error ? failure.message : String(failure)).slice(0, 500);
  const due_on = now + (delays[attempts - 1] ?? delays.at(-1)!);
  const isRejected = failure instanceof MailRejected || attempts >= maxAttempts;
  if (isRejected) return { state: "failed", ended_on: now, last_error };
  return expires_on !== null && due_on >= expires_on
    ? { state: "expired", ended_on: now, last_error }
    : { due_on, last_error };
}
