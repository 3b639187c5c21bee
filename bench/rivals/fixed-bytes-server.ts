import { listen } from "bun";

/** No HTTP at all: every received chunk gets the same bytes. Shows the maximum of the load generator. */
const body = "x".repeat(Number(process.argv[2]));
const response = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
);

const server = listen({
  hostname: "127.0.0.1",
  port: 0,
  socket: {
    data(socket) {
      socket.write(response);
    },
  },
});
console.log(server.port);
