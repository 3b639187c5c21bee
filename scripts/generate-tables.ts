/** `npm run generate`: writes the types of the tables from the SQL of the migrations, with its comments. */
import { join } from "node:path";
import { migrations } from "../src/core/database/migrations/index.ts";
import { withoutPostgresParts } from "../src/platform/storage/migrations/migration.ts";

export const tablesFile = join(import.meta.dir, "../src/core/database/tables.gen.ts");

/** Declared by storage itself, which needs them: platform/storage/tables.ts. */
const declaredByStorage = ["list_blocks", "changes", "feed_cursors"];

/** Types that the SQL does not say. */
const narrower: Record<string, string> = {
  // Null only of a deleted subscription, which no query of a bucket finds.
  "subscriptions.bucket_seq": "number",
  "metering_holds.on_expiry": '"release" | "count"',
  "metering_holds.state": '"open" | "expired" | "settled" | "released"',
};

const types: Record<string, string> = {
  SEQ: "Generated<number>",
  REUSABLE_SEQ: "Generated<number>",
  INTEGER: "number",
  SORTED_TEXT: "string",
  text: "string",
  BYTES: "Uint8Array",
};

interface Column {
  comment: string[];
  type: string;
}

interface Table {
  comment: string[];
  columns: Map<string, Column>;
}

/** The text of `tables.gen.ts`. */
export function tableTypes(): string {
  const tables = new Map<string, Table>();
  for (const { sql } of migrations) readTables(withoutPostgresParts(sql), tables);
  const declarations = [...tables]
    .filter(([name]) => !declaredByStorage.includes(name))
    .map(([name, { comment, columns }]) => {
      const members = [...columns].flatMap(([column, { comment, type }]) => [
        ...docComment(comment, "      "),
        `      ${column}: ${type};`,
      ]);
      return [...docComment(comment, "    "), `    ${name}: {`, ...members, "    };"].join("\n");
    });
  return `// Written by scripts/generate-tables.ts from core/database/migrations.
import type { Generated } from "kysely";

declare module "../../platform/storage/tables.ts" {
  interface Tables {
${declarations.join("\n")}
  }
}
`;
}

/** Adds what the SQL of a migration creates, in the form that all migrations have: a column per line. */
function readTables(sql: string, tables: Map<string, Table>): void {
  let table: Table | undefined;
  let comment: string[] = [];
  for (const line of sql.split("\n")) {
    const [, remark] = /^ *--(?: (.*))?$/.exec(line) ?? [];
    // A line without text ends the heading of a section.
    if (/^ *--/.test(line)) comment = remark === undefined ? [] : [...comment, remark];
    else {
      const [, created] = /^CREATE TABLE (\w+) \($/.exec(line) ?? [];
      const [, altered, addition] = /^ALTER TABLE (\w+) (?:ADD COLUMN (.*);|.*)$/.exec(line) ?? [];
      if (created !== undefined) {
        table = { comment, columns: new Map() };
        tables.set(created, table);
      } else if (altered !== undefined) {
        const known = tables.get(altered);
        if (known === undefined || addition === undefined) throw new Error(`The generator does not know: ${line}`);
        addColumn(known, altered, addition, comment);
      } else if (line.startsWith(")")) table = undefined;
      else if (table !== undefined) addColumn(table, [...tables.keys()].at(-1)!, line.trim(), comment);
      comment = [];
    }
  }
}

function addColumn(table: Table, tableName: string, definition: string, comment: string[]): void {
  const [, name, sqlType, rest] = /^([a-z_0-9]+) (\w+)(.*)$/.exec(definition) ?? [];
  // The others are constraints.
  if (name === undefined) return;
  const base = types[sqlType!];
  if (base === undefined) throw new Error(`The generator does not know the type of ${tableName}.${name}: ${sqlType}`);
  const isRequired = sqlType!.endsWith("SEQ") || /NOT NULL|PRIMARY KEY/.test(rest!);
  const type = !isRequired ? `${base} | null` : rest!.includes(" DEFAULT ") ? `Generated<${base}>` : base;
  table.columns.set(name, { comment, type: narrower[`${tableName}.${name}`] ?? type });
}

function docComment(lines: string[], indent: string): string[] {
  if (lines.length < 2) return lines.map((line) => `${indent}/** ${line} */`);
  return [`${indent}/**`, ...lines.map((line) => `${indent} * ${line}`), `${indent} */`];
}

if (import.meta.main) await Bun.write(tablesFile, tableTypes());
