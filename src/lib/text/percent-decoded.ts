/** Decodes percent-encoded text. Returns the text itself if the encoding is not valid. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
