import { connect } from "node:net";

export interface RawResponse {
  text: string;
  /** Whether the connection was reset rather than ended or left open. */
  isBroken: boolean;
}

/**
 * Sends bytes and collects the response until `isEnough` or the end of the connection. `from` is the client's address.
 */
export function talk(
  port: number,
  request: string,
  isEnough: (text: string) => boolean,
  from = "127.0.0.1",
): Promise<RawResponse> {
  return new Promise((resolve) => {
    let text = "";
    let isBroken = false;
    const socket = connect({ port, host: "127.0.0.1", localAddress: from }, () => socket.write(request, "latin1"));
    socket.on("data", (piece) => {
      text += piece.toString("latin1");
      if (isEnough(text)) socket.destroy();
    });
    socket.on("error", () => {
      isBroken = true;
    });
    socket.on("close", () => resolve({ text, isBroken }));
  });
}

export function rawRequest(method: string, host: string, path: string, headers: string[] = [], body = ""): string {
  return [`${method} ${path} HTTP/1.1`, `Host: ${host}`, ...headers, "", body].join("\r\n");
}
