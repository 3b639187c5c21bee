/** By code. The texts of Bun are advice for callers of `fetch`. */
const texts: Record<string, string> = {
  ECONNREFUSED: "the connection was refused",
  ENOTFOUND: "the name has no address",
  ECONNRESET: "the connection was closed before the end of the response",
};

/** Why `fetch` failed, in our words where the runtime's are advice for programmers. */
export function fetchErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no response in time";
  const { message, code = "" } = error as Error & { code?: string };
  // Other texts, such as those about certificates, end before the advice.
  return texts[code] ?? (message.replace(/(?: fetching "[^"]*")?\. For more information.*$/s, "") || code);
}
