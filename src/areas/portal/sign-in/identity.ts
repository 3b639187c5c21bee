import type { Act } from "../../../core/access.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ConsumerReference } from "../../buckets/consumer-address.ts";
import {
  acceptInvite,
  invitesOfMailbox,
  type Manager,
  managersOfPerson,
  updateManager,
} from "../../managers/managers.ts";

/** A person as they have proven to be: the reader of a mailbox, or a user of the portal's identity provider. */
export interface Identity {
  /** In lower case. With `sub`, only if the provider has verified it. */
  mailbox: string | null;
  sub: string | null;
}

/** A manager or an invite of the person. */
export interface Membership {
  /** Of the manager or the invite. */
  id: string;
  consumer: ConsumerReference;
  enter(transaction: WriteTransaction, act: Act): Promise<Manager>;
}

/** Managers who joined by mail have no `sub` of a provider. This prefix marks them. */
const ownPrefix = "mail|";

export const identityText = ({ mailbox, sub }: Identity): string => sub ?? mailbox!;

/** The act of a person who is not signed in yet. */
export function actOfIdentity<Given extends Omit<Act, "account">>(act: Given, identity: Identity) {
  const id = identityText(identity);
  return { ...act, actor: id, actorType: "manager" as const, actorName: identity.mailbox ?? undefined };
}

/** The `sub` of a person who becomes a manager. */
export const newSub = ({ sub }: Identity): string => sub ?? `${ownPrefix}${crypto.randomUUID()}`;

/** The consumers that a person manages or is invited to. */
export async function membershipsOf(
  reads: Reads,
  bucketSeq: number,
  identity: Identity,
  now: number,
): Promise<Membership[]> {
  const { mailbox, sub } = identity;
  const bySub = sub === null ? [] : await managersOfPerson(reads, bucketSeq, { by: "sub", value: sub });
  const byMail = mailbox === null ? [] : await managersOfPerson(reads, bucketSeq, { by: "email_key", value: mailbox });
  // A provider's user is a manager with the same address only if that one was never bound to a provider's user.
  const others = sub === null ? byMail : byMail.filter(({ row }) => row.sub.startsWith(ownPrefix));
  const found = new Map<number, Membership>();
  for (const { row, consumer } of [...bySub, ...others])
    if (!found.has(consumer.seq)) found.set(consumer.seq, ofManager(row, consumer, sub));
  for (const { row, consumer } of mailbox === null ? [] : await invitesOfMailbox(reads, bucketSeq, mailbox, now))
    if (!found.has(consumer.seq))
      found.set(consumer.seq, {
        id: row.id,
        consumer,
        enter: (transaction, act) => acceptInvite(transaction, act, consumer, row.id, newSub(identity)),
      });
  return [...found.values()];
}

function ofManager(row: Manager, consumer: ConsumerReference, sub: string | null): Membership {
  return {
    id: row.id,
    consumer,
    enter: async (transaction, act) =>
      sub === null || row.sub === sub
        ? row
        : updateManager(transaction, act, consumer, row.id, { sub }, () => undefined),
  };
}
