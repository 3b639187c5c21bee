import { listen } from "bun";

/**
 * A provider with the API of OpenAI: `chat/completions` is a stream of the given number of events, each a write of its
 * own, if the request has `"stream":true`, otherwise one body with as much text.
 */
const events = Number(process.argv[2]);
const usage = { prompt_tokens: 20, completion_tokens: events, total_tokens: 20 + events };
const common = { id: "chatcmpl-1", created: 1, model: "bench-model" };

function event(data: string): Buffer {
  const bytes = `data: ${data}\n\n`;
  return Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n${bytes}\r\n`);
}

const chunk = (more: object) => event(JSON.stringify({ ...common, object: "chat.completion.chunk", ...more }));
const delta = chunk({ choices: [{ index: 0, delta: { content: " word" }, finish_reason: null }], usage: null });
const last = Buffer.concat([chunk({ choices: [], usage }), event("[DONE]"), Buffer.from("0\r\n\r\n")]);
const streamHead = Buffer.from(
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n",
);

const message = { role: "assistant", content: " word".repeat(events) };
const choices = [{ index: 0, message, finish_reason: "stop" }];
const body = JSON.stringify({ ...common, object: "chat.completion", choices, usage });
const unstreamed = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
);

interface Client {
  request: string;
}

/** Separate turns of the event loop, so that the gateway receives the events one by one. */
function stream(socket: Bun.Socket<Client>, sent: number): void {
  if (sent === 0) socket.write(streamHead);
  if (sent === events) {
    socket.write(last);
    return;
  }
  socket.write(delta);
  socket.flush();
  setImmediate(stream, socket, sent + 1);
}

const server = listen<Client>({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    open(socket) {
      socket.data = { request: "" };
      socket.setNoDelay(true);
    },
    data(socket, piece) {
      socket.data.request += piece.toString("latin1");
      const end = socket.data.request.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(socket.data.request)?.[1] ?? 0);
      if (socket.data.request.length < end + 4 + length) return;
      const isStreamed = socket.data.request.includes('"stream":true');
      socket.data.request = "";
      if (isStreamed) stream(socket, 0);
      else socket.write(unstreamed);
    },
  },
});
console.log(server.port);
