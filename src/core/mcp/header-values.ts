const encoded = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;
const decoder = new TextDecoder("utf-8", { fatal: true });

/** Returns the text of a header value that may be encoded in Base64. Undefined if it is not valid. */
export function nameInHeader(value: string): string | undefined {
  const text = encoded.exec(value)?.[1];
  if (text === undefined) return value.startsWith("=?base64?") && value.endsWith("?=") ? undefined : value;
  const bytes = Buffer.from(text, "base64");
  // Lenient decoding would let two values mean the same name.
  if (bytes.toString("base64") !== text) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
