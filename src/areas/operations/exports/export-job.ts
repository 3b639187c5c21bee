import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Act } from "../../../core/access.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import { formatDateTime } from "../../../lib/time/time.ts";
import { type Egress, EgressDenied } from "../../../platform/egress/egress.ts";
import type { History } from "../../../platform/storage/history.ts";
import { lockRow } from "../../../platform/storage/rows.ts";
import type { Storage, WriteTransaction } from "../../../platform/storage/storage.ts";
import type { Log } from "../../../platform/telemetry/log.ts";
import type { ExportedRow } from "./columns.ts";
import { type ExportCredential, type Exports, record } from "./exports.ts";
import { encoders } from "./formats.ts";
import { closedOn, hourMilliseconds } from "./hours.ts";
import { exportDelaySeconds } from "./present.ts";
import type { PutObject } from "./put-object.ts";
import { rowsOfHour } from "./rows.ts";
import { s3Destination } from "./s3-upload.ts";
import { type ExportFormat, type ExportKind, folderOf } from "./schema.ts";
import type { ExportRow } from "./store.ts";
import * as store from "./store.ts";

/** Longer than a part of an object takes to write. The lease is renewed between parts, so an hour may take longer. */
const leaseMilliseconds = 300_000;
const renewMilliseconds = 60_000;
const firstRetryMilliseconds = 60_000;
const maxRetryMilliseconds = 3_600_000;
const maxErrorLength = 500;

interface ExportJobOptions {
  storage: Storage;
  history: History;
  exports: Exports;
  egress: Egress;
  directory: string | undefined;
  clock: Clock;
  log: Pick<Log, "warn">;
}

interface ExportDelay {
  account: string;
  name: string;
  seconds: number;
  isFailing: boolean;
}

/**
 * Writes closed hours. The names of an hour's objects are the same each time, and the position moves after the last one was
 * written: an hour that was interrupted, or is backfilled, is written again over what is there.
 */
export class ExportJob {
  readonly #node = randomUUID();
  #delays: ExportDelay[] = [];

  constructor(private readonly options: ExportJobOptions) {}

  /** As of the last run. */
  get delays(): readonly ExportDelay[] {
    return this.#delays;
  }

  async run(signal: AbortSignal): Promise<void> {
    const { storage, clock } = this.options;
    for (const row of await store.enabledExports(storage.reads)) {
      for (let isDone = false; !isDone && !signal.aborted; ) isDone = !(await this.#writeNext(row, signal));
    }
    const now = clock.now();
    this.#delays = (await store.enabledExports(storage.reads)).map((row) => ({
      account: row.account_name,
      name: row.name,
      seconds: exportDelaySeconds(row, now),
      isFailing: row.failing_since !== null,
    }));
  }

  /** Returns whether an hour was written, or left out. */
  async #writeNext(
    { seq, name, account_seq, account_id, account_name }: store.ExportOfAccount,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { storage, clock } = this.options;
    const claimed = await storage.write((transaction) => this.#claim(transaction, seq));
    if (!claimed) return false;
    const account = { seq: account_seq, id: account_id, name: account_name };
    const act: Act = { account, actor: "system", actorType: "system", now: clock.now() };
    try {
      if (this.#isWritable(claimed.row, claimed.hour))
        await this.#writeHour(claimed.row, claimed.hour, account_name, signal);
    } catch (error) {
      if (signal.aborted) {
        await this.#release(seq);
        return false;
      }
      await this.#fail({ seq, name }, act, error);
      return false;
    }
    return storage.write(async (transaction) => {
      const row = await lockRow(transaction, "exports", { seq });
      if (row?.lease !== this.#node) return false;
      await transaction.update("exports", seq, {
        ...advanced(row, claimed.hour),
        written_on: clock.now(),
        last_error: null,
        failing_since: null,
        failures: 0,
        attempt_on: null,
        lease: null,
        leased_until: null,
      });
      return true;
    });
  }

  async #claim(transaction: WriteTransaction, seq: number) {
    const now = this.options.clock.now();
    const row = await lockRow(transaction, "exports", { seq });
    if (row?.is_enabled !== 1 || (row.attempt_on ?? 0) > now || (row.leased_until ?? 0) > now) return undefined;
    const hour = closedOn(row.next_hour) <= now ? row.next_hour : row.backfill_next;
    if (hour === null) return undefined;
    await transaction.update("exports", seq, { lease: this.#node, leased_until: now + leaseMilliseconds });
    return { row, hour };
  }

  /** Data of an hour that was written may have been removed since the backfill began. */
  #isWritable(row: store.ExportRow, hour: number): boolean {
    const { exports, clock } = this.options;
    const isWritten = hour >= row.first_hour && hour < row.next_hour;
    return !isWritten || hour >= exports.keptSince(row, clock.now());
  }

  async #writeHour(row: store.ExportRow, hour: number, accountName: string, signal: AbortSignal): Promise<void> {
    const { history, exports, egress, directory } = this.options;
    const put = destinationOf(row, exports.credentialOf(row), { egress, directory });
    const format = row.format as ExportFormat;
    const read: History["read"] = (work) => history.read(work);
    const objects = [];
    for (const kind of JSON.parse(row.kinds) as ExportKind[]) {
      const path = `${kind}/${hourPath(hour)}/${accountName}.${row.name}.${format}`;
      const tally = new Tally();
      const rows = tally.countRows(rowsOfHour(read, kind, row.account_seq, hour));
      const pieces = this.#whileLeased(row.seq, encoders[format](kind, rows), signal);
      await put(path, tally.countBytes(pieces));
      objects.push({ kind, path, rows: tally.rows, bytes: tally.bytes, sha256: tally.sha256 });
    }
    // Written last: an hour with a manifest is complete.
    const range = { from: formatDateTime(hour), to: formatDateTime(hour + hourMilliseconds) };
    const manifest = { account: accountName, export: row.name, format, ...range, objects };
    const path = `manifests/${hourPath(hour)}/${accountName}.${row.name}.json`;
    await put(path, onePiece(`${JSON.stringify(manifest, null, 2)}\n`));
  }

  /** Renews the lease while pieces are written. Throws if another node has taken it, or when the server stops. */
  async *#whileLeased(seq: number, pieces: AsyncIterable<Uint8Array>, signal: AbortSignal) {
    const { storage, clock } = this.options;
    let renewOn = clock.now() + renewMilliseconds;
    for await (const piece of pieces) {
      signal.throwIfAborted();
      const now = clock.now();
      if (now >= renewOn) {
        await storage.write(async (transaction) => {
          const row = await lockRow(transaction, "exports", { seq });
          if (row?.lease !== this.#node) throw new Error("the export was deleted, or another node writes the hour");
          await transaction.update("exports", seq, { leased_until: now + leaseMilliseconds });
        });
        renewOn = now + renewMilliseconds;
      }
      yield piece;
    }
  }

  /** Releases the lease, so that another node can write the hour immediately. */
  async #release(seq: number): Promise<void> {
    await this.options.storage.write(async (transaction) => {
      const row = await lockRow(transaction, "exports", { seq });
      if (row?.lease === this.#node) await transaction.update("exports", seq, { lease: null, leased_until: null });
    });
  }

  async #fail({ seq, name }: { seq: number; name: string }, act: Act, error: unknown): Promise<void> {
    const { storage, clock, log } = this.options;
    const message = describe(error);
    log.warn("an export failed", { account: act.account.name, export: name, error: message });
    await storage.write(async (transaction) => {
      const row = await lockRow(transaction, "exports", { seq });
      if (row?.lease !== this.#node) return;
      const now = clock.now();
      const failed = {
        last_error: message,
        failing_since: row.failing_since ?? now,
        failures: row.failures + 1,
        attempt_on: now + Math.min(maxRetryMilliseconds, firstRetryMilliseconds * 2 ** Math.min(row.failures, 10)),
        lease: null,
        leased_until: null,
      };
      await transaction.update("exports", seq, failed);
      if (row.failing_since === null) record(transaction, act, "export.failed", row, { ...row, ...failed });
    });
  }
}

