import { connect, createServer, type Server, type Socket } from "node:net";
import { started, stopped } from "../../test/support/left-running.ts";

/** A connection to a local server that can stall: nothing is forwarded, and neither side is notified. */
export class StallableLine {
  #isStalled = false;
  readonly #pairs = new Set<[Socket, Socket]>();
  readonly #server: Server;

  private constructor(target: { host: string; port: number }) {
    this.#server = createServer((near) => {
      const far = connect(target.port, target.host);
      const pair: [Socket, Socket] = [near, far];
      this.#pairs.add(pair);
      near.pipe(far);
      far.pipe(near);
      for (const socket of pair) {
        socket.on("error", () => {}); // its close follows
        socket.on("close", () => {
          this.#pairs.delete(pair);
          for (const each of pair) each.destroy();
        });
        if (this.#isStalled) socket.pause();
      }
    });
  }

  static async to(url: string): Promise<StallableLine> {
    const { hostname, port } = new URL(url);
    const line = new StallableLine({ host: hostname, port: Number(port) });
    await new Promise<void>((resolve) => line.#server.listen(0, "127.0.0.1", resolve));
    started(line, "A line");
    return line;
  }

  /** The same address, over this line. */
  through(url: string): string {
    const address = new URL(url);
    address.host = `127.0.0.1:${(this.#server.address() as { port: number }).port}`;
    return address.href;
  }

  stall(): void {
    this.#isStalled = true;
    for (const socket of [...this.#pairs].flat()) socket.pause();
  }

  resume(): void {
    this.#isStalled = false;
    for (const socket of [...this.#pairs].flat()) socket.resume();
  }

  async close(): Promise<void> {
    stopped(this);
    for (const socket of [...this.#pairs].flat()) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
