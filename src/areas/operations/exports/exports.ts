import { accessSync, constants, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import type { z } from "zod";
import type { Act } from "../../../core/access.ts";
import { recordChange } from "../../../core/changes/record.ts";
import { existing, invalid, Problem, rejectingTaken } from "../../../core/problems/problem.ts";
import { type Keyring, MissingKey } from "../../../lib/crypto/keyring.ts";
import type { Precondition } from "../../../lib/http/etag.ts";
import { newId } from "../../../lib/ids.ts";
import type { Paging } from "../../../lib/paging.ts";
import { type EgressMode, isRejectedLiteral } from "../../../platform/egress/addresses.ts";
import { findRow, lockRow, pageOfRows } from "../../../platform/storage/rows.ts";
import type { Reads, WriteTransaction } from "../../../platform/storage/storage.ts";
import { hourMilliseconds, hourOf, type KeptDays, keptSince } from "./hours.ts";
import { presentExport } from "./present.ts";
import { type backfillInput, type ExportInput, type ExportKind, type ExportPatch, folderOf } from "./schema.ts";
import type { ExportRow } from "./store.ts";

export type Export = ExportRow;

const maxExports = 20;
/** The first hour may be this far in the past: further than anything is kept. */
const maxBackfillMilliseconds = 20 * 366 * 24 * 3_600_000;
const sealPurpose = "export-credential";

export interface ExportCredential {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

interface ExportOptions {
  keyring: Keyring;
  egress: EgressMode;
  /** The folder below which `file:` is possible. */
  directory: string | undefined;
  keptDays: KeptDays;
}

/** The destinations to which an account's closed hours are written. */
export class Exports {
  constructor(private readonly options: ExportOptions) {}

  list(reads: Reads, accountSeq: number, paging: Paging) {
    return pageOfRows(reads, "exports", { account_seq: accountSeq }, paging);
  }

  find(reads: Reads, accountSeq: number, name: string): Promise<Export> {
    return existing(findRow(reads, "exports", { account_seq: accountSeq, name }), "export");
  }

  async create(transaction: WriteTransaction, act: Act, input: ExportInput): Promise<Export> {
    const { to, from = act.now } = input;
    this.#checkDestination(to, act.account.name);
    checkFrom(from, act.now);
    const accountSeq = act.account.seq;
    await transaction.lock(`exports of ${act.account.id}`);
    const { total } = await this.list(transaction, accountSeq, { limit: 1, offset: 0 });
    if (total >= maxExports) throw new Problem("too_many_exports");
    const row = {
      id: newId("expt", act.now),
      account_seq: accountSeq,
      name: input.name,
      url: to.url,
      endpoint: to.endpoint ?? null,
      region: to.region ?? null,
      ...this.#credentialValues(to.credential),
      kinds: JSON.stringify(input.kinds),
      format: input.format,
      is_enabled: input.isEnabled === false ? 0 : 1,
      first_hour: hourOf(from),
      next_hour: hourOf(from),
      backfill_from: null,
      backfill_next: null,
      backfill_to: null,
      written_on: null,
      last_error: null,
      failing_since: null,
      failures: 0,
      attempt_on: null,
      lease: null,
      leased_until: null,
      version: 1,
      created_on: act.now,
      updated_on: act.now,
    };
    const created = { seq: await rejectingTaken("export_exists", transaction.insert("exports", row)), ...row };
    record(transaction, act, "export.created", undefined, created);
    return created;
  }

  /** A changed export is tried again at once. */
  async update(
    transaction: WriteTransaction,
    act: Act,
    name: string,
    { isEnabled, credential }: ExportPatch,
    precondition: Precondition,
  ): Promise<Export> {
    const before = await lockExport(transaction, act, name);
    precondition(before);
    if (credential && before.url.startsWith("file:")) throw invalid("/credential", "is only for s3://");
    const isSame = isEnabled === undefined || isEnabled === (before.is_enabled === 1);
    if (isSame && credential === undefined) return before;
    const changed = {
      ...(isEnabled !== undefined && { is_enabled: Number(isEnabled) }),
      ...(credential && this.#credentialValues(credential)),
      attempt_on: null,
      version: before.version + 1,
      updated_on: act.now,
    };
    await transaction.update("exports", before.seq, changed);
    const after = { ...before, ...changed };
    record(transaction, act, "export.updated", before, after, credential && ["/credential"]);
    return after;
  }

  /**
   * Writes earlier hours too, up to the first hour of the export, or hours again that were written, up to the next hour.
   * @param to where it ends instead
   */
  async backfill(
    transaction: WriteTransaction,
    act: Act,
    name: string,
    { from, to }: z.output<typeof backfillInput>,
  ): Promise<Export> {
    const before = await lockExport(transaction, act, name);
    checkFrom(from, act.now);
    if (before.backfill_next !== null) throw new Problem("backfill_in_progress");
    const { first_hour: first, next_hour: next } = before;
    const hour = hourOf(from);
    if (hour >= Math.max(first, next)) throw invalid("/from", "must be before the next hour of the export");
    // Hours that begin before the end belong to it.
    const end = to === undefined ? (hour < first ? first : next) : hourOf(to + hourMilliseconds - 1);
    if (end <= hour) throw invalid("/to", "must be after from");
    if (end > next) throw invalid("/to", "must not be after the next hour of the export");
    if (end < first) throw invalid("/to", "must not be before the first hour of the export");
    const again = Math.max(hour, first);
    if (end > again && again < this.keptSince(before, act.now))
      throw invalid("/from", "must be an hour whose data is still kept, because it is written again");
    const changed = {
      ...{ backfill_from: hour, backfill_next: hour, backfill_to: end },
      ...{ version: before.version + 1, updated_on: act.now },
    };
    await transaction.update("exports", before.seq, changed);
    const after = { ...before, ...changed };
    record(transaction, act, "export.updated", before, after);
    return after;
  }

  /** The first hour that can be written again. */
  keptSince({ kinds }: Pick<Export, "kinds">, now: number): number {
    return keptSince(JSON.parse(kinds) as ExportKind[], this.options.keptDays, now);
  }

  async delete(transaction: WriteTransaction, act: Act, name: string, precondition: Precondition): Promise<void> {
    const before = await lockExport(transaction, act, name);
    precondition(before);
    await transaction.delete("exports", before.seq);
    record(transaction, act, "export.deleted", before, undefined);
  }

  /** Throws a MissingKey. */
  credentialOf({ credential, access_key_id }: Export): ExportCredential | undefined {
    if (credential === null || access_key_id === null) return undefined;
    return { accessKeyId: access_key_id, ...JSON.parse(this.options.keyring.open(credential, sealPurpose)) };
  }

  /** The secret access key. Undefined if it has a session token, or if its encryption key is missing. */
  secretOf(row: Export): string | undefined {
    try {
      const credential = this.credentialOf(row);
      return credential?.sessionToken === undefined ? credential?.secretAccessKey : undefined;
    } catch (error) {
      if (error instanceof MissingKey) return undefined;
      throw error;
    }
  }

  #credentialValues(credential: ExportCredential | undefined) {
    if (!credential) return { credential: null, access_key_id: null };
    const { accessKeyId, ...secrets } = credential;
    return {
      credential: this.options.keyring.seal(JSON.stringify(secrets), sealPurpose),
      access_key_id: accessKeyId,
    };
  }

  #checkDestination({ url, endpoint, region, credential }: ExportInput["to"], accountName: string): void {
    if (url.startsWith("file:")) {
      const { directory } = this.options;
      if (directory === undefined) throw invalid("/to/url", "file: is not possible: TOLLGATE_EXPORT_DIR is not set");
      if (!isIn(join(directory, accountName), folderOf(url)))
        throw invalid("/to/url", `must be the folder ${accountName} of TOLLGATE_EXPORT_DIR, or below it`);
      for (const [name, value] of Object.entries({ endpoint, region, credential }))
        if (value !== undefined) throw invalid(`/to/${name}`, "is only for s3://");
      const error = folderError(folderOf(url));
      if (error !== undefined) throw invalid("/to/url", `cannot be written: ${error}`);
      return;
    }
    if (!credential) throw invalid("/to/credential", "is required for s3://");
    if (endpoint !== undefined && isRejectedLiteral(this.options.egress, endpoint))
      throw invalid("/to/endpoint", "is an address that this server may not reach");
  }
}

/** Accounts must not write into the folders of others, so each has the one of its name. */
function isIn(place: string, folder: string): boolean {
  return !relative(place, folder).startsWith("..");
}

function checkFrom(from: number, now: number): void {
  if (from > now) throw invalid("/from", "must not be in the future");
  if (from < now - maxBackfillMilliseconds) throw invalid("/from", "must be within the last 20 years");
}

function lockExport(transaction: WriteTransaction, { account }: Act, name: string): Promise<Export> {
  return existing(lockRow(transaction, "exports", { account_seq: account.seq, name }), "export");
}

export function record(
  transaction: WriteTransaction,
  act: Act,
  kind: "export.created" | "export.updated" | "export.deleted" | "export.failed",
  before: Export | undefined,
  after: Export | undefined,
  changed?: string[],
): void {
  const { id, name } = (after ?? before)!;
  const present = (row: Export | undefined) => row && presentExport(row, act.now);
  recordChange(transaction, act, kind, {
    type: "export",
    id,
    name,
    before: present(before),
    after: present(after),
    ...(changed && { changed }),
  });
}

/**
 * Why this server cannot write to a folder, or undefined. One that does not exist is created with the first hour, so the
 * folder in which that happens counts. Nothing is created here.
 */
function folderError(folder: string): string | undefined {
  for (let place = folder; ; place = dirname(place)) {
    try {
      if (!statSync(place).isDirectory()) return `${place} is not a folder`;
      accessSync(place, constants.W_OK | constants.X_OK);
      return undefined;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== "ENOENT" && code !== "ENOTDIR") || place === "/") return `${place} is not writable (${code})`;
    }
  }
}
