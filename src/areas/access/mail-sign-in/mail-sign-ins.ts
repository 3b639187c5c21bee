import { randomInt, timingSafeEqual } from "node:crypto";
import { Problem } from "../../../core/problems/problem.ts";
import { generateSecret, secretHash } from "../../../lib/crypto/secret-text.ts";
import { newId } from "../../../lib/ids.ts";
import { addressGroup } from "../../../lib/network/address-group.ts";
import { emailKey } from "../../../lib/text/email.ts";
import { removeRows } from "../../../platform/storage/removal.ts";
import { findRow, lockRow } from "../../../platform/storage/rows.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { RowOf } from "../../../platform/storage/tables.ts";
import type { MailQueue } from "../../common/mail/mail-queue.ts";
import { composed } from "../../common/mail/message.ts";
import * as store from "./store.ts";

export const validMilliseconds = 15 * 60 * 1000;
const maxAttempts = 5;
/** The maximum number of sign-in mails to a mailbox from one address, within the time for which a sign-in is valid. */
const maxPerMailboxAndAddress = 5;
/** Higher, so that one client does not keep the owner of a mailbox out. */
const maxPerMailbox = 20;
const maxPerAddress = 20;

/** The recipient of a sign-in mail. */
interface Recipient {
  /** The name in which the mail is sent. */
  fromName: string;
  /** The address of the page that a link opens. What follows `#` is the secret. */
  linkPage: string;
  personSeq?: number | undefined;
  /** The account that sees the mail in its list. */
  accountSeq?: number | undefined;
  /** The mail is for creating an account. */
  isSignUp?: boolean | undefined;
}

/** Sites with sign-in by mail: the console, or all portals. */
interface SignInSites {
  /** The kind of their mail in the queue. */
  mailKind: string;
  /** Returns undefined if the address may not sign in: then no mail is sent. */
  recipientOf(transaction: WriteTransaction, mailbox: string, audience: string): Promise<Recipient | undefined>;
}

/**
 * Sign-in by mail: a link that works in any browser, and a code that works in the browser where sign-in was started.
 * Starting does the same work for every address; whether it is known is decided later, when the mail is written.
 */
