import type { Output } from "../output/output.ts";

type Pausable = Pick<Bun.Socket<unknown>, "pause" | "resume">;

/** The bytes to buffer until the other end joins. */
const maxEarlyBytes = 1024 * 1024;

/** One end of an upgraded connection. The other end sends what this end receives, with backpressure. */
export class TunnelEnd {
  #other: TunnelEnd | undefined;
  #early: Uint8Array[] = [];
  #earlyBytes = 0;
  #isOver = false;
  /** Drops all bytes that this end receives. */
  #isDetached = false;

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
    if (this.#isDetached) return;
    if (this.#other) {
      if (!this.#other.output.bytes(bytes)) this.socket.pause();
      return;
    }
    this.#early.push(bytes);
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes > maxEarlyBytes) this.socket.pause();
  }

  closed(): void {
    this.#isOver = true;
    this.#other?.detach();
  }

  /** Half-closes this end. */
  end(): void {
    this.output.end();
  }

  /**
   * The other end is closed or will never join. Resumes the socket, because a paused socket does not report its close.
   */
  detach(): void {
    this.#isDetached = true;
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
    if (this.#isOver) other.detach();
  }
}
