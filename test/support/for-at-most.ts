/**
 * For the predicate of a property: runs it until the time is over, and once in any case. fast-check's own limit fails a property
 * whose first run takes longer, on a busy machine.
 */
export function forAtMost<Arguments extends unknown[]>(
  milliseconds: number,
  run: (...given: Arguments) => Promise<void>,
): (...given: Arguments) => Promise<void> {
  let end: number | undefined;
  return async (...given) => {
    if (end !== undefined && performance.now() > end) return;
    end ??= performance.now() + milliseconds;
    await run(...given);
  };
}
