import { amountFromParts, decimalOf } from "../../../lib/amount.ts";
import type { History } from "../../../platform/storage/history.ts";
import type { Reads } from "../../../platform/storage/storage.ts";
import { presentInvoice } from "../../commerce/billing/invoices/present-invoice.ts";
import { presentRequest } from "../../insight/request-log/present.ts";
import type { RequestEntry } from "../../insight/request-log/request-record.ts";
import { requestOf, writtenRequestsAfter } from "../../insight/request-log/requests.ts";
import { auditEntriesOf } from "../audit-log/segment.ts";
import type { ExportedRow } from "./columns.ts";
import { hourMilliseconds } from "./hours.ts";
import * as store from "./recorded-store.ts";
import type { ExportKind } from "./schema.ts";

/**
 * Rows are stored in the order of their time of receipt, apart from what transactions take and by how much the clocks of
 * nodes differ, which is less than this.
 */
const toleranceMilliseconds = 300_000;

type Read = History["read"];

/** The rows of an hour, in the same order each time, in batches. A batch is read when it is needed. */
export function rowsOfHour(
  read: Read,
  kind: ExportKind,
  accountSeq: number,
  hour: number,
): AsyncGenerator<ExportedRow[]> {
  return sources[kind](read, accountSeq, hour, hour + hourMilliseconds);
}

type Source = (read: Read, accountSeq: number, from: number, to: number) => AsyncGenerator<ExportedRow[]>;

const sources: Record<ExportKind, Source> = {
  async *events(read, accountSeq, from, to) {
    const start = await firstSeq(read, "usage_events", from, store.eventFrom);
    for (let seq = start - 1; ; ) {
      const page = await read((reads) => store.eventsAfter(reads, seq));
      const own = page.filter((row) => row.account_seq === accountSeq && isIn(row.received_on, from, to));
      if (own.length > 0) yield own.map(eventRow);
      const last = page.at(-1);
      if (page.length < store.pageRows || !last || last.received_on >= to + toleranceMilliseconds) return;
      seq = last.seq;
    }
  },
  async *requests(read, accountSeq, from, to) {
    const start = await firstSeq(read, "requests", from, async (reads, seq) => {
      const row = await store.requestFrom(reads, seq);
      return row && { seq: row.seq, time: endOf(row) };
    });
    for (let seq = start - 1; ; ) {
      const page = await read((reads) => writtenRequestsAfter(reads, seq, store.pageRows));
      const own = page.filter((row) => row.account_seq === accountSeq && isIn(endOf(row), from, to));
      if (own.length > 0) yield own.map((row) => requestRow(requestOf(row), endOf(row)));
      const last = page.at(-1);
      if (page.length < store.pageRows || !last || endOf(last) >= to + toleranceMilliseconds) return;
      seq = last.seq;
    }
  },
  async *invoices(read, accountSeq, from, to) {
    for (const bucket of await read((reads) => store.liveBucketsOf(reads, accountSeq))) {
      for (let after = { recordedOn: from - 1, seq: 0 }; ; ) {
        const page = await read((reads) => store.invoicesOfHour(reads, bucket.seq, from, to, after));
        const last = page.at(-1);
        if (!last) break;
        yield page.map((row) => invoiceRow(row, bucket.id));
        after = { recordedOn: last.recorded_on!, seq: last.seq };
      }
    }
  },
  async *audit(read, accountSeq, from, to) {
    for (let number = 0; ; ) {
      const segments = await read((reads) => store.segmentsSealed(reads, accountSeq, from, to, number));
      const last = segments.at(-1);
      if (!last) return;
      for (const segment of segments) yield auditEntriesOf(segment).map(auditRow);
      number = last.number;
    }
  },
};

const isIn = (time: number, from: number, to: number) => time >= from && time < to;

/**
 * Returns a `seq` before which no row was received in the hour, by bisection: an index of the time of receipt would make
 * each insert slower.
 */
async function firstSeq(
  read: Read,
  table: "usage_events" | "requests",
  from: number,
  rowFrom: (reads: Reads, seq: number) => Promise<store.Position | undefined>,
): Promise<number> {
  const range = await read((reads) => store.seqRange(reads, table));
  if (!range) return 0;
  let [low, high] = [range.first, range.last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await read((reads) => rowFrom(reads, middle));
    if (row && row.time < from - toleranceMilliseconds) low = Math.max(middle + 1, row.seq);
    else high = middle;
  }
  return low;
}

/** When a request ended, which is when it was recorded. */
function endOf({ time, entry }: { time: number; entry: string }): number {
  return time + Math.max(0, Math.ceil((JSON.parse(entry) as RequestEntry).durationMs ?? 0));
}

function eventRow(row: store.EventRow): ExportedRow {
  return {
    id: row.event_id,
    source: row.source,
    bucketId: row.bucket_id,
    customerKey: row.customer_key,
    subscriptionId: row.subscription_id,
    meter: row.meter,
    amount: decimalOf(amountFromParts(row.whole, row.billionths)),
    time: row.time,
    receivedOn: row.received_on,
    periodStart: row.period_start,
  };
}

function requestRow(request: ReturnType<typeof requestOf>, endedOn: number): ExportedRow {
  const { id, deployment, version, time, method, path, route, status, consumer, requestId, durationMs } = request;
  return {
    ...{ id, deployment, version, time, endedOn, method, path, status, requestId },
    route: route ?? null,
    consumer: consumer ?? null,
    durationMs: Math.round(durationMs),
    details: presentRequest(request),
  };
}

function invoiceRow(row: store.InvoiceRow, bucketId: string): ExportedRow {
  const details = presentInvoice(row);
  return {
    id: row.id,
    number: row.number,
    bucketId,
    customerKey: row.customer_key,
    subscriptionId: row.subscription_id,
    status: row.status,
    currency: row.currency,
    subtotal: details.subtotal,
    tax: details.tax,
    total: details.total,
    amountDue: details.amountDue,
    finalizedOn: row.finalized_on,
    details,
    recordedOn: row.recorded_on,
  };
}

interface AuditFields {
  id: string;
  time: string;
  action?: string;
  actor?: unknown;
  resource?: { type?: string; id?: string };
}

function auditRow(text: string): ExportedRow {
  const entry: AuditFields = JSON.parse(text);
  const { id, time, action, actor, resource } = entry;
  return {
    id,
    time: Date.parse(time),
    action: action ?? null,
    actor: typeof actor === "string" ? actor : actor === undefined ? null : JSON.stringify(actor),
    resourceType: resource?.type ?? null,
    resourceId: resource?.id ?? null,
    details: entry,
  };
}
