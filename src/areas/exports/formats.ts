import { formatDateTime } from "../../lib/time/time.ts";
import { type ColumnType, type ExportedRow, exportColumns } from "./columns.ts";
import type { ExportFormat, ExportKind } from "./schema.ts";

export interface ExportObject {
  bytes: Uint8Array;
  rows: number;
}

type Encoder = (kind: ExportKind, batches: AsyncIterable<ExportedRow[]>) => Promise<ExportObject>;

/** The same rows result in the same bytes. */
export const encoders: Record<ExportFormat, Encoder> = { ndjson: encodeLines, parquet: encodeParquet };

async function encodeLines(kind: ExportKind, batches: AsyncIterable<ExportedRow[]>): Promise<ExportObject> {
  const columns = Object.entries(exportColumns[kind]);
  const pieces: Buffer[] = [];
  let count = 0;
  for await (const rows of batches) {
    count += rows.length;
    const lines = rows.map((row) =>
      JSON.stringify(Object.fromEntries(columns.map(([name, type]) => [name, inJson(type, row[name])]))),
    );
    pieces.push(Buffer.from(`${lines.join("\n")}\n`));
  }
  return { bytes: Buffer.concat(pieces), rows: count };
}

function inJson(type: ColumnType, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  return type === "time" ? formatDateTime(value as number) : value;
}

const parquetTypes = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  json: { type: "BYTE_ARRAY", converted_type: "JSON" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
  integer: { type: "INT32" },
} as const;

async function encodeParquet(kind: ExportKind, batches: AsyncIterable<ExportedRow[]>): Promise<ExportObject> {
  // Imported on demand: no start needs it.
  const { ByteWriter, ParquetWriter } = await import("hyparquet-writer");
  const columns = Object.entries(exportColumns[kind]);
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: [
      { name: "root", num_children: columns.length },
      ...columns.map(([name, type]) => ({ name, repetition_type: "OPTIONAL" as const, ...parquetTypes[type] })),
    ],
    createdBy: "tollgate",
  });
  let count = 0;
  for await (const rows of batches) {
    count += rows.length;
    const columnData = columns.map(([name, type]) => ({ name, data: rows.map((row) => inParquet(type, row[name])) }));
    await parquet.write({ columnData, rowGroupSize: rows.length });
  }
  await parquet.finish();
  return { bytes: new Uint8Array(writer.getBuffer()), rows: count };
}

function inParquet(type: ColumnType, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  return type === "time" ? new Date(value as number) : value;
}
