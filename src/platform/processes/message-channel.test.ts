import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { type TemporaryFolder, temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { closeDescriptor, listenTcp, listenUnix } from "./listening-sockets.ts";
import { type ChannelMessage, MessageChannel, RemoteFailure, RemoteTimeout } from "./message-channel.ts";

const patience = 60_000;
let folder: TemporaryFolder | undefined;
let listener: Bun.UnixSocketListener<MessageChannel> | undefined;

afterEach(async () => {
  listener?.stop(true);
  await folder?.remove();
});

/** Two ends of a channel; `handle` is that of the second. */
async function connected(handle: (message: ChannelMessage) => unknown) {
  folder = await temporaryFolder("channel");
  const path = join(folder.path, "socket");
  const closed = Promise.withResolvers<void>();
  const server = Promise.withResolvers<MessageChannel>();
  listener = Bun.listen<MessageChannel>({
    unix: path,
    socket: {
      ...MessageChannel.handlers,
      open(socket) {
        socket.data = new MessageChannel({ handle, onClose: () => closed.resolve() });
        socket.data.opened(socket);
        server.resolve(socket.data);
      },
    },
  });
  const client = new MessageChannel({ handle: (message) => message, onClose: () => {} });
  client.opened(await Bun.connect({ unix: path, data: client, socket: MessageChannel.handlers }));
  return { client, server: await server.promise, closed: closed.promise };
}

test("responds to requests in any order, and keeps the order of messages", async () => {
  const received: unknown[] = [];
  const { client } = await connected(async ([kind, value]) => {
    received.push(value);
    if (kind === "late") await Bun.sleep(5);
    return value;
  });
  client.notify(["now", 0]);
  const responses = [
    client.request(["late", 1], patience),
    client.request(["now", 2], patience),
    client.requestCloned(["now", 3], patience),
  ];
  expect(await Promise.all(responses)).toEqual([1, 2, 3]);
  expect(received).toEqual([0, 1, 2, 3]);
});

test("passes values that JSON cannot represent, and messages that are larger than a socket's buffer", async () => {
  let received: unknown;
  const { client } = await connected(([value]) => {
    received = value;
  });
  const large = { bytes: new Uint8Array(5_000_000).fill(7), map: new Map([["a", 1n]]) };
  await client.requestCloned([large], patience);
  expect(received).toEqual(large);
  await client.request(["x".repeat(3_000_000)], patience);
  expect(received).toHaveLength(3_000_000);
});

test("a failure of the handler is a failure of the request, and not of the channel", async () => {
  const { client } = await connected(([value]) => {
    if (value === "bad") throw new Error("it was bad");
    return value;
  });
  await expect(client.request(["bad"], patience)).rejects.toThrow(new RemoteFailure("it was bad"));
  expect(await client.request(["good"], patience)).toBe("good");
});

test("requests fail when the other side is gone", async () => {
  const { client, server, closed } = await connected(() => new Promise(() => {}));
  const waiting = client.request(["forever"], patience);
  server.close();
  await expect(waiting).rejects.toBeInstanceOf(RemoteFailure);
  await closed;
  await expect(client.request(["more"], patience)).rejects.toBeInstanceOf(RemoteFailure);
});

test("a request without a response fails after its time, and a late response can be handled", async () => {
  const responded = Promise.withResolvers<string>();
  const { client } = await connected(([kind]) => (kind === "late" ? responded.promise : kind));
  const late = Promise.withResolvers<unknown>();
  await expect(client.request(["late"], 1, (response) => late.resolve(response))).rejects.toBeInstanceOf(RemoteTimeout);
  await expect(client.requestCloned(["late"], 1)).rejects.toBeInstanceOf(RemoteTimeout);
  expect(await client.request(["now"], patience)).toBe("now");
  responded.resolve("at last");
  expect(await late.promise).toBe("at last");
});

test("a port has one listening socket, unless both share it", async () => {
  const first = await listenTcp("127.0.0.1", 0);
  await expect(listenTcp("127.0.0.1", first.port)).rejects.toMatchObject({ code: "EADDRINUSE" });
  closeDescriptor(first.descriptor);
  const six = await listenTcp("::1", 0, { sharesPort: true });
  const other = await listenTcp("::1", six.port, { sharesPort: true });
  expect(other.port).toBe(six.port);
  for (const { descriptor } of [six, other]) closeDescriptor(descriptor);
  expect(() => listenUnix(`/tmp/${"x".repeat(200)}`)).toThrow("too long");
});
