import { afterEach, expect, test } from "bun:test";
import { useModels } from "../../../test/support/models-gateway.ts";
import { until } from "../../../test/support/until.ts";
import { BufferMemory } from "../../platform/http1/memory/buffer-memory.ts";

const kibibyte = 1024;
const memory = new BufferMemory(400 * kibibyte);
const models = useModels({ memory });
const sockets: Bun.Socket[] = [];
const responses: string[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.terminate();
  responses.length = 0;
  await until(() => memory.used === 0, { what: () => `${memory.used} bytes to be released` });
});

/** Sends the head of a request that announces 32 MiB, and some of its body. */
async function begin(name: string, caller: string, sent: number): Promise<string> {
  const response = Promise.withResolvers<string>();
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: models.gateway.port,
    socket: {
      data: (_, piece) => {
        responses.push(piece.toString());
        response.resolve(piece.toString());
      },
      error: (_, error) => response.reject(error),
    },
  });
  sockets.push(socket);
  const before = memory.used;
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: ${name}.localhost\r\nx-caller: ${caller}\r\n` +
      `content-type: application/json\r\ncontent-length: ${32 * kibibyte * kibibyte}\r\n\r\n${" ".repeat(sent)}`,
  );
  const held = until(() => memory.used === before + sent, { what: () => `${sent} bytes to be held` });
  return Promise.race([held.then(() => "held"), response.promise]);
}

const chat = { model: "small", messages: [{ role: "user", content: "Hi" }] };

test("a body takes what has arrived, not what it announces", async () => {
  const deployed = await models.deploy();
  for (let count = 0; count < 64; count++) expect(await begin(deployed.name, `c${count % 4}`, 1)).toBe("held");
  expect(memory.used).toBe(64);
  for (const caller of ["c0", "d"])
    expect((await deployed.post("chat/completions", chat, { "x-caller": caller })).status).toBe(200);
});

test("a consumer beyond its share gets 503, and is served when its bodies have ended", async () => {
  const deployed = await models.deploy();
  expect(await begin(deployed.name, "a", 100 * kibibyte)).toBe("held");
  const rejected = await begin(deployed.name, "a", 51 * kibibyte);
  expect(rejected).toStartWith("HTTP/1.1 503 ");
  expect(rejected.toLowerCase()).toContain("retry-after: 1\r\n");
  expect(rejected).toContain('"buffers_full"');
  expect(memory.used).toBe(100 * kibibyte);
  expect(models.provider.requests).toEqual([]);
  sockets.shift()!.terminate();
  await until(() => memory.used === 0);
  expect(await begin(deployed.name, "a", 51 * kibibyte)).toBe("held");
});

test("a body that comes too slowly is 408, and frees its memory", async () => {
  const deployed = await models.deploy();
  expect(await begin(deployed.name, "a", 100 * kibibyte)).toBe("held");
  for (let second = 0; second <= 10; second++) models.gateway.server.checkTimeouts();
  await until(() => responses.length === 1);
  expect(responses[0]).toMatch(/^HTTP\/1.1 408 [\s\S]*"request_timeout"/);
  await until(() => memory.used === 0);
});

const roomy = new BufferMemory(64 * kibibyte * kibibyte);
const others = useModels({ memory: roomy });

test("what is read of a body counts too, and is released", async () => {
  const deployed = await others.deploy();
  const messages = Array.from({ length: 30_000 }, () => ({ role: "user" }));
  const used: number[] = [];
  others.provider.respond = () => {
    used.push(roomy.used);
    return undefined;
  };
  expect((await deployed.post("chat/completions", { model: "small", messages })).status).toBe(200);
  expect(used[0]).toBeGreaterThan(30_000 * 2 * 100);
  await until(() => roomy.used === 0);
});
