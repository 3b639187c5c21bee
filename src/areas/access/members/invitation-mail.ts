import type { Clock } from "../../../lib/time/clock.ts";
import type { Compose } from "../../common/mail/mail-queue.ts";
import { composed } from "../../common/mail/message.ts";
import { findOpenInvitation, newInvitationSecret } from "./members.ts";

export const invitationMailKind = "invitation";

interface InvitationMailOptions {
  clock: Clock;
  linkOf(secret: string): string;
  accountName(seq: number): Promise<string | undefined>;
}

/** Writes the mail of an invitation, which belongs to an account. */
export function invitationMail({ clock, linkOf, accountName }: InvitationMailOptions): Compose {
  return async (transaction, mail) => {
    const accountSeq = mail.account_seq!;
    const member = await findOpenInvitation(transaction, accountSeq, mail.subject_id, clock.now());
    const account = await accountName(accountSeq);
    if (!member || account === undefined) return undefined;
    const url = linkOf(await newInvitationSecret(transaction, member));
    return composed(account, {
      subject: `Join ${account}`,
      lines: [`You are invited to ${account}, with the role ${member.role}.`],
      link: { label: "Accept the invitation", url },
      notes: ["The link works once, for 7 days. If you did not expect this mail, ignore it."],
    });
  };
}
