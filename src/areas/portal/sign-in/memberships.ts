import type { Act } from "../../../core/access.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { ConsumerReference } from "../../buckets/consumer-address.ts";
import { acceptInvite, invitesOfMailbox, type Manager, managersOfMailbox } from "../../managers/managers.ts";

/** A manager or an invite of a person, who has proven that a mailbox is theirs. */
export interface Membership {
  /** Of the manager or the invite. */
  id: string;
  consumer: ConsumerReference;
  enter(transaction: WriteTransaction, act: Act): Promise<Manager>;
}

/** The act of a person who is not signed in yet. */
export function actOfMailbox<Given extends Omit<Act, "account">>(act: Given, mailbox: string) {
  return { ...act, actor: mailbox, actorType: "manager" as const, actorName: mailbox };
}

/** The `sub` of a person who becomes a manager by mail: no identity provider has given them one. */
export const newSub = (): string => `mail|${crypto.randomUUID()}`;

/** The consumers that a person manages or is invited to. The mailbox is in lower case. */
export async function membershipsOf(
  reads: Reads,
  bucketSeq: number,
  mailbox: string,
  now: number,
): Promise<Membership[]> {
  const found = new Map<number, Membership>();
  for (const { row, consumer } of await managersOfMailbox(reads, bucketSeq, mailbox))
    if (!found.has(consumer.seq)) found.set(consumer.seq, { id: row.id, consumer, enter: async () => row });
  for (const { row, consumer } of await invitesOfMailbox(reads, bucketSeq, mailbox, now))
    if (!found.has(consumer.seq))
      found.set(consumer.seq, {
        id: row.id,
        consumer,
        enter: (transaction, act) => acceptInvite(transaction, act, consumer, row.id, newSub()),
      });
  return [...found.values()];
}