export class MailSignIns {
  constructor(
    private readonly sites: SignInSites,
    private readonly queue: MailQueue,
  ) {
    queue.register(sites.mailKind, (transaction, mail) => this.#compose(transaction, mail.subject_id));
  }

  /** Whether mail can be sent at all. */
  get isEnabled(): boolean {
    return this.queue.isEnabled;
  }

  /**
   * Returns the secret for the browser's cookie. `audience` is the name of the site in storage, which separates sign-ins.
   * `path` is the page of the site on which it was started. Throws if there were too many lately.
   */
  async start(
    transaction: WriteTransaction,
    audience: string,
    email: string,
    { ip = "", now }: { ip?: string | undefined; now: number },
    path?: string,
  ) {
    if (!this.queue.isEnabled) throw new Problem("mail_not_configured");
    const { mailKind } = this.sites;
    const mailbox = emailKey(email);
    const group = addressGroup(ip);
    // Always in this order.
    await transaction.lock(`sign-in ${mailbox}`);
    await transaction.lock(`sign-in from ${group}`);
    const since = now - validMilliseconds;
    const earlier = [
      await store.earlierOfMailbox(transaction, audience, mailbox, since, maxPerMailbox),
      await store.earlierOfBoth(transaction, { audience, mailbox, group }, since, maxPerMailboxAndAddress),
      await store.earlierOfAddress(transaction, group, since, maxPerAddress),
    ].flatMap((row) => row?.created_on ?? []);
    if (earlier.length > 0) {
      const retryOn = Math.max(...earlier) + validMilliseconds;
      throw new Problem("too_many_sign_ins", { retryAfterSeconds: Math.ceil((retryOn - now) / 1000) });
    }
    const browser = generateSecret("tgb");
    const id = newId("sign", now);
    const expiresOn = now + validMilliseconds;
    await transaction.insert("sign_ins", {
      id,
      audience,
      email_key: mailbox,
      address_group: group,
      browser_hash: secretHash(browser),
      path: path ?? null,
      link_hash: null,
      code_hash: null,
      attempts: 0,
      used_on: null,
      created_on: now,
      expires_on: expiresOn,
    });
    await this.queue.add(transaction, { kind: mailKind, recipient: email, subjectId: id, expiresOn }, now);
    return { browser, expiresOn };
  }

  /**
   * Returns the address that a code signs in, once. Returns undefined for a wrong code, and counts the attempt: the
   * caller must let the transaction commit.
   */
  async useCode(
    transaction: WriteTransaction,
    audience: string,
    browser: string | undefined,
    code: string,
    now: number,
  ): Promise<string | undefined> {
    // Locked, so that concurrent attempts are counted one by one.
    const signIn =
      browser === undefined ? undefined : await lockRow(transaction, "sign_ins", { browser_hash: secretHash(browser) });
    if (!signIn || !isOpen(signIn, audience, now)) return undefined;
    const isRight = timingSafeEqual(codeHash(signIn, code), signIn.code_hash ?? noHash) && signIn.code_hash !== null;
    const attempts = signIn.attempts + 1;
    await transaction.update("sign_ins", signIn.seq, { attempts, ...(isRight ? { used_on: now } : {}) });
    return isRight ? signIn.email_key : undefined;
  }

  /**
   * Returns the address that a link signs in, once. Returns undefined for a link that is not valid. `path` is set in the
   * browser where sign-in was started only: otherwise anyone could choose the page that a person's mail leads to.
   */
  async useLink(
    transaction: WriteTransaction,
    audience: string,
    { secret, browser }: { secret: string; browser?: string | undefined },
    now: number,
  ): Promise<{ mailbox: string; path?: string | undefined } | undefined> {
    const signIn = await lockRow(transaction, "sign_ins", { link_hash: secretHash(secret) });
    if (!signIn || !isOpen(signIn, audience, now)) return undefined;
    await transaction.update("sign_ins", signIn.seq, { used_on: now });
    const isSameBrowser = browser !== undefined && secretHash(browser).equals(signIn.browser_hash);
    return { mailbox: signIn.email_key, path: isSameBrowser ? (signIn.path ?? undefined) : undefined };
  }

  async #compose(transaction: WriteTransaction, id: string) {
    const signIn = await findRow(transaction, "sign_ins", { id });
    if (!signIn || signIn.used_on !== null) return undefined;
    const recipient = await this.sites.recipientOf(transaction, signIn.email_key, signIn.audience);
    if (!recipient) return undefined;
    const link = generateSecret("tgl");
    const code = String(randomInt(100_000_000)).padStart(8, "0");
    const hashes = { link_hash: secretHash(link), code_hash: codeHash(signIn, code) };
    await transaction.update("sign_ins", signIn.seq, hashes);
    const { fromName, linkPage, isSignUp = false, personSeq, accountSeq } = recipient;
    const action = isSignUp ? "Create an account at" : "Sign in to";
    const mail = composed(fromName, {
      subject: `${action} ${fromName}`,
      lines: [`${action} ${fromName} with this link:`],
      link: { label: isSignUp ? "Create an account" : "Sign in", url: `${linkPage}#${link}` },
      code,
      notes: ["Both work once, for 15 minutes. If you did not ask for this mail, ignore it."],
    });
    return { ...mail, personSeq, accountSeq };
  }
}

const noHash = Buffer.alloc(32);

function isOpen(signIn: RowOf<"sign_ins">, audience: string, now: number): boolean {
  const { used_on, attempts, expires_on } = signIn;
  return signIn.audience === audience && used_on === null && attempts < maxAttempts && now < expires_on;
}

/** The id is part of the hash, so that equal codes have different hashes. */
function codeHash({ id }: { id: string }, code: string): Buffer {
  return secretHash(`${id} ${code}`);
}

export function removeOldSignIns(storage: Storage, now: number, signal?: AbortSignal): Promise<void> {
  return removeRows(storage, "sign_ins", "expires_on < ? ORDER BY seq", [now - validMilliseconds], { signal });
}
