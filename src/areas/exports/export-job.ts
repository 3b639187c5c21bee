import { randomUUID } from "node:crypto";
import type { Act } from "../../core/access.ts";
import type { Clock } from "../../lib/time/clock.ts";
import { formatDateTime } from "../../lib/time/time.ts";
import { type Egress, EgressDenied } from "../../platform/egress/egress.ts";
import type { History } from "../../platform/storage/history.ts";
import type { Storage } from "../../platform/storage/storage.ts";
import type { Log } from "../../platform/telemetry/log.ts";
import { destinationOf } from "./destinations.ts";
import { type Exports, record } from "./exports.ts";
import { encoders } from "./formats.ts";
import { closedOn, hourMilliseconds } from "./hours.ts";
import { exportDelaySeconds } from "./present.ts";
import { rowsOfHour } from "./rows.ts";
import { sha256 } from "./s3-signature.ts";
import type { ExportFormat, ExportKind } from "./schema.ts";
import * as store from "./store.ts";

/** Longer than most hours take to write. If a node takes longer, another one writes the same bytes. */
const leaseMilliseconds = 300_000;
const firstRetryMilliseconds = 60_000;
const maxRetryMilliseconds = 3_600_000;
const maxErrorLength = 500;

export interface ExportJobOptions {
  storage: Storage;
  history: History;
  exports: Exports;
  egress: Egress;
  directory: string | undefined;
  clock: Clock;
  log: Pick<Log, "warn">;
}

export interface ExportDelay {
  account: string;
  name: string;
  seconds: number;
  isFailing: boolean;
}

/**
 * Writes closed hours. The names and bytes of an hour's objects are the same each time, and the position moves after the
 * last one was written: an hour that was interrupted is written again over what is there.
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
      for (let isDone = false; !isDone && !signal.aborted; ) isDone = !(await this.#writeNext(row));
    }
    const now = clock.now();
    this.#delays = (await store.enabledExports(storage.reads)).map((row) => ({
      account: row.account_name,
      name: row.name,
      seconds: exportDelaySeconds(row, now),
      isFailing: row.failing_since !== null,
    }));
  }

  /** Returns whether an hour was written. */
  async #writeNext({ seq, account_seq, account_id, account_name }: store.ExportOfAccount): Promise<boolean> {
    const { storage, clock } = this.options;
    const claimed = await storage.write((transaction) => this.#claim(transaction, seq));
    if (!claimed) return false;
    const account = { seq: account_seq, id: account_id, name: account_name };
    const act: Act = { account, actor: "system", actorType: "system", now: clock.now() };
    try {
      await this.#writeHour(claimed.row, claimed.hour, account_name);
    } catch (error) {
      await this.#fail(seq, act, error);
      return false;
    }
    return storage.write(async (transaction) => {
      const row = await store.lockExport(transaction, seq);
      if (row?.lease !== this.#node) return false;
      await store.updateExport(transaction, seq, {
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

  async #claim(transaction: Parameters<typeof store.lockExport>[0], seq: number) {
    const now = this.options.clock.now();
    const row = await store.lockExport(transaction, seq);
    if (row?.is_enabled !== 1 || (row.attempt_on ?? 0) > now || (row.leased_until ?? 0) > now) return undefined;
    const hour = closedOn(row.next_hour) <= now ? row.next_hour : row.backfill_next;
    if (hour === null) return undefined;
    await store.updateExport(transaction, seq, { lease: this.#node, leased_until: now + leaseMilliseconds });
    return { row, hour };
  }

  async #writeHour(row: store.ExportRow, hour: number, accountName: string): Promise<void> {
    const { history, exports, egress, directory } = this.options;
    const put = destinationOf(row, exports.credentialOf(row), { egress, directory });
    const format = row.format as ExportFormat;
    const objects = [];
    for (const kind of JSON.parse(row.kinds) as ExportKind[]) {
      const { bytes, rows } = await history.read((reads) =>
        encoders[format](kind, rowsOfHour(reads, kind, row.account_seq, hour)),
      );
      const path = `${kind}/${hourPath(hour)}/${accountName}.${row.name}.${format}`;
      await put(path, bytes);
      objects.push({ kind, path, rows, bytes: bytes.length, sha256: sha256(bytes) });
    }
    // Written last: an hour with a manifest is complete.
    const range = { from: formatDateTime(hour), to: formatDateTime(hour + hourMilliseconds) };
    const manifest = { account: accountName, export: row.name, format, ...range, objects };
    const path = `manifests/${hourPath(hour)}/${accountName}.${row.name}.json`;
    await put(path, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
  }

  async #fail(seq: number, act: Act, error: unknown): Promise<void> {
    const { storage, clock, log } = this.options;
    const message = describe(error);
    log.warn("an export failed", { account: act.account.name, error: message });
    await storage.write(async (transaction) => {
      const row = await store.lockExport(transaction, seq);
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
      await store.updateExport(transaction, seq, failed);
      if (row.failing_since === null) record(transaction, act, "export.failed", row, { ...row, ...failed });
    });
  }
}

/** The position after an hour was written. */
function advanced(row: store.ExportRow, hour: number) {
  const next = hour + hourMilliseconds;
  if (hour === row.next_hour) return { next_hour: next };
  if (hour !== row.backfill_next) return {};
  if (next < row.first_hour) return { backfill_next: next };
  return { first_hour: row.backfill_from!, backfill_from: null, backfill_next: null };
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
