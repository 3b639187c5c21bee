import type { Act } from "../../../core/access.ts";
import { mailedNameError } from "../../../lib/text/shown-names.ts";
import type { WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Compose, MailQueue } from "../../common/mail/mail-queue.ts";
import { composed } from "../../common/mail/message.ts";
import { type LeakedKey, leakedKeys } from "../keys/leaks.ts";
import { managersOfConsumers } from "./managers.ts";

export const leakMailKind = "leaked-key";

/** The mail is of no use when the key was rolled long ago. */
const validMilliseconds = 3 * 24 * 60 * 60 * 1000;
const maxNamed = 10;

/** Queues a mail about leaked keys of a consumer to each of its managers with an address. */
export function leakMailer(mail: MailQueue) {
  return async (transaction: WriteTransaction, act: Act, consumerSeq: number, keyIds: string[]): Promise<void> => {
    if (!mail.isEnabled) return;
    const managers = (await managersOfConsumers(transaction, [consumerSeq])).get(consumerSeq) ?? [];
    const addresses = new Map(managers.flatMap(({ email, email_key }) => (email ? [[email_key, email] as const] : [])));
    for (const recipient of addresses.values()) {
      const subject = { kind: leakMailKind, recipient, subjectId: keyIds.join(" ") };
      const expiresOn = act.now + validMilliseconds;
      await mail.add(transaction, { ...subject, accountSeq: act.account.seq, expiresOn }, act.now);
    }
  };
}

interface LeakMailOptions {
  accountName(seq: number): Promise<string | undefined>;
  /** The address of the portal of a bucket, if it has one. */
  portalUrl(transaction: WriteTransaction, accountSeq: number, bucketName: string): Promise<string | undefined>;
}

/** Writes the mail about leaked keys. Their values are not in it. */
export function leakMail({ accountName, portalUrl }: LeakMailOptions): Compose {
  return async (transaction, mail) => {
    const keys = await leakedKeys(transaction, mail.account_seq!, mail.subject_id.split(" "));
    const account = await accountName(mail.account_seq!);
    const [first] = keys;
    if (!first || account === undefined) return undefined;
    const url = await portalUrl(transaction, mail.account_seq!, first.bucketName);
    const isOne = keys.length === 1;
    const more = keys.length > maxNamed ? [`And ${keys.length - maxNamed} more.`] : [];
    const works = keys.some(({ isEnabled }) => isEnabled);
    return composed(account, {
      subject: isOne
        ? `A key of ${first.consumerName} was reported as leaked`
        : `${keys.length} keys of ${first.consumerName} were reported as leaked`,
      lines: [...keys.slice(0, maxNamed).map(lineOf), ...more],
      ...(url !== undefined && { link: { label: "Open your keys", url } }),
      notes: [
        works
          ? "Anyone who finds it can use it. Create another key, use it instead, and delete this one."
          : "It is disabled. Create another key and use it instead.",
      ],
    });
  };
}

function lineOf({ masked, description, isEnabled, leak }: LeakedKey): string {
  const isNamed = description !== undefined && mailedNameError(description) === undefined;
  const name = isNamed ? `${masked} (${description})` : masked;
  const where = leak.url === undefined ? leak.source : `${leak.source}, ${leak.url}`;
  return `The key ${name} was found by ${where}. ${isEnabled ? "It still works." : "It has been disabled."}`;
}