async function* onePiece(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** The position after an hour was written. */
function advanced(row: store.ExportRow, hour: number) {
  const next = hour + hourMilliseconds;
  if (hour === row.next_hour) return { next_hour: next };
  if (hour !== row.backfill_next) return {};
  if (next < (row.backfill_to ?? row.first_hour)) return { backfill_next: next };
  const first_hour = Math.min(row.first_hour, row.backfill_from!);
  return { first_hour, backfill_from: null, backfill_next: null, backfill_to: null };
}

/** Partitions as query engines expect them: `date=2026-01-31/hour=10`. */
function hourPath(hour: number): string {
  const text = formatDateTime(hour);
  return `date=${text.slice(0, 10)}/hour=${text.slice(11, 13)}`;
}

function describe(error: unknown): string {
  if (error instanceof EgressDenied) return "the address is one that this server may not reach (TOLLGATE_EGRESS)";
  const text = error instanceof Error ? error.message : String(error);
  return text.replaceAll("\0", "\uFFFD").toWellFormed().slice(0, maxErrorLength);
}

/** Counts the rows and bytes of an object while they are written. */
export class Tally {
  rows = 0;
  bytes = 0;
  readonly #hash = createHash("sha256");

  async *countRows(batches: AsyncIterable<ExportedRow[]>): AsyncGenerator<ExportedRow[]> {
    for await (const rows of batches) {
      this.rows += rows.length;
      yield rows;
    }
  }

  async *countBytes(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.bytes += piece.length;
      this.#hash.update(piece);
      yield piece;
    }
  }

  /** The hash of the bytes, when all of them were written. Read once. */
  get sha256(): string {
    return this.#hash.digest("hex");
  }
}

interface DestinationOptions {
  egress: Egress;
  directory: string | undefined;
}

export function destinationOf(
  row: ExportRow,
  credential: ExportCredential | undefined,
  { egress, directory }: DestinationOptions,
): PutObject {
  if (row.url.startsWith("file:")) return folderDestination(folderOf(row.url), directory);
  if (!credential) throw new Error("the credential is missing");
  return s3Destination(row, credential, egress);
}

function folderDestination(folder: string, directory: string | undefined): PutObject {
  // The setting may differ between nodes, or have changed.
  if (directory === undefined) throw new Error("TOLLGATE_EXPORT_DIR is not set on this node");
  if (relative(directory, folder).startsWith("..")) throw new Error("the folder is not below TOLLGATE_EXPORT_DIR");
  return async (path, pieces) => {
    const target = join(folder, path);
    const temporary = join(dirname(target), `.${crypto.randomUUID()}.tmp`);
    await withFolderError(folder, mkdir(dirname(target), { recursive: true }));
    try {
      const file = await withFolderError(folder, open(temporary, "w", 0o640));
      try {
        for await (const piece of pieces) await withFolderError(folder, file.writeFile(piece));
        await withFolderError(folder, file.sync());
      } finally {
        await file.close();
      }
      await withFolderError(folder, rename(temporary, target));
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw error;
    }
  };
}

/** Adds the folder to the error, because the same loop also throws errors of reading rows. */
async function withFolderError<Result>(folder: string, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw new Error(`the folder ${folder} cannot be written: ${(error as Error).message}`);
  }
}
