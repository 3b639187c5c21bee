/** Of rows in one statement. Few, so that the texts stay few and each is prepared once. */
const sizes = [64, 8, 1];

/**
 * Splits rows for statements that take many at once: what the gateway counts is thousands of rows at a time, and each
 * statement is a trip to PostgreSQL.
 */
export function* runsOf<Row>(rows: Row[]): Generator<Row[]> {
  for (let first = 0; first < rows.length; ) {
    const size = sizes.find((each) => each <= rows.length - first)!;
    yield rows.slice(first, first + size);
    first += size;
  }
}
