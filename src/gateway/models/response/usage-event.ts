const choices = Buffer.from('"choices"');
const space = 0x20;
const tab = 0x09;
const colon = 0x3a;
const open = 0x5b;
const close = 0x5d;

/** Whether an event is the one that reports the usage of a streamed chat completion: it has no choices, and a usage. */
export function isUsageEvent(event: Buffer): boolean {
  // Most events have choices, and need not be parsed.
  const at = event.indexOf(choices);
  if (at === -1 || !isEmptyList(event, at + choices.length)) return false;
  try {
    const { choices: list, usage } = JSON.parse(dataOf(event)) as { choices?: unknown; usage?: unknown };
    return Array.isArray(list) && list.length === 0 && typeof usage === "object" && usage !== null;
  } catch {
    return false;
  }
}

function isEmptyList(bytes: Buffer, from: number): boolean {
  let at = skipped(bytes, from);
  if (bytes[at] !== colon) return false;
  at = skipped(bytes, at + 1);
  return bytes[at] === open && bytes[skipped(bytes, at + 1)] === close;
}

function skipped(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] === space || bytes[at] === tab) at += 1;
  return at;
}

/** The data of an event: its lines without their field names. */
function dataOf(event: Buffer): string {
  return event
    .toString()
    .replace(/^\ufeff/, "")
    .split(/\r\n|\n|\r/)
    .flatMap((line) => (line.startsWith("data:") ? line.slice(5) : []))
    .join("\n");
}
