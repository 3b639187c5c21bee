/** Numbers of rows per statement. There are few, so that there are few statement texts, each prepared once. */
const sizes = [64, 8, 4, 1];

/**
 * Splits rows for statements that insert many at once: the gateway counts thousands of rows at a time, and each
 * statement is a round trip to PostgreSQL.
 */
export function* runsOf<Row>(rows: readonly Row[]): Generator<Row[]> {
  for (let first = 0; first < rows.length; ) {
    const size = sizes.find((each) => each <= rows.length - first)!;
    yield rows.slice(first, first + size);
    first += size;
  }
}
