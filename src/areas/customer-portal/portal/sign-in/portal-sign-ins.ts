import type { Act } from "../../../../core/access.ts";
import { Problem } from "../../../../core/problems/problem.ts";
import { generateSecret, secretHash } from "../../../../lib/crypto/secret-text.ts";
import type { HttpRequest } from "../../../../platform/http1/message/http-request.ts";
import type { Reads, WriteTransaction } from "../../../../platform/storage/storage.ts";
import type { Consumers } from "../../../api-keys/consumers/consumers.ts";
import { type PortalSite, portalAccountOf } from "../hosts/portal-hosts.ts";
import type { OpenedPortalSession, PortalPerson, PortalSession, PortalSessions } from "../sessions/portal-sessions.ts";
import { settingsOf } from "../settings/present.ts";
import { requestAccess } from "./access-requests.ts";
import { createCustomer } from "./customers.ts";
import { rejectRecentlyLeft } from "./former-customers.ts";
import { mailAccount } from "./mail.ts";
import {
  actOfPerson,
  followProvider,
  type PortalMembership,
  portalMembershipsOf,
  signUpModeOf,
} from "./memberships.ts";
import * as store from "./store.ts";

const proofMilliseconds = 15 * 60 * 1000;

interface SignInContext {
  request: HttpRequest;
  act: Omit<Act, "account">;
  site: PortalSite;
}

/** What follows when a person has proven who they are. */
export type PortalSignInOutcome =
  | { opened: OpenedPortalSession }
  | {
      proof: string;
      mailbox: string | undefined;
      customers?: { id: string; name: string }[];
      signUp?: "open" | "approval" | "pending" | "denied";
    };

interface SignedUp {
  opened: OpenedPortalSession;
  key: { id: string; value: string } | undefined;
}

/** How a person who has proven who they are enters a portal: as a manager, by choosing a customer, or by signing up. */
export class PortalSignIns {
  constructor(
    private readonly sessions: PortalSessions,
    private readonly consumers: Consumers,
  ) {}

