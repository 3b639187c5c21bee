import { afterAll, beforeAll, expect, test } from "bun:test";
import { TestSandboxes } from "../../../test/support/sandboxes.ts";
import { until } from "../../../test/support/until.ts";

let sandboxes: TestSandboxes;
beforeAll(() => {
  sandboxes = new TestSandboxes();
});
afterAll(() => sandboxes.stop());

const megabyte = new Uint8Array(1024 * 1024).fill(7);
const megabytes = 300;

test("bodies stream through in both directions without being buffered", async () => {
  const code = await sandboxes.run("return new Response(request.body);");
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent++ === megabytes) controller.close();
      else controller.enqueue(megabyte.slice());
    },
  });
  const response = await code.handle("/", { method: "POST", body });
  let size = 0;
  // What was sent and has not come back yet is in some buffer. Not the memory of the process, which other tests use too.
  let buffered = 0;
  for await (const chunk of response.body!) {
    buffered = Math.max(buffered, sent * megabyte.length - size);
    size += chunk.length;
  }
  expect(size).toBe(megabytes * megabyte.length);
  expect(buffered / megabyte.length).toBeLessThan(megabytes / 10);
});

test("events arrive one by one, each before the next is made", async () => {
  const code = await sandboxes.run(
    `return new Response(request.body, { headers: { "content-type": "text/event-stream" } });`,
  );
  const events = new TransformStream<Uint8Array, Uint8Array>();
  const writer = events.writable.getWriter();
  const write = (text: string) => writer.write(new TextEncoder().encode(text));
  const head = code.handle("/", { method: "POST", body: events.readable });
  write("data: 0\n\n");
  const response = await head;
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  const reader = response.body!.getReader();
  for (const count of [0, 1, 2]) {
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(`data: ${count}\n\n`);
    if (count < 2) write(`data: ${count + 1}\n\n`);
  }
  await writer.close();
  expect((await reader.read()).done).toBe(true);
});

test("code is notified when a client disconnects", async () => {
  const code = await sandboxes.run(`
    const endless = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 10));
        controller.enqueue(new Uint8Array(10));
      },
      cancel() { console.log("cancelled"); },
    });
    return new Response(endless);
  `);
  const client = new AbortController();
  const response = await code.handle("/", { signal: client.signal });
  const reader = response.body!.getReader();
  await reader.read();
  client.abort();
  await until(() => code.lines.some(({ message }) => message === "cancelled"));
});
