const startedAt = performance.now();

/** Shows progress on stderr, so that stdout holds the table alone. */
export function progress(text: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
  process.stderr.write(`${seconds} s  ${text}\n`);
}
