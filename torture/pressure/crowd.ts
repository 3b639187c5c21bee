import { connect, type Socket } from "node:net";
import { rawRequest } from "../../test/support/raw-http.ts";

/** The behaviour of a client in a crowd. */
export type Habit = "idle" | "half-head" | "half-body" | "request";

/** How a client's request ended: with a status, or closed without a response, which is right if it was sent late. */
export type Outcome = number | "closed" | "closed before a late request";

/** A server with too many clients closes connections that are idle for a second. On a busy machine so may ours be. */
const lateMilliseconds = 700;

export interface CrowdOptions {
  port: number;
  host: string;
  /** Of the requests that are sent whole. */
  path: string;
  headers: string[];
}

/** Clients with separate connections, all at once. */
export class Crowd {
  readonly #sockets: Socket[] = [];
  readonly outcomes: Promise<Outcome>[] = [];

  constructor(private readonly options: CrowdOptions) {}

  /** `from` is an address of loopback. */
  join(habit: Habit, from: string): void {
    const { port } = this.options;
    const joinedAt = performance.now();
    let isLate = true;
    const socket = connect({ port, host: "127.0.0.1", localAddress: from }, () => {
      const text = this.#textOf(habit);
      if (text !== "") socket.write(text);
      isLate = performance.now() - joinedAt > lateMilliseconds;
    });
    this.#sockets.push(socket);
    socket.on("error", () => {});
    if (habit === "request") this.outcomes.push(outcomeOf(socket, () => isLate));
    else socket.resume();
  }

  leave(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #textOf(habit: Habit): string {
    const { host, path, headers } = this.options;
    switch (habit) {
      case "idle":
        return "";
      case "half-head":
        return `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n`;
      case "half-body":
        return rawRequest("POST", host, path, [...headers, "content-length: 100"], "half");
      case "request":
        return rawRequest("GET", host, path, [...headers, "connection: close"]);
    }
  }
}

function outcomeOf(socket: Socket, isLate: () => boolean): Promise<Outcome> {
  return new Promise((resolve) => {
    let text = "";
    socket.on("data", (piece) => {
      text += piece.toString("latin1");
    });
    socket.on("close", () => {
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1];
      if (status !== undefined) resolve(Number(status));
      else resolve(isLate() ? "closed before a late request" : "closed");
    });
  });
}
