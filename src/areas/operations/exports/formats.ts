import { formatDateTime } from "../../../lib/time/time.ts";
import { type ColumnType, type ExportedRow, exportColumns } from "./columns.ts";
import type { ExportFormat, ExportKind } from "./schema.ts";

/** Rows of a row group. Readers of Parquet skip whole groups, and each one is encoded in memory. */
const groupRows = 5_000;

type Batches = AsyncIterable<ExportedRow[]>;
type Encoder = (kind: ExportKind, batches: Batches) => AsyncGenerator<Uint8Array>;

/** Encode rows as they are read. The same rows result in the same bytes, however they are batched. */
export const encoders: Record<ExportFormat, Encoder> = { ndjson: encodeLines, parquet: encodeParquet };

async function* encodeLines(kind: ExportKind, batches: Batches): AsyncGenerator<Uint8Array> {
  const columns = Object.entries(exportColumns[kind]);
  for await (const rows of batches) {
    const lines = rows.map((row) =>
      JSON.stringify(Object.fromEntries(columns.map(([name, type]) => [name, jsonValue(type, row[name])]))),
    );
    yield Buffer.from(`${lines.join("\n")}\n`);
  }
}

function jsonValue(type: ColumnType, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  return type === "time" ? formatDateTime(value as number) : value;
}

const parquetTypes = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8" },
  json: { type: "BYTE_ARRAY", converted_type: "JSON" },
  time: { type: "INT64", converted_type: "TIMESTAMP_MILLIS" },
  integer: { type: "INT32" },
} as const;

async function* encodeParquet(kind: ExportKind, batches: Batches): AsyncGenerator<Uint8Array> {
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
  // Empties the buffer. `offset`, which is the position in the file, stays.
  const take = () => {
    const bytes = writer.getBytes().slice();
    writer.index = 0;
    return bytes;
  };
  for await (const rows of rowGroups(batches)) {
    const columnData = columns.map(([name, type]) => ({
      name,
      data: rows.map((row) => parquetValue(type, row[name])),
    }));
    await parquet.write({ columnData, rowGroupSize: rows.length });
    yield take();
  }
  await parquet.finish();
  yield take();
}

function parquetValue(type: ColumnType, value: unknown): unknown {
  if (value === undefined || value === null) return null;
  return type === "time" ? new Date(value as number) : value;
}

/** Row groups must not depend on pages, which contain the rows of other accounts. */
async function* rowGroups(batches: Batches): AsyncGenerator<ExportedRow[]> {
  let group: ExportedRow[] = [];
  for await (const rows of batches) {
    for (let taken = 0; taken < rows.length; ) {
      const more = rows.slice(taken, taken + groupRows - group.length);
      taken += more.length;
      group = group.concat(more);
      if (group.length < groupRows) continue;
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}
