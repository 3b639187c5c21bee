import type { BytesAt } from "../../../lib/cache/text-cache.ts";
import { type AddressBytes, parseNetwork } from "../../../lib/network/ip-address.ts";

export interface RateLimit {
  requests: number;
  windowSeconds: number;
}

/** The rules of a key, besides its expiry. */
export interface KeyRules {
  isEnabled: boolean;
  /** Whether its consumer is suspended. */
  isSuspended: boolean;
  permissions: readonly string[];
  allowedIps: readonly string[];
  rateLimit: RateLimit | undefined;
}

const disabledFlag = 1;
const addressesFlag = 2;
const limitFlag = 4;
const suspendedFlag = 8;

const flagsAt = 0;
const permissionsAt = 1;
const requestsAt = 3;
const windowAt = 7;
const subjectAt = 11;
const headerBytes = 12;

const star = 0x2a;

/** A window counts a bounded number of subjects, so keys are spread over several windows. */
export const limitShards = 8;

/**
 * Encodes the rules to bytes, which are cached with the key and read in place: flags, the offset of permissions, the
 * limit and its subject, then networks (length, prefix length, bytes), then permissions (length, characters). Undefined
 * for a key without rules, which most keys are.
 */
export function encodeRules(keyId: string, rules: KeyRules): Buffer | undefined {
  const { isEnabled, isSuspended, permissions, allowedIps, rateLimit } = rules;
  if (isEnabled && !isSuspended && permissions.length === 0 && allowedIps.length === 0 && !rateLimit) return undefined;
  const networks = allowedIps.map((text) => {
    const network = parseNetwork(text);
    if (typeof network === "string")
      throw new Error(`An allowed address of key ${keyId} cannot be read: it ${network}`);
    return Buffer.from([network.bytes.length, network.prefixLength, ...network.bytes]);
  });
  const subject = rateLimit ? Buffer.from(keyId, "latin1") : Buffer.alloc(0);
  const header = Buffer.alloc(headerBytes);
  header[flagsAt] =
    (isEnabled ? 0 : disabledFlag) |
    (isSuspended ? suspendedFlag : 0) |
    (allowedIps.length > 0 ? addressesFlag : 0) |
    (rateLimit ? limitFlag : 0);
  const addressBytes = networks.reduce((sum, network) => sum + network.length, 0);
  header.writeUInt16LE(headerBytes + subject.length + addressBytes, permissionsAt);
  header.writeUInt32LE(rateLimit?.requests ?? 0, requestsAt);
  header.writeUInt32LE(rateLimit?.windowSeconds ?? 0, windowAt);
  header[subjectAt] = subject.length;
  const granted = permissions.map((permission) =>
    Buffer.concat([Buffer.from([permission.length]), Buffer.from(permission, "latin1")]),
  );
  return Buffer.concat([header, subject, ...networks, ...granted]);
}

/** Encoded rules that are read in place without an allocation. */
export class RulesReader implements BytesAt {
  memory = Buffer.alloc(0);
  from = 0;
  to = 0;

  get isDisabled(): boolean {
    return (this.#flags & disabledFlag) !== 0;
  }

  get isSuspended(): boolean {
    return (this.#flags & suspendedFlag) !== 0;
  }

  get hasAddresses(): boolean {
    return (this.#flags & addressesFlag) !== 0;
  }

  get hasLimit(): boolean {
    return (this.#flags & limitFlag) !== 0;
  }

  get requests(): number {
    return this.memory.readUInt32LE(this.from + requestsAt);
  }

  get windowSeconds(): number {
    return this.memory.readUInt32LE(this.from + windowAt);
  }

  /** The subject of the limit: the key's id. */
  get subject(): string {
    const from = this.from + headerBytes;
    return this.memory.toString("latin1", from, from + this.memory[this.from + subjectAt]!);
  }

  /** A small number that depends on the subject. */
  get shard(): number {
    return this.memory[this.from + headerBytes + this.memory[this.from + subjectAt]! - 1]! % limitShards;
  }

  allowsAddress(address: AddressBytes): boolean {
    const { memory } = this;
    const end = this.#permissionsFrom;
    for (let at = this.from + headerBytes + memory[this.from + subjectAt]!; at < end; ) {
      const length = memory[at]!;
      if (address.isIn(memory, at + 2, length, memory[at + 1]!)) return true;
      at += 2 + length;
    }
    return false;
  }

  /** Equivalent to `grants` in permissions.ts. */
  grants(permission: string): boolean {
    for (let at = this.#permissionsFrom; at < this.to; at += 1 + this.memory[at]!)
      if (this.#grantsAt(at, permission)) return true;
    return false;
  }

  #grantsAt(at: number, permission: string): boolean {
    const { memory } = this;
    const length = memory[at]!;
    const isPrefix = memory[at + length] === star;
    const compared = isPrefix ? length - 1 : length;
    if (isPrefix ? permission.length < compared : permission.length !== compared) return false;
    for (let index = 0; index < compared; index++)
      if (memory[at + 1 + index] !== permission.charCodeAt(index)) return false;
    return true;
  }

  get #flags(): number {
    return this.memory[this.from + flagsAt]!;
  }

  get #permissionsFrom(): number {
    return this.from + this.memory.readUInt16LE(this.from + permissionsAt);
  }
}
