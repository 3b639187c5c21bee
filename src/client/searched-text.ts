/** An id of ours, such as csmr_0QGzNqW81Kx8VhTb3mPcRdZu. */
const id = /^[a-z]+_[0-9A-Za-z]{24}$/;
/** A key in the generated format, or another text with a long run of letters and digits. */
const key =
  /^(?=.{16,512}$)[\x21-\x7e]*(?:_[0-9a-f]{32}_[0-9a-f]{8}|(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{20,})[\x21-\x7e]*$/;
/** The end of a key that lists show. */
const shownLength = 8;

/**
 * The text to search for what a person has typed or pasted: a whole key is replaced by its hash, so that it is never
 * sent and reaches no log. Pages without a secure context cannot hash; they search for the end of the key.
 */
export async function searchedText(text: string): Promise<string> {
  if (id.test(text) || !key.test(text)) return text;
  // Missing in pages that were loaded over plain HTTP.
  const subtle = globalThis.crypto?.subtle as SubtleCrypto | undefined;
  if (!subtle) return text.slice(-shownLength);
  const hash = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(text)));
  return `sha256:${Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
