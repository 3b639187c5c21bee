/**
 * For the predicate of a property: runs it until the time is over, but at least once. fast-check's own limit fails a
 * property if its first run takes longer, as on a busy machine.
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
