import type { QueryResult } from "kysely";

type Row = Record<string, unknown>;

interface Merged {
  sql: string;
  parameters: unknown[];
  /** Returns the result of each statement from the rows of the merged one. */
  resultsOf(rows: Row[]): QueryResult<Row>[];
}

/** Merges statements with one text and these parameters. Returns undefined if they must run one after the other. */
export type MergedStatement = (parameters: unknown[][]) => Merged | undefined;

/** The column with the number of the statement that a row belongs to, from 1 on. */
const ordinal = "tollgate_ordinal";

/**
 * Returns how statements of a text are merged: a query, the insertion of a row, an update of the row with a `seq`, or a
 * counter that is raised by 1. Others may change the same row, which one statement can do only once.
 * @param sql with placeholders `$1`, `$2`, …
 * @param typesOf returns the types of its parameters
 */
export async function mergeStatement(
  sql: string,
  typesOf: () => Promise<string[]>,
): Promise<MergedStatement | undefined> {
  const raise = raiseOf(sql);
  if (raise) return raise;
  const kind = queryOf(sql) ?? insertionOf(sql) ?? updateOf(sql);
  if (!kind) return undefined;
  const types = await typesOf();
  // The elements of an array of arrays are not arrays.
  if (types.length === 0 || types.some((type) => type.endsWith("[]"))) return undefined;
  const arrays = types.map((type, index) => `$${index + 1}::${type}[]`).join(", ");
  const names = types.map((_, index) => `p${index + 1}`).join(", ");
  const input = `unnest(${arrays}) WITH ORDINALITY AS input(${names}, ordinal)`;
  const text = kind.textWith(input);
  return (parameters) => kind.merge(text, parameters);
}

interface Kind {
  textWith(input: string): string;
  merge(text: string, parameters: unknown[][]): Merged | undefined;
}

function queryOf(sql: string): Kind | undefined {
  if (!/^\s*select\s/i.test(sql)) return undefined;
  return {
    // A subquery with ORDER BY stays one, so its rows arrive in order.
    textWith: (input) =>
      `SELECT input.ordinal AS ${ordinal}, output.* FROM ${input} CROSS JOIN LATERAL (${fromInput(sql)}) AS output`,
    merge(text, parameters) {
      const { distinct, positions } = distinctOf(parameters);
      return {
        sql: text,
        parameters: columnsOf(distinct),
        resultsOf(rows) {
          const results: Row[][] = distinct.map(() => []);
          for (const { [ordinal]: number, ...row } of rows) results[Number(number) - 1]!.push(row);
          const isShared = new Set<number>();
          return positions.map((position) => {
            const own = results[position]!;
            if (!isShared.has(position)) {
              isShared.add(position);
              return { rows: own };
            }
            return { rows: own.map((row) => ({ ...row })) };
          });
        },
      };
    },
  };
}

function insertionOf(sql: string): Kind | undefined {
  const parts = /^(insert into \S+ \([^)]*\)) values \((\$\d+(?:, \$\d+)*)\)([^$]*)$/i.exec(sql);
  if (!parts || /do nothing|where/i.test(parts[3]!)) return undefined;
  const [, into, values, ending] = parts;
  const returns = /returning/i.test(ending!);
  return {
    textWith: (input) => `${into} SELECT ${fromInput(values!)} FROM ${input} ORDER BY input.ordinal${ending}`,
    merge: (text, parameters) => ({
      sql: text,
      parameters: columnsOf(parameters),
      resultsOf(rows) {
        if (returns && rows.length !== parameters.length) throw new Error("A merged INSERT returned other rows");
        return parameters.map((_, index) => ({ rows: returns ? [rows[index]!] : [], numAffectedRows: 1n }));
      },
    }),
  };
}

function updateOf(sql: string): Kind | undefined {
  const parts = /^update "?(\w+)"? set (.+) where "?seq"? = \$(\d+)$/is.exec(sql);
  if (!parts || /\sfrom\s/i.test(parts[2]!)) return undefined;
  const [, table, values, key] = parts;
  const column = Number(key) - 1;
  return {
    textWith: (input) =>
      `UPDATE ${table} SET ${fromInput(values!)} FROM ${input} WHERE ${table}.seq = input.p${key} ` +
      `RETURNING input.ordinal AS ${ordinal}`,
    merge(text, parameters) {
      if (new Set(parameters.map((each) => each[column])).size < parameters.length) return undefined;
      return {
        sql: text,
        parameters: columnsOf(parameters),
        resultsOf(rows) {
          const updated = new Set(rows.map((row) => Number(row[ordinal])));
          return parameters.map((_, index) => ({ rows: [], numAffectedRows: updated.has(index + 1) ? 1n : 0n }));
        },
      };
    },
  };
}

/** A counter that is raised by 1 is raised once by their number. Each has a value of its own, in order. */
function raiseOf(sql: string): MergedStatement | undefined {
  const parts =
    /^(insert into (\w+) \([^)]*, (\w+)\) values \([^)]*, )1(\)\s+on conflict \([^)]*\) do update set \3 = \2\.\3 \+ )1( returning \3)$/i.exec(
      sql,
    );
  if (!parts) return undefined;
  const [, insertion, , counter, conflict, ending] = parts;
  return (parameters) => {
    const count = parameters.length;
    if (distinctOf(parameters).distinct.length > 1) return undefined;
    return {
      sql: `${insertion}${count}${conflict}${count}${ending}`,
      parameters: parameters[0]!,
      resultsOf(rows) {
        const before = Number(rows[0]![counter!]) - count;
        return parameters.map((_, index) => ({ rows: [{ [counter!]: before + index + 1 }], numAffectedRows: 1n }));
      },
    };
  };
}

function fromInput(sql: string): string {
  return sql.replace(/\$(\d+)/g, "input.p$1");
}

/** One array for each placeholder. */
function columnsOf(parameters: unknown[][]): unknown[][] {
  return parameters[0]!.map((_, index) => parameters.map((each) => each[index]));
}

/** JSON has no such numbers. */
function textOf(_name: string, value: unknown): unknown {
  return typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value)) ? `${value}n` : value;
}

/** Many customers have the same account and plan, which is then read once. */
function distinctOf(parameters: unknown[][]) {
  const found = new Map<string, number>();
  const distinct: unknown[][] = [];
  const positions = parameters.map((each) => {
    const key = JSON.stringify(each, textOf);
    const position = found.get(key) ?? distinct.length;
    if (position === distinct.length) {
      found.set(key, position);
      distinct.push(each);
    }
    return position;
  });
  return { distinct, positions };
}
