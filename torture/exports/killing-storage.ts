import type { Random } from "../random.ts";

/** Object storage that counts what is put, and ends the writer amid some of the requests. */
export class KillingStorage {
  /** The current content of each object. */
  readonly objects = new Map<string, Buffer>();
  /** Objects whose later content differed. */
  readonly changed: string[] = [];
  puts = 0;
  /** Ends the writers. Set while a blow is planned. */
  #blow: (() => Promise<unknown>) | undefined;
  #putsLeft = 0;
  readonly #server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: (request) => this.#put(request) });

  constructor(private readonly random: Random) {}

  get url(): string {
    return this.#server.url.origin;
  }

  /** Resolves when the blow has fallen, amid one of the next objects. */
  plan(blow: () => Promise<unknown>): Promise<void> {
    this.#putsLeft = this.random.integer(1, 7);
    return new Promise((resolve) => {
      this.#blow = async () => {
        await blow();
        resolve();
      };
    });
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #put(request: Request): Promise<Response> {
    const name = decodeURIComponent(new URL(request.url).pathname);
    const bytes = Buffer.from(await request.arrayBuffer());
    this.puts += 1;
    const blow = this.#blow && --this.#putsLeft === 0 ? this.#blow : undefined;
    if (blow) this.#blow = undefined;
    const isStored = !blow || this.random.chance(0.5);
    if (isStored) {
      const before = this.objects.get(name);
      if (before && !before.equals(bytes)) this.changed.push(name);
      this.objects.set(name, bytes);
    }
    // The writer is dead before it could get a response.
    await blow?.();
    return new Response(null, { status: isStored ? 200 : 500 });
  }
}
