/** Text as one word of a POSIX shell. The console has its own: what runs in the browser imports the client alone. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
