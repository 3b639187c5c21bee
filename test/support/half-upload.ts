import { connect, type Socket } from "node:net";

/** A PUT whose body is sent by the test, and may be aborted in the middle. */
export class HalfUpload {
  #received = "";
  readonly #ended = Promise.withResolvers<string>();

  private constructor(private readonly socket: Socket) {
    socket.on("data", (data) => (this.#received += data));
    socket.on("close", () => this.#ended.resolve(this.#received));
    socket.on("error", () => {}); // its close event follows
  }

  static async open(serverUrl: string, path: string, contentLength: number): Promise<HalfUpload> {
    const { hostname, port, host } = new URL(serverUrl);
    const socket = connect(Number(port), hostname);
    await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    socket.write(
      `PUT ${path} HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\ncontent-length: ${contentLength}\r\n\r\n`,
    );
    return new HalfUpload(socket);
  }

  send(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  abort(): void {
    this.socket.destroy();
  }

  /** The whole response, once the server has closed the connection. */
  get response(): Promise<string> {
    return this.#ended.promise;
  }
}