  /**
   * Opens the session if there is one customer. Throws `no_portal_access` for a person who may not enter, and
   * `address_unverified` if the identity provider has not verified the address of a person without a customer.
   */
  async enter(
    transaction: WriteTransaction,
    context: SignInContext,
    person: PortalPerson,
  ): Promise<PortalSignInOutcome> {
    const { site, act } = context;
    const by = { ...actOfPerson(act, person), account: portalAccountOf(site) };
    await followProvider(transaction, by, site.bucket_seq, person);
    const memberships = await portalMembershipsOf(transaction, site.bucket_seq, person, act.now);
    const [only, ...more] = memberships;
    if (only && more.length === 0) return { opened: await this.#open(transaction, context, person, only) };
    const { mailbox } = person;
    if (only) {
      const customers = await namedCustomers(transaction, memberships);
      return { proof: await this.#issueProof(transaction, context, person), mailbox, customers };
    }
    const mode = signUpModeOf(settingsOf(site), provenMailbox(person));
    if (!mode) throw new Problem("no_portal_access");
    const proof = await this.#issueProof(transaction, context, person);
    const request = await store.accessRequestOf(transaction, site.seq, provenMailbox(person));
    const isUndecided = mode === "approval" && request && request.state !== "approved";
    return { proof, mailbox, signUp: isUndecided ? (request.state as "pending" | "denied") : mode };
  }

  async choose(transaction: WriteTransaction, context: SignInContext, proof: string, id: string) {
    const person = await this.#useProof(transaction, context, proof);
    return this.openAs(transaction, context, person, id);
  }

  /** Opens a session for one of the person's customers, by the id of the manager or the invite. */
  async openAs(transaction: WriteTransaction, context: SignInContext, person: PortalPerson, id: string) {
    const memberships = await portalMembershipsOf(transaction, context.site.bucket_seq, person, context.act.now);
    const chosen = memberships.find((each) => each.id === id);
    if (!chosen) throw new Problem("no_portal_access");
    return this.#open(transaction, context, person, chosen);
  }

  /** Creates an account, or requests one: then the result is undefined. */
  async signUp(
    transaction: WriteTransaction,
    context: SignInContext,
    { proof, label, note }: { proof: string; label: string | undefined; note: string | undefined },
  ): Promise<SignedUp | undefined> {
    const { site } = context;
    const person = await this.#useProof(transaction, context, proof);
    const mailbox = provenMailbox(person);
    // Two proofs of a person must not create two accounts.
    await transaction.lock(`portal sign-up ${site.id} ${mailbox}`);
    const [known] = await portalMembershipsOf(transaction, site.bucket_seq, person, context.act.now);
    if (known) return { opened: await this.#open(transaction, context, person, known), key: undefined };
    const mode = signUpModeOf(settingsOf(site), mailbox);
    if (!mode) throw new Problem("no_portal_access");
    const act = { ...actOfPerson(context.act, person), account: portalAccountOf(site) };
    if (mode === "approval") {
      await requestAccess(transaction, act, site, { mailbox, label, note });
      return undefined;
    }
    const isMetered = settingsOf(site).meteringBucket !== undefined;
    const isReturning =
      isMetered && (await rejectRecentlyLeft(transaction, { portalId: site.id, mailbox }, context.act.now));
    const customer = { mailbox, person, label, withKey: true, isReturning };
    const created = await createCustomer(transaction, act, this.consumers, site, customer);
    const about = { portalId: site.id, consumerId: created.consumer.id };
    await mailAccount(transaction, act, { kind: "welcome", recipient: mailbox, ...about });
    const manager = created.managers[0]!;
    const opened = await this.sessions.openForManager(transaction, context.request, act, site, { manager, ...person });
    const { id, key } = created.apiKeys[0]!;
    return { opened, key: { id, value: key! } };
  }

  /** The customers of the person of a session, to switch between. */
  async customersOf(reads: Reads, site: PortalSite, person: PortalPerson, now: number) {
    const memberships = await portalMembershipsOf(reads, site.bucket_seq, person, now);
    return namedCustomers(reads, memberships);
  }

  async #issueProof(transaction: WriteTransaction, { site, act }: SignInContext, { mailbox, identity }: PortalPerson) {
    const proof = generateSecret("tgpp");
    await transaction.insert("portal_proofs", {
      hash: secretHash(proof),
      portal_seq: site.seq,
      mailbox: mailbox ?? "",
      issuer: identity?.issuer ?? null,
      subject: identity?.subject ?? null,
      expires_on: act.now + proofMilliseconds,
    });
    return proof;
  }

  async #useProof(transaction: WriteTransaction, { site, act }: SignInContext, proof: string): Promise<PortalPerson> {
    const found = await store.findProofForUpdate(transaction, site.seq, secretHash(proof), act.now);
    if (!found) throw new Problem("proof_invalid");
    await transaction.delete("portal_proofs", found.seq);
    const { mailbox, issuer, subject } = found;
    const identity = issuer === null || subject === null ? undefined : { issuer, subject };
    return { mailbox: mailbox === "" ? undefined : mailbox, identity };
  }

  async #open(
    transaction: WriteTransaction,
    context: SignInContext,
    person: PortalPerson,
    membership: PortalMembership,
  ) {
    const { request, site } = context;
    const act = { ...actOfPerson(context.act, person), account: portalAccountOf(site) };
    const manager = await membership.enter(transaction, act);
    return this.sessions.openForManager(transaction, request, act, site, { manager, ...person });
  }
}

/** The person of a session. Undefined for a hand-off, which is for one customer. */
export function personOf({ manager_id, manager_sub, mailbox, issuer }: PortalSession): PortalPerson | undefined {
  if (manager_id === null) return undefined;
  const identity = issuer === null || manager_sub === null ? undefined : { issuer, subject: manager_sub };
  return { mailbox: mailbox ?? undefined, identity };
}

/** Customers are created only for an address that is proven: otherwise its owner would share the account later. */
function provenMailbox({ mailbox }: PortalPerson): string {
  if (mailbox === undefined) throw new Problem("address_unverified");
  return mailbox;
}

async function namedCustomers(reads: Reads, memberships: PortalMembership[]) {
  const seqs = memberships.map(({ consumer }) => consumer.seq);
  const displayNames = await store.displayNamesOf(reads, seqs);
  return memberships.map(({ id, consumer }) => ({
    id,
    consumerSeq: consumer.seq,
    name: displayNames.get(consumer.seq) ?? consumer.name,
  }));
}
