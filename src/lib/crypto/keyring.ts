import { createCipheriv, createDecipheriv, hash } from "node:crypto";
import { randomBytes } from "./random.ts";

const nameBytes = 4;
const ivBytes = 12;
const tagBytes = 16;

/**
 * Encrypts values with AES-256-GCM. A value starts with the name of its key, so that keys can rotate: the first key
 * encrypts, every key decrypts.
 *
 *     key name (4) · nonce (12) · tag (16) · ciphertext
 */
export class Keyring {
  readonly #keys = new Map<string, Buffer>();
  readonly #current: { name: Buffer; key: Buffer };

  constructor(keys: Buffer[]) {
    const first = keys[0];
    if (!first) throw new Error("A keyring needs a key.");
    for (const key of keys) this.#keys.set(nameOf(key).toString("hex"), key);
    this.#current = { name: nameOf(first), key: first };
  }

  /** The name of the key that encrypts. */
  get currentName(): string {
    return this.#current.name.toString("hex");
  }

  get names(): string[] {
    return [...this.#keys.keys()];
  }

  /** `purpose` is authenticated: a value sealed for one purpose cannot be opened for another. */
  seal(text: string, purpose: string): Buffer {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv("aes-256-gcm", this.#current.key, iv);
    cipher.setAAD(bytesOf(purpose));
    const sealed = cipher.update(text, "utf8");
    cipher.final();
    return Buffer.concat([this.#current.name, iv, cipher.getAuthTag(), sealed]);
  }

  /** Throws MissingKey if the keyring lacks the key that encrypted the value. */
  open(sealed: Uint8Array, purpose: string): string {
    const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
    const name = bytes.toString("hex", 0, nameBytes);
    const key = this.#keys.get(name);
    if (!key) throw new MissingKey(name);
    const tagAt = nameBytes + ivBytes;
    const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(nameBytes, tagAt));
    decipher.setAAD(bytesOf(purpose));
    decipher.setAuthTag(bytes.subarray(tagAt, tagAt + tagBytes));
    return decipher.update(bytes.subarray(tagAt + tagBytes), undefined, "utf8") + decipher.final("utf8");
  }

  /** Returns undefined if the keyring lacks the key. */
  openIfKnown(sealed: Uint8Array, purpose: string): string | undefined {
    return this.#keys.has(keyNameOf(sealed)) ? this.open(sealed, purpose) : undefined;
  }
}

export class MissingKey extends Error {
  constructor(readonly keyName: string) {
    super(`A stored value is encrypted with key ${keyName}, which this server does not have.`);
  }
}

/** Returns the name of the key that encrypted a value. */
export function keyNameOf(sealed: Uint8Array): string {
  return Buffer.from(sealed.buffer, sealed.byteOffset, nameBytes).toString("hex");
}

/** Identifies a key without revealing it. */
function nameOf(key: Buffer): Buffer {
  return hash("sha256", key, "buffer").subarray(0, nameBytes);
}

const purposes = new Map<string, Buffer>();

function bytesOf(purpose: string): Buffer {
  const bytes = purposes.get(purpose) ?? Buffer.from(purpose);
  purposes.set(purpose, bytes);
  return bytes;
}
