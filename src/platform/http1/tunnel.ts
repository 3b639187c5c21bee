import type { Output } from "./output.ts";

type Pausable = Pick<Bun.Socket<unknown>, "pause" | "resume">;

/** What came before the other end was there and is kept for it. */
const mostEarly = 1024 * 1024;

/** One end of a connection that is HTTP no more: what it receives, the other end sends, and no faster than that. */
export class TunnelEnd {
  #other: TunnelEnd | undefined;
  #early: Uint8Array[] = [];
  #earlyBytes = 0;
  #isOver = false;
  /** Nobody gets what it receives. */
  #isAlone = false;

  constructor(
    private readonly socket: Pausable,
    private readonly output: Output,
  ) {
    output.onDrained = () => this.#other?.socket.resume();
  }

  joinWith(other: TunnelEnd): void {
    this.#join(other);
    other.#join(this);
  }

  received(bytes: Uint8Array): void {
    if (this.#isAlone) return;
    if (this.#other) {
      if (!this.#other.output.bytes(bytes)) this.socket.pause();
      return;
    }
    this.#early.push(bytes);
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes > mostEarly) this.socket.pause();
  }

  closed(): void {
    this.#isOver = true;
    this.#other?.endAlone();
  }

  /** From this side of it. */
  end(): void {
    this.output.end();
  }

  /** The other end is closed, or there will be none. While it is paused, it would not hear of its own close. */
  endAlone(): void {
    this.#isAlone = true;
    this.#early = [];
    this.output.end();
    this.socket.resume();
  }

  #join(other: TunnelEnd): void {
    this.#other = other;
    let isFlowing = true;
    for (const bytes of this.#early) isFlowing = other.output.bytes(bytes);
    this.#early = [];
    if (isFlowing) this.socket.resume();
    if (this.#isOver) other.endAlone();
  }
}
