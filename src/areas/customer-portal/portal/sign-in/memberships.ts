import type { Act } from "../../../../core/access.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { ConsumerReference } from "../../../api-keys/consumer-addresses/consumer-address.ts";
import {
  acceptInvite,
  identifyManager,
  invitesOfMailbox,
  type Manager,
  managersOfMailbox,
  managersOfSubject,
} from "../../../api-keys/consumer-managers/managers.ts";
import type { PortalPerson } from "../sessions/portal-sessions.ts";
import type { PortalSettings } from "../settings/present.ts";

/** A manager or an invite of a person. */
export interface PortalMembership {
  /** The id of the manager or of the invite. */
  id: string;
  consumer: ConsumerReference;
  enter(transaction: WriteTransaction, act: Act): Promise<Manager>;
}

/** The name of a person in the audit log who is not a manager yet. */
const personNameOf = ({ mailbox, identity }: PortalPerson): string => mailbox ?? identity?.subject ?? "";

/** The act of a person who is not signed in yet. */
export function actOfPerson<Given extends Omit<Act, "account">>(act: Given, person: PortalPerson) {
  const name = personNameOf(person);
  return { ...act, actor: name, actorType: "manager" as const, actorName: name };
}

/** The `sub` of a new manager. A person who signs in by mail has none of an identity provider. */
export const subOf = ({ identity }: PortalPerson): { sub: string; issuer?: string } =>
  identity ? { sub: identity.subject, issuer: identity.issuer } : { sub: `mail|${crypto.randomUUID()}` };

/** The consumers that a person manages or is invited to. */
export async function portalMembershipsOf(
  reads: Reads,
  bucketSeq: number,
  person: PortalPerson,
  now: number,
): Promise<PortalMembership[]> {
  const { mailbox, identity } = person;
  const found = new Map<number, PortalMembership>();
  const add = (id: string, consumer: ConsumerReference, enter: PortalMembership["enter"]) => {
    if (!found.has(consumer.seq)) found.set(consumer.seq, { id, consumer, enter });
  };
  if (identity)
    for (const { row, consumer } of await managersOfSubject(reads, bucketSeq, identity))
      add(row.id, consumer, async () => row);
  if (mailbox === undefined) return [...found.values()];
  for (const { row, consumer } of await managersOfMailbox(reads, bucketSeq, mailbox)) {
    if (!identity) add(row.id, consumer, async () => row);
    // Otherwise the provider has given the address to another person.
    else if (row.issuer !== identity.issuer)
      add(row.id, consumer, (transaction, act) =>
        identifyManager(transaction, act, consumer, row, { ...identity, email: undefined }),
      );
  }
  for (const { row, consumer } of await invitesOfMailbox(reads, bucketSeq, mailbox, now))
    add(row.id, consumer, (transaction, act) => acceptInvite(transaction, act, consumer, row.id, subOf(person)));
  return [...found.values()];
}

/**
 * Follows what the identity provider says about a person who is a manager: their `sub` is confirmed, and their address
 * becomes the verified one, unless another manager has that.
 */
export async function followProvider(
  transaction: WriteTransaction,
  act: Act,
  bucketSeq: number,
  { mailbox, identity }: PortalPerson,
): Promise<void> {
  if (!identity) return;
  const holders = mailbox === undefined ? [] : await managersOfMailbox(transaction, bucketSeq, mailbox);
  const isFree = holders.every(({ row }) => row.sub === identity.subject);
  for (const { row, consumer } of await managersOfSubject(transaction, bucketSeq, identity)) {
    const email = isFree && row.email_key !== mailbox ? mailbox : undefined;
    await identifyManager(transaction, act, consumer, row, { ...identity, email });
  }
}

/** How a person without an account may get one. Undefined: not at all. */
type SignUpMode = "open" | "approval";

export function signUpModeOf(
  { signUp, allowedDomains = [] }: Pick<PortalSettings, "signUp" | "allowedDomains">,
  mailbox: string,
): SignUpMode | undefined {
  if (signUp === "open" || signUp === "approval") return signUp;
  if (signUp !== "domains") return undefined;
  const domain = mailbox.slice(mailbox.lastIndexOf("@") + 1);
  return allowedDomains.includes(domain) ? "open" : undefined;
}
