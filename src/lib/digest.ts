/** A SHA-256, seen as bytes and as words of 4 bytes. */
export class Digest {
  readonly words = new Uint32Array(8);
  readonly bytes = Buffer.from(this.words.buffer);

  static of(bytes: Uint8Array): Digest {
    const digest = new Digest();
    digest.bytes.set(bytes);
    return digest;
  }

  /** Takes half the time of making a new one. */
  become(text: string): void {
    Bun.SHA256.hash(text, this.bytes);
  }
}
