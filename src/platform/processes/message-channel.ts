import { deserialize, serialize } from "bun:jsc";

/** The length of the rest, and the format. */
const headBytes = 5;
const format = { json: 0, cloned: 1 };
/** A longer message is a fault of the other side. */
const maxBytes = 256 * 1024 * 1024;

export type ChannelMessage = readonly unknown[];

/** A notification has the id 0, a request a positive one, and its response the negative. */
type Entry = [id: number, content: unknown, error?: string];

interface ChannelOptions {
  /** Handles a message. The result, or what its promise resolves to, is the response to a request. */
  handle(message: ChannelMessage): unknown;
  onClose(): void;
}

/** The other side of a channel failed to handle a request, or has ended. */
export class RemoteFailure extends Error {}

/** The other side of a channel has not responded in time. It may have handled the request, or may still do it. */
export class RemoteTimeout extends RemoteFailure {}

interface OpenRequest {
  resolve(value: unknown): void;
  reject(error: Error): void;
  timer: Timer;
}

/**
 * Messages between two processes of a machine over a Unix socket. All messages of one turn of the event loop are one
 * write, because the system call costs more than the messages in it.
 */
export class MessageChannel {
  #socket: Bun.Socket<MessageChannel> | undefined;
  readonly #requests = new Map<number, OpenRequest>();
  #lastId = 0;
  #queue: Entry[] = [];
  #isScheduled = false;
  #isHandling = false;
  #unwritten: Uint8Array[] = [];
  /** The pieces of an incomplete message, their size, and the size that it needs. */
  #pieces: Buffer[] = [];
  #size = 0;
  #needed = headBytes;
  #isClosed = false;

  constructor(private readonly options: ChannelOptions) {}

  /** The handlers of a socket whose data is its channel. */
  static readonly handlers: Bun.SocketHandler<MessageChannel> = {
    data: (socket, bytes) => socket.data.#receive(bytes),
    drain: (socket) => socket.data.#writeUnwritten(),
    close: (socket) => socket.data.#closed(),
    error: (socket) => socket.data.close(),
  };

  opened(socket: Bun.Socket<MessageChannel>): void {
    this.#socket = socket;
    this.flush();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  notify(message: ChannelMessage): void {
    this.#add([0, message]);
  }

  /**
   * Rejects with RemoteTimeout if there is no response after that time, and with RemoteFailure if the other side fails.
   * @param onLate called with a response that arrives after that time
   */
  request(message: ChannelMessage, milliseconds: number, onLate?: (response: unknown) => void): Promise<unknown> {
    return new Promise((resolve, reject) =>
      this.#add([this.#expect({ resolve, reject, milliseconds, onLate }), message]),
    );
  }

  /** Like `request`, for values that JSON cannot represent, such as bytes and maps. */
  requestCloned(message: ChannelMessage, milliseconds: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.flush();
      const id = this.#expect({ resolve, reject, milliseconds });
      this.#write(frameOf(format.cloned, Buffer.from(serialize([[id, message]]))));
    });
  }

  close(): void {
    this.#socket?.end();
    this.#closed();
  }

  flush(): void {
    if (this.#queue.length === 0 || !this.#socket || this.#isClosed) return;
    const entries = this.#queue;
    this.#queue = [];
    this.#write(frameOf(format.json, Buffer.from(JSON.stringify(entries))));
  }

  #expect({
    resolve,
    reject,
    milliseconds,
    onLate,
  }: Omit<OpenRequest, "timer"> & {
    milliseconds: number;
    onLate?: ((response: unknown) => void) | undefined;
  }): number {
    this.#lastId += 1;
    const id = this.#lastId;
    if (this.#isClosed) {
      reject(new RemoteFailure("the channel is closed"));
      return id;
    }
    const timer = setTimeout(() => {
      if (onLate) this.#requests.set(id, { resolve: onLate, reject: () => {}, timer });
      else this.#requests.delete(id);
      reject(new RemoteTimeout(`no response after ${milliseconds} ms`));
    }, milliseconds);
    this.#requests.set(id, { resolve, reject, timer });
    return id;
  }

  #add(entry: Entry): void {
    this.#queue.push(entry);
    if (this.#isScheduled || this.#isHandling) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.flush();
    });
  }

  #write(bytes: Uint8Array): void {
    if (this.#isClosed) return;
    this.#unwritten.push(bytes);
    if (this.#unwritten.length === 1) this.#writeUnwritten();
  }

  #writeUnwritten(): void {
    while (this.#unwritten.length > 0 && this.#socket && !this.#isClosed) {
      const next = this.#unwritten[0]!;
      const written = this.#socket.write(next);
      if (written < 0) return;
      if (written < next.length) {
        this.#unwritten[0] = next.subarray(written);
        return;
      }
      this.#unwritten.shift();
    }
  }

  #receive(bytes: Buffer): void {
    this.#size += bytes.length;
    if (this.#size < this.#needed) {
      // Copied: Bun reuses the memory of received bytes.
      this.#pieces.push(Buffer.from(bytes));
      return;
    }
    let rest = this.#pieces.length === 0 ? bytes : Buffer.concat([...this.#pieces, bytes]);
    this.#needed = headBytes;
    // Responses of this turn are written together, at the end.
    this.#isHandling = true;
    while (rest.length >= headBytes && !this.#isClosed) {
      const end = headBytes + rest.readUInt32LE(0);
      this.#needed = end;
      if (end > maxBytes) {
        this.close();
        break;
      }
      if (rest.length < end) break;
      const content = rest.subarray(headBytes, end);
      const entries = (rest[4] === format.json ? JSON.parse(content.toString()) : cloned(content)) as Entry[];
      for (const entry of entries) this.#handle(entry);
      rest = rest.subarray(end);
      this.#needed = headBytes;
    }
    this.#isHandling = false;
    this.#pieces = rest.length > 0 ? [Buffer.from(rest)] : [];
    this.#size = rest.length;
    this.flush();
  }

  #handle([id, content, error]: Entry): void {
    if (id < 0) {
      const request = this.#requests.get(-id);
      if (!request) return;
      this.#requests.delete(-id);
      clearTimeout(request.timer);
      if (error === undefined) request.resolve(content);
      else request.reject(new RemoteFailure(error));
      return;
    }
    try {
      const result = this.options.handle(content as ChannelMessage);
      if (id === 0) return;
      if (result instanceof Promise)
        result.then(
          (value) => this.#add([-id, value ?? null]),
          (failure: unknown) => this.#add([-id, null, textOf(failure)]),
        );
      else this.#add([-id, result ?? null]);
    } catch (failure) {
      if (id > 0) this.#add([-id, null, textOf(failure)]);
    }
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const requests = [...this.#requests.values()];
    this.#requests.clear();
    for (const { reject, timer } of requests) {
      clearTimeout(timer);
      reject(new RemoteFailure("the channel was closed"));
    }
    this.options.onClose();
  }
}

function frameOf(kind: number, content: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(headBytes + content.length);
  bytes.writeUInt32LE(content.length, 0);
  bytes[4] = kind;
  bytes.set(content, headBytes);
  return bytes;
}

function cloned(content: Uint8Array): unknown {
  // A copy by the constructor: `Uint8Array.from` of a Buffer iterates, which was a fifth of the primary's CPU time.
  return deserialize(new Uint8Array(content).buffer);
}

function textOf(failure: unknown): string {
  return failure instanceof Error ? failure.message : String(failure);
}
