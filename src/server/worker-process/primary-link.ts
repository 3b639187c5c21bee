import { decisionMilliseconds, helloMilliseconds, writeMilliseconds } from "../../counting/deadlines.ts";
import { MessageChannel, RemoteTimeout } from "../../platform/processes/message-channel.ts";
import { StorageUnavailable } from "../../platform/storage/errors.ts";
import type { HelloResponse, ToPrimary, ToWorker, WorkerState } from "../primary-process/worker-messages.ts";

/** How long a request waits for the next primary. */
const patienceMilliseconds = 5_000;
const retryMilliseconds = 50;

export interface LinkOptions {
  /** The path of the primary's socket. The supervisor keeps it open while there is no primary. */
  path: string;
  /** The state for a primary that this process connects to. */
  state(): WorkerState;
  /** Called with the primary's response when it knows the state, and its messages follow. */
  onConnected(response: HelloResponse): void;
  onDisconnected(): void;
  /**
   * Handles a message of a primary. `reply` sends another one to the same primary, also to one that has not confirmed
   * the state yet.
   */
  handle(message: ToWorker, reply: (message: ToPrimary) => void): unknown;
}

/** The connection of a worker to the primary, or to the next one. */
export class PrimaryLink {
  #channel: MessageChannel | undefined;
  readonly #waiting = new Set<() => void>();
  #isStopped = false;
  /** The number of primaries that received the state. A new primary does not have the counts of the previous one. */
  epoch = 0;
  /** Messages for the next primary. */
  #outbox: (() => ToPrimary | undefined)[] = [];

  constructor(private readonly options: LinkOptions) {}

  /** The number of requests that wait for a primary. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Resolves when the first primary has accepted the state of this worker. */
  async open(): Promise<void> {
    void this.#connect();
    await this.#connected();
  }

  /** Sends a message that needs no response. It is lost if there is no primary. */
  notify(message: ToPrimary): void {
    this.#channel?.notify(message);
  }

  /** Sends what the function returns, to the next primary if there is none now. */
  notifySurely(message: () => ToPrimary | undefined): void {
    const now = this.#channel && message();
    if (now) this.notify(now);
    else if (!this.#channel) this.#outbox.push(message);
  }

  /**
   * Sends a request to the primary, or to the next one, and returns its response. Rejects with StorageUnavailable if
   * there is none for a while, if it does not respond in time, or if it fails.
   * @param onLate called with a response that arrives too late, to undo it
   */
  ask(message: ToPrimary, onLate?: (response: unknown) => void): Promise<unknown> {
    const channel = this.#channel;
    return channel
      ? channel
          .request(message, decisionMilliseconds, onLate)
          .catch((error: unknown) => this.#askAgain(channel, message, onLate, error))
      : this.#askLater(message, onLate);
  }

  /** Like `ask`, for data that JSON cannot represent. Fails if the primary does. */
  async send(message: ToPrimary): Promise<unknown> {
    await this.#connected();
    return this.#channel!.requestCloned(message, writeMilliseconds);
  }

  /** Resolves when the primary has handled what was sent, because it may stop next without reading it. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#channel?.request(["leases", []], helloMilliseconds).catch(() => {});
    this.#channel?.close();
  }

  #askAgain(
    channel: MessageChannel,
    message: ToPrimary,
    onLate: ((response: unknown) => void) | undefined,
    error: unknown,
  ): Promise<unknown> {
    if (!channel.isClosed || this.#isStopped || error instanceof RemoteTimeout) throw new StorageUnavailable(error);
    return this.#askLater(message, onLate);
  }

  async #askLater(message: ToPrimary, onLate: ((response: unknown) => void) | undefined): Promise<unknown> {
    await this.#connected();
    return this.ask(message, onLate);
  }

  async #connected(): Promise<void> {
    if (this.#channel) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#waiting.delete(resume);
      reject(new StorageUnavailable("there is no primary"));
    }, patienceMilliseconds);
    const resume = () => {
      clearTimeout(timer);
      resolve();
    };
    this.#waiting.add(resume);
    await promise;
  }

  async #connect(): Promise<void> {
    while (!this.#isStopped && !(await this.#tryToConnect())) await Bun.sleep(retryMilliseconds);
  }

  async #tryToConnect(): Promise<boolean> {
    const { options } = this;
    const channel: MessageChannel = new MessageChannel({
      handle: (message) => options.handle(message as ToWorker, (reply) => channel.notify(reply)),
      onClose: () => {
        if (this.#channel !== channel) return;
        this.#channel = undefined;
        options.onDisconnected();
        void this.#connect();
      },
    });
    let response: HelloResponse;
    try {
      const socket = await Bun.connect<MessageChannel>({
        unix: options.path,
        data: channel,
        socket: MessageChannel.handlers,
      });
      channel.opened(socket);
      this.epoch += 1;
      response = (await channel.request(["hello", options.state()], helloMilliseconds)) as HelloResponse;
    } catch {
      channel.close();
      return false;
    }
    if (this.#isStopped || channel.isClosed) return false;
    this.#channel = channel;
    options.onConnected(response);
    const outbox = this.#outbox;
    this.#outbox = [];
    for (const message of outbox) this.notifySurely(message);
    for (const resume of this.#waiting) resume();
    this.#waiting.clear();
    return true;
  }
}
