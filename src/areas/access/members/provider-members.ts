import type { AccountReference, Act, MemberRole } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { newId } from "../../../lib/ids.ts";
import { emailKey } from "../../../lib/text/email.ts";
import { findRow } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import {
  activeMemberships,
  isLastAdmin,
  lockMembers,
  membershipOf,
  openInvitations,
  type Person,
  personActOf,
  personData,
  recordSignIn,
  resourceOf,
} from "./members.ts";
import * as store from "./store.ts";

/** Why a person of the provider may not sign in. */
type ProviderRejection = "address_unverified" | "address_taken" | "no_access";

export class SignInRejected extends Error {
  constructor(readonly reason: ProviderRejection) {
    super(reason);
  }
}

/** What the provider says about a person. */
export interface ProviderIdentity {
  issuer: string;
  subject: string;
  email: string | undefined;
  isVerified: boolean;
  name: string | undefined;
  /** Roles by the name of the account. Undefined if roles do not come from the provider. */
  roles: Map<string, MemberRole> | undefined;
}

interface ProviderMemberOptions {
  findAccount(reads: Reads, name: string): Promise<AccountReference | undefined>;
  /** Called if the claim would take the role of an account's last active admin, who keeps it. */
  onAdminKept(kept: { person: string; account: string }): void;
}

/**
 * The person of an identity at the provider, with the accounts that they are a member of after this sign-in. Follows
 * the provider's roles and address. Returns undefined for a person without an account or an invitation: the transaction must
 * commit. Throws `SignInRejected`.
 */
export async function joinByProvider(
  transaction: WriteTransaction,
  act: Omit<Act, "account">,
  identity: ProviderIdentity,
  options: ProviderMemberOptions,
) {
  await transaction.lock(`identity ${identity.issuer} ${identity.subject}`);
  if (identity.email !== undefined) await transaction.lock(`person ${emailKey(identity.email)}`);
  const person = await personOf(transaction, act, identity);
  const by = personActOf(act, person);
  if (identity.roles) await followRoles(transaction, by, person, identity, options);
  const memberships = await activeMemberships(transaction, person.seq);
  // Not thrown: roles that the claim no longer grants must end.
  if (memberships.length === 0 && (await openInvitations(transaction, person.seq, act.now)).length === 0)
    return undefined;
  await recordSignIn(transaction, person, act.now);
  return { person, memberships };
}

async function personOf(
  transaction: WriteTransaction,
  act: Omit<Act, "account">,
  identity: ProviderIdentity,
): Promise<Person> {
  const { issuer, subject, email, isVerified } = identity;
  const key = email === undefined ? undefined : emailKey(email);
  const holder = key === undefined ? undefined : await findRow(transaction, "people", { email_key: key });
  const known = await findRow(transaction, "people", { issuer, subject });
  if (known) {
    const hasMoved = key !== undefined && isVerified && known.email_key !== key && !holder;
    return hasMoved ? moveAddress(transaction, act, known, email!) : known;
  }
  if (holder) {
    if (!isVerified) throw new SignInRejected("address_unverified");
    // The provider has given the address to another person. A person of a former provider is linked to this one.
    if (holder.issuer === issuer) throw new SignInRejected("address_taken");
    await transaction.update("people", holder.seq, { issuer, subject, updated_on: act.now });
    return { ...holder, issuer, subject };
  }
  if (!identity.roles?.size) throw new SignInRejected("no_access");
  return store.insertPerson(transaction, {
    id: newId("prsn", act.now),
    email: email ?? subject,
    email_key: isVerified && key !== undefined ? key : null,
    issuer,
    subject,
    signed_in_on: null,
    created_on: act.now,
    updated_on: act.now,
  });
}

/** The provider has another address for the person: the old one no longer signs in. */
async function moveAddress(
  transaction: WriteTransaction,
  act: Omit<Act, "account">,
  person: Person,
  email: string,
): Promise<Person> {
  const rows = await store.membershipsOf(transaction, person.seq);
  const moved = { email, email_key: emailKey(email), updated_on: act.now };
  await transaction.update("people", person.seq, moved);
  for (const row of rows) {
    // An account learns nothing about a person who has not accepted its invitation.
    if (row.state === "invited") continue;
    const { account } = membershipOf(row);
    const changed = (await store.findMemberOf(transaction, account.seq, person.seq))!;
    recordChange(
      transaction,
      { ...personActOf(act, person), account },
      "member.updated",
      resourceOf(row, changed),
      personData(row),
    );
  }
  return { ...person, ...moved };
}

/**
 * Grants the roles of the claim, and ends those that an earlier claim granted. Removed members stay removed, and the last
 * active admin of an account stays one: a wrong claim must not leave an account without an admin.
 */
async function followRoles(
  transaction: WriteTransaction,
  act: Omit<Act, "account">,
  person: Person,
  { roles, name }: ProviderIdentity,
  { findAccount, onAdminKept }: ProviderMemberOptions,
): Promise<void> {
  for (const [accountName, role] of roles!) {
    const account = await findAccount(transaction, accountName);
    if (!account) continue;
    const membership = { account_seq: account.seq, person_seq: person.seq };
    if (await findRow(transaction, "removed_members", membership)) continue;
    await lockMembers(transaction, account.seq);
    const before = await store.findMemberOf(transaction, account.seq, person.seq);
    if (before?.role === role && before.source === "claim" && before.state === "active") continue;
    if (before && role !== "admin" && (await isLastAdmin(transaction, account.seq, before))) {
      onAdminKept({ person: person.id, account: account.name });
      continue;
    }
    const values = {
      role,
      projects: null,
      state: "active",
      source: "claim",
      invitation_hash: null,
      expires_on: null,
      updated_on: act.now,
    };
    if (before) await transaction.update("members", before.seq, { ...values, version: before.version + 1 });
    else {
      const invited = { invited_id: null, invited_email: null, invited_by: null };
      const member = { ...membership, name: name ?? null, created_on: act.now };
      await transaction.insert("members", { ...values, ...invited, ...member, version: 1 });
    }
    const after = (await store.findMemberOf(transaction, account.seq, person.seq))!;
    const kind = before ? "member.updated" : "member.joined";
    recordChange(transaction, { ...act, account }, kind, resourceOf(before, after), personData(after));
  }
  for (const row of await store.membershipsOf(transaction, person.seq)) {
    const { account } = membershipOf(row);
    if (row.source !== "claim" || roles!.has(account.name)) continue;
    await lockMembers(transaction, account.seq);
    if (await isLastAdmin(transaction, account.seq, row)) {
      onAdminKept({ person: person.id, account: account.name });
      continue;
    }
    await transaction.delete("members", row.seq);
    recordChange(transaction, { ...act, account }, "member.removed", resourceOf(row, undefined), personData(row));
  }
}
