import { idAlphabet, idTimeLength } from "../../lib/ids.ts";

const places = Array.from({ length: idTimeLength }, (_, at) => 62 ** (idTimeLength - 1 - at));

/** A SQL expression: the characters of an id that encode a time, which is a SQL expression too. */
export function timeTextInSql(time: string): string {
  return places
    .map((place) => `substr('${idAlphabet}', CAST((${time}) / CAST(${place} AS bigint) % 62 AS integer) + 1, 1)`)
    .join(" || ");
}

/** A SQL expression: the id in a column, with the time in another one. Its counter and random characters stay the same. */
export function idAtTimeInSql(prefix: string, id: string, time: string): string {
  return `'${prefix}_' || ${timeTextInSql(time)} || substr(${id}, ${prefix.length + 2 + idTimeLength})`;
}

/** A SQL expression: the time that the id in a column encodes. */
export function idTimeInSql(prefix: string, id: string, engine: { bytes: string }): string {
  const indexOf = engine.bytes === "bytea" ? "strpos" : "instr";
  return places
    .map(
      (place, at) =>
        `CAST(${place} AS bigint) * (${indexOf}('${idAlphabet}', substr(${id}, ${prefix.length + 2 + at}, 1)) - 1)`,
    )
    .join(" + ");
}
