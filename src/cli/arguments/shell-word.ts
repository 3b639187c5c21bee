/**
 * Quotes a text as one word of a POSIX shell. The console has its own copy, because browser code imports only the
 * client.
 */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
