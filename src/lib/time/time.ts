const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/** Parses an RFC 3339 date-time to milliseconds since 1970. Returns undefined if the text is invalid. */
export function parseDateTime(text: string): number | undefined {
  const match = dateTime.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const offsetHour = Number(match[9] ?? 0);
  const offsetMinute = Number(match[10] ?? 0);
  // A leap second (60) is a valid date-time. It becomes the following second, as in POSIX time.
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59)
    return undefined;
  if (day < 1 || day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()) return undefined;

  const millisecond = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day); // Date.UTC would read the years 0 to 99 as 1900 to 1999
  local.setUTCHours(hour, minute, second, millisecond);
  const offset = (offsetHour * 60 + offsetMinute) * 60_000;
  const time = local.getTime() - (match[8] === "-" ? -offset : offset);
  // An offset can push the year outside four digits; such a time could not be serialized again.
  return time >= earliest && time <= latestTime ? time : undefined;
}

const earliest = -62_167_219_200_000; // 0000-01-01T00:00:00.000Z
/** The last moment whose year has four digits. */
export const latestTime = 253_402_300_799_999; // 9999-12-31T23:59:59.999Z

let lastFormatted = 0;
let lastText = new Date(0).toISOString();

/**
 * Formats a time in UTC with milliseconds and `Z`. The last result is cached, because a new resource has its time in
 * several members.
 */
export function formatDateTime(time: number): string {
  if (time !== lastFormatted) {
    lastText = new Date(time).toISOString();
    lastFormatted = time;
  }
  return lastText;
}
