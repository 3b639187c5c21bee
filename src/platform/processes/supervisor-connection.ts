import { type ChildMessage, drainMessage, stopMessage } from "./supervised-process.ts";

const beatMilliseconds = 500;

/** The connection of a process to its supervisor. */
export class SupervisorConnection {
  /** Resolves when the process must stop: the supervisor ordered it, or has ended. */
  readonly stopped: Promise<"ordered" | "supervisor ended">;

  /** Called with other messages of the supervisor, which waits until the work is done. */
  onOrder: (message: string) => Promise<void> = async () => {};

  /** Called when clients must be asked to leave, because the process will be stopped. */
  onDrain: () => void = () => {};

  constructor() {
    this.stopped = new Promise((resolve) => {
      process.on("message", (message) => {
        if (message === stopMessage) resolve("ordered");
        else if (message === drainMessage) this.onDrain();
        else void this.onOrder(String(message)).finally(() => this.#send("done"));
      });
      process.on("disconnect", () => resolve("supervisor ended"));
      // The supervisor decides in which order processes stop; a terminal and systemd signal all of them.
      for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => {});
    });
  }

  ready(): void {
    this.#send("ready");
    setInterval(() => this.#send("beat"), beatMilliseconds).unref();
  }

  #send(message: ChildMessage): void {
    if (process.connected) process.send?.(message);
  }
}
