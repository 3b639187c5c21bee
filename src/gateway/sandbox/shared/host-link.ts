import { MessageChannel, RemoteTimeout } from "../../../platform/processes/message-channel.ts";
import type { SandboxUser, ToHost, ToUser } from "./messages.ts";

const retryMilliseconds = 50;
const helloMilliseconds = 5_000;

interface HostLinkOptions {
  /** The path of the host's socket. It is open while there is no host. */
  path: string;
  user: SandboxUser;
  handle(message: ToUser): unknown;
  onConnected(): void;
  onDisconnected(): void;
}

/** The connection to the process that runs sandboxes, or to the next one. It is opened with the first message. */
export class HostLink {
  #channel: MessageChannel | undefined;
  #connecting: Promise<void> | undefined;
  #isStopped = false;

  constructor(private readonly options: HostLinkOptions) {}

  /** Sends a request, to the next host if there is none now. Rejects if the host fails to handle it in that time. */
  async ask(message: ToHost, milliseconds: number): Promise<unknown> {
    for (;;) {
      const channel = this.#channel ?? (await this.#connected());
      try {
        return await channel.requestCloned(message, milliseconds);
      } catch (error) {
        if (!channel.isClosed || this.#isStopped) throw error;
      }
    }
  }

  /** Sends a request to the present host. Resolves to undefined if it ends or does not respond in that time. */
  async askPresent(message: ToHost, milliseconds: number): Promise<unknown> {
    const channel = this.#channel;
    return channel?.request(message, milliseconds).catch((error: unknown) => {
      if (!channel.isClosed && !(error instanceof RemoteTimeout)) throw error;
      return undefined;
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#channel?.flush();
    this.#channel?.close();
  }

  async #connected(): Promise<MessageChannel> {
    while (!this.#channel) {
      if (this.#isStopped) throw new Error("The server stops.");
      this.#connecting ??= this.#connect().finally(() => {
        this.#connecting = undefined;
      });
      await this.#connecting;
    }
    return this.#channel;
  }

  async #connect(): Promise<void> {
    const { options } = this;
    const channel: MessageChannel = new MessageChannel({
      handle: (message) => options.handle(message as ToUser),
      onClose: () => {
        if (this.#channel !== channel) return;
        this.#channel = undefined;
        if (this.#isStopped) return;
        options.onDisconnected();
        void this.#connected().catch(() => {});
      },
    });
    let isAccepted = false;
    try {
      const socket = await Bun.connect<MessageChannel>({
        unix: options.path,
        data: channel,
        socket: MessageChannel.handlers,
      });
      channel.opened(socket);
      isAccepted = (await channel.request(["hello", options.user], helloMilliseconds)) === true;
    } catch {
      // The host has ended.
    }
    if (!isAccepted || channel.isClosed || this.#isStopped) {
      channel.close();
      await Bun.sleep(retryMilliseconds);
      return;
    }
    this.#channel = channel;
    options.onConnected();
  }
}
