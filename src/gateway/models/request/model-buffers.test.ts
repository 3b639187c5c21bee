import { afterEach, expect, test } from "bun:test";
import { useModels } from "../../../../test/support/models-gateway.ts";
import { until } from "../../../../test/support/until.ts";
import { ModelBuffers } from "./model-buffers.ts";

const mebibyte = 1024 * 1024;
const buffers = new ModelBuffers();
const models = useModels({ modelBuffers: buffers });
const sockets: Bun.Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  await until(() => buffers.used === 0, { what: () => `${buffers.used} bytes to be released` });
});

/** Sends the head of a request, whose body takes its place before it has arrived. Returns the begin of its response. */
async function announce(name: string, caller: string, bytes: number): Promise<string> {
  const response = Promise.withResolvers<string>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: models.gateway.port,
    socket: { data: (_, piece) => response.resolve(piece.toString()), error: (_, error) => response.reject(error) },
  });
  sockets.push(socket);
  const before = buffers.used;
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${name}.localhost\r\nx-caller: ${caller}\r\n` +
      `content-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`,
  );
  const held = until(() => buffers.used === before + bytes, { what: () => `${bytes} bytes to be held` });
  return Promise.race([held.then(() => "held"), response.promise]);
}

type Rejection = { error: { code: string } };
const chat = { model: "small", messages: [{ role: "user", content: "Hi" }] };

test("the bodies of a consumer take at most a quarter of the memory; others are served", async () => {
  const deployed = await models.deploy();
  expect(await announce(deployed.name, "a", 32 * mebibyte)).toBe("held");
  expect(await announce(deployed.name, "a", 32 * mebibyte)).toBe("held");
  const rejected = await deployed.post("chat/completions", chat, { "x-caller": "a" });
  expect(rejected.status).toBe(503);
  expect(rejected.headers.get("retry-after")).toBe("1");
  expect(((await rejected.json()) as Rejection).error.code).toBe("buffers_full");
  expect(models.provider.requests).toEqual([]);
  expect(buffers.used).toBe(64 * mebibyte);
  expect((await deployed.post("chat/completions", chat, { "x-caller": "b" })).status).toBe(200);
  sockets.shift()!.terminate();
  await until(() => buffers.used === 32 * mebibyte);
  expect((await deployed.post("chat/completions", chat, { "x-caller": "a" })).status).toBe(200);
});

test("requests of all consumers are 503 while the memory is used up, and served afterwards", async () => {
  const deployed = await models.deploy();
  for (const caller of ["a", "b", "c", "d"])
    for (let count = 0; count < 2; count++) expect(await announce(deployed.name, caller, 32 * mebibyte)).toBe("held");
  expect(await announce(deployed.name, "e", 1000)).toStartWith("HTTP/1.1 503 ");
  const rejected = await deployed.post("chat/completions", chat, { "x-caller": "e" });
  expect([rejected.status, ((await rejected.json()) as Rejection).error.code]).toEqual([503, "buffers_full"]);
  expect(models.provider.requests).toEqual([]);
  sockets.shift()!.terminate();
  await until(() => buffers.used === 7 * 32 * mebibyte);
  expect((await deployed.post("chat/completions", chat, { "x-caller": "e" })).status).toBe(200);
});

test("what is read of a body counts in the memory, and is released", async () => {
  const deployed = await models.deploy();
  const messages = Array.from({ length: 30_000 }, () => ({ role: "user" }));
  const small = { model: "small", messages };
  const used: number[] = [];
  models.provider.respond = () => {
    used.push(buffers.used);
    return undefined;
  };
  expect((await deployed.post("chat/completions", small, { "x-caller": "a" })).status).toBe(200);
  expect(used[0]).toBeGreaterThan(30_000 * 2 * 100);
  await until(() => buffers.used === 0);
  expect(await announce(deployed.name, "a", 32 * mebibyte)).toBe("held");
  expect(await announce(deployed.name, "a", 25 * mebibyte)).toBe("held");
  const rejected = await deployed.post("chat/completions", small, { "x-caller": "a" });
  expect([rejected.status, ((await rejected.json()) as Rejection).error.code]).toEqual([503, "buffers_full"]);
  expect(buffers.used).toBe(57 * mebibyte);
  expect((await deployed.post("chat/completions", small, { "x-caller": "b" })).status).toBe(200);
});
