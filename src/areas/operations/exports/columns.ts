import type { ExportKind } from "./schema.ts";

/** `text` and `json` are UTF-8, `time` is a timestamp in milliseconds (UTC), `integer` has 32 bits. */
export type ColumnType = "text" | "time" | "integer" | "json";

/** The columns of each kind, in order. Columns are only added, at the end. docs/exports.md describes them. */
export const exportColumns = {
  events: {
    id: "text",
    source: "text",
    bucketId: "text",
    customerKey: "text",
    subscriptionId: "text",
    meter: "text",
    amount: "text",
    time: "time",
    receivedOn: "time",
    periodStart: "time",
  },
  requests: {
    id: "text",
    deployment: "text",
    version: "integer",
    time: "time",
    endedOn: "time",
    method: "text",
    path: "text",
    route: "text",
    status: "integer",
    consumer: "text",
    requestId: "text",
    durationMs: "integer",
    details: "json",
  },
  invoices: {
    id: "text",
    number: "text",
    bucketId: "text",
    customerKey: "text",
    subscriptionId: "text",
    status: "text",
    currency: "text",
    subtotal: "text",
    tax: "text",
    total: "text",
    amountDue: "text",
    finalizedOn: "time",
    details: "json",
    recordedOn: "time",
  },
  audit: {
    id: "text",
    time: "time",
    action: "text",
    actor: "text",
    resourceType: "text",
    resourceId: "text",
    details: "json",
  },
} as const satisfies Record<ExportKind, Record<string, ColumnType>>;

/** Times are milliseconds. A missing value is null. */
export type ExportedRow = Record<string, unknown>;
