/** What bytes are kept for. */
export type Holder = string | number;

export interface Holders {
  /** Networks and customers, of which there are many. */
  clients: readonly Holder[];
  account?: Holder | undefined;
}

/** Of a machine, which its processes share. */
const machineBytes = 256 * 1024 * 1024;
/** The largest body, of a request to a model, takes 58 MiB with what is read of it, and must fit into the share of a client. */
const minBytes = 176 * 1024 * 1024;

/**
 * Bounds the memory for bodies that are buffered and for responses that wait for slow readers, of all clients together. Shares depend on what remains free for the
 * others: a client has at most half of that, an account three times as much. Alone, these are a third and three quarters
 * of the memory. Several clients that send too much leave room for other clients of the account, and several accounts
 * for other accounts.
 */
export class BufferMemory {
  #used = 0;
  readonly #held = new Map<Holder, number>();

  constructor(private readonly limit = machineBytes) {}

  static ofProcess(processes: number): BufferMemory {
    return new BufferMemory(Math.max(minBytes, Math.floor(machineBytes / processes)));
  }

  get used(): number {
    return this.#used;
  }

  /** Returns false, and reserves nothing, if too little would remain free. */
  reserve(bytes: number, { clients, account }: Holders): boolean {
    const free = this.limit - this.#used - bytes;
    const fits = (holder: Holder, share: number) => (this.#held.get(holder) ?? 0) + bytes <= free * share;
    if (free < 0 || !clients.every((client) => fits(client, 1 / 2))) return false;
    if (account !== undefined && !fits(account, 3)) return false;
    this.#add(bytes, { clients, account });
    return true;
  }

  release(bytes: number, holders: Holders): void {
    this.#add(-bytes, holders);
  }

  #add(bytes: number, { clients, account }: Holders): void {
    this.#used += bytes;
    for (const holder of account === undefined ? clients : [...clients, account]) {
      const held = (this.#held.get(holder) ?? 0) + bytes;
      if (held === 0) this.#held.delete(holder);
      else this.#held.set(holder, held);
    }
  }
}

/** The bytes that one request or connection has reserved. */
export class Reservation {
  #bytes = 0;
  #holders: Holders | undefined;

  constructor(
    private readonly memory: BufferMemory,
    /** Called for the first bytes: the holders stay the same for all that is reserved. */
    private readonly holders: () => Holders,
  ) {}

  get bytes(): number {
    return this.#bytes;
  }

  reserve(bytes: number): boolean {
    this.#holders ??= this.holders();
    if (!this.memory.reserve(bytes, this.#holders)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Releases at most what is reserved. */
  release(bytes = this.#bytes): void {
    const released = Math.min(bytes, this.#bytes);
    if (released === 0) return;
    this.#bytes -= released;
    this.memory.release(released, this.#holders!);
  }
}

/** Smaller pieces are joined when buffered. */
const smallPiece = 16 * 1024;

/**
 * Buffers a piece. Each piece has about a hundred bytes of overhead and retains the whole receive buffer, so small
 * pieces are joined: a client that sends one-byte chunks must not fill the memory.
 */
export function bufferPiece(pieces: Buffer[], piece: Buffer): void {
  let kept = piece;
  // Joins only pieces of at most its size, so that no byte is copied more than a dozen times.
  while (kept.length < smallPiece && pieces.length > 0 && pieces.at(-1)!.length <= kept.length)
    kept = Buffer.concat([pieces.pop()!, kept]);
  pieces.push(kept);
}
