import { type Act, environmentTypes } from "../../../core/access.ts";
import type { ChangedResource } from "../../../core/changes/details.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { existing, invalid, Problem } from "../../../core/problems/problem.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import { findRow, lockRow, pageOfRows } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { deleteExchangedTokens } from "../accounts/exchanged.ts";
import { environmentsOf, presentTrustedIssuer } from "./present.ts";
import type { TrustedIssuerChanges, TrustedIssuerInput } from "./schema.ts";
import type { TrustedIssuerRow } from "./store.ts";

type TrustedIssuer = TrustedIssuerRow;

const maxIssuers = 100;

/** The audience of an account: `<public URL>/v1/accounts/<account>`. */
export type AudienceOf = (accountName: string) => string;

/** The providers whose tokens an account accepts in exchange for its own. */
export class TrustedIssuers {
  constructor(private readonly audienceOf: AudienceOf) {}

  list(reads: Reads, accountSeq: number, paging: Paging) {
    return pageOfRows(reads, "trusted_issuers", { account_seq: accountSeq }, paging);
  }

  find(reads: Reads, accountSeq: number, id: string): Promise<TrustedIssuer> {
    return existing(findRow(reads, "trusted_issuers", { account_seq: accountSeq, id }), "trusted issuer");
  }

  async create(transaction: WriteTransaction, act: Act, input: TrustedIssuerInput): Promise<TrustedIssuer> {
    const accountSeq = act.account.seq;
    await transaction.lock(`trusted issuers ${accountSeq}`);
    const { total } = await this.list(transaction, accountSeq, { limit: 1, offset: 0 });
    if (total >= maxIssuers) throw new Problem("too_many_trusted_issuers");
    const row = {
      id: newId("trst", act.now),
      account_seq: accountSeq,
      issuer: input.issuer,
      audience: input.audience ?? null,
      subject: input.subject,
      claims: input.claims ? JSON.stringify(input.claims) : null,
      role: input.role,
      project: input.project ?? null,
      environments: JSON.stringify(input.environments),
      branch_claim: input.branchClaim ?? null,
      version: 1,
      created_on: act.now,
      updated_on: act.now,
    };
    this.#check(act, row);
    const created = { seq: await transaction.insert("trusted_issuers", row), ...row };
    recordChange(transaction, act, "trusted-issuer.created", this.#resourceOf(act, undefined, created));
    return created;
  }

  /** The tokens that it issued before stop working, because they have the access from before. */
  async update(
    transaction: WriteTransaction,
    act: Act,
    id: string,
    changes: TrustedIssuerChanges,
    precondition: Precondition,
  ): Promise<TrustedIssuer> {
    const before = await lockIssuer(transaction, act, id);
    precondition(before);
    const { audience, subject, claims, role, project, environments, branchClaim } = changes;
    const wanted = {
      ...before,
      ...(audience !== undefined && { audience }),
      ...(subject !== undefined && { subject }),
      ...(claims !== undefined && { claims: claims && JSON.stringify(claims) }),
      ...(role !== undefined && { role }),
      ...(project !== undefined && { project }),
      ...(environments !== undefined && { environments: JSON.stringify(environments) }),
      ...(branchClaim !== undefined && { branch_claim: branchClaim }),
    };
    if (Bun.deepEquals(wanted, before)) return before;
    this.#check(act, wanted);
    const updated = { ...wanted, version: before.version + 1, updated_on: act.now };
    const { seq, ...values } = updated;
    await transaction.update("trusted_issuers", seq, values);
    await deleteExchangedTokens(transaction, act, before.seq);
    recordChange(transaction, act, "trusted-issuer.updated", this.#resourceOf(act, before, updated));
    return updated;
  }

  /** The tokens that it issued stop working immediately. */
  async delete(transaction: WriteTransaction, act: Act, id: string, precondition: Precondition): Promise<void> {
    const before = await lockIssuer(transaction, act, id);
    precondition(before);
    await deleteExchangedTokens(transaction, act, before.seq);
    await transaction.delete("trusted_issuers", before.seq);
    recordChange(transaction, act, "trusted-issuer.deleted", this.#resourceOf(act, before, undefined));
  }

  present(row: TrustedIssuer, accountName: string) {
    return presentTrustedIssuer(row, this.audienceOf(accountName));
  }

  #check({ account }: Act, row: Omit<TrustedIssuer, "seq">): void {
    // A token for another account must not be accepted here: its holder would send a project to the wrong account.
    const own = this.audienceOf(account.name);
    const prefix = this.audienceOf("");
    if (row.audience !== null && row.audience !== own && row.audience.startsWith(prefix))
      throw invalid("/audience", "is the audience of another account");
    if (row.role === "editor" || row.role === "reader") return;
    if (row.project !== null) throw invalid("/project", "limits only editor and reader");
    if (row.branch_claim !== null) throw invalid("/branchClaim", "limits only editor and reader");
    const environments = environmentsOf(row as TrustedIssuer);
    if (!environmentTypes.every((type) => environments.includes(type)))
      throw invalid("/environments", "limits only editor and reader; name both for other roles");
  }

  #resourceOf(act: Act, before: TrustedIssuer | undefined, after: TrustedIssuer | undefined): ChangedResource {
    const { id, subject } = (after ?? before)!;
    const present = (row: TrustedIssuer | undefined) => row && this.present(row, act.account.name);
    return { type: "trusted-issuer", id, name: subject.slice(0, 128), before: present(before), after: present(after) };
  }
}

function lockIssuer(transaction: WriteTransaction, { account }: Act, id: string): Promise<TrustedIssuer> {
  return existing(lockRow(transaction, "trusted_issuers", { account_seq: account.seq, id }), "trusted issuer");
}
